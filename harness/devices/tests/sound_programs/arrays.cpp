// SPDX-License-Identifier: Apache-2.0
// CUDA arrays, copies of rows and slices, textures and surfaces.
#include "harness/devices/tests/sound_programs/steps.h"

namespace harness::testing::sound {

namespace {

constexpr std::size_t kWidth = kBytes / sizeof(int);
constexpr std::size_t kHeight = 2;

struct Image {
  CUarray handle = nullptr;
  State state = State::array_none;
};

struct Handle {
  unsigned long long handle = 0;
  State state = State::texture_none;
};

/// Ints in one row, or in two.
Image make(Program& p, std::size_t height = 0, unsigned flags = 0) {
  Image image;
  const std::size_t width = p.keep(Rule::arrays_have_an_extent) ? kWidth : 0;
  const CUDA_ARRAY_DESCRIPTOR plane{width, height, CU_AD_FORMAT_SIGNED_INT32, 1};
  const CUDA_ARRAY3D_DESCRIPTOR whole{width, height, 0, CU_AD_FORMAT_SIGNED_INT32, 1, flags};
  if (flags == 0 && p.coin())
    cuArrayCreate_v2(&image.handle, &plane);
  else
    cuArray3DCreate_v2(&image.handle, &whole);
  p.move(image.state, Via::created);
  return image;
}

void destroy(Program& p, Image& image) {
  cuArrayDestroy(image.handle);
  p.move(image.state, Via::destroyed);
}

/// Fills the first row from memory of the host's that no one writes.
void fill(Program& p, Image& image, std::size_t home) {
  static constexpr std::array<int, kWidth> kValues{};
  cuMemcpyHtoAAsync_v2(image.handle, 0, kValues.data(), kBytes, p.handle(home));
  p.move(image.state, Via::used);
  p.work(home);
}

CUDA_RESOURCE_DESC resource_of(const Image& image) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = image.handle;
  return resource;
}

CUDA_RESOURCE_DESC resource_of(CUdeviceptr address) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear = {address, CU_AD_FORMAT_SIGNED_INT32, 1, kBytes};
  return resource;
}

Handle make_texture(Program& p, const CUDA_RESOURCE_DESC& resource) {
  CUDA_TEXTURE_DESC sampling{};
  for (CUaddress_mode& mode : sampling.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  if (resource.resType == CU_RESOURCE_TYPE_ARRAY && !p.keep(Rule::integers_are_not_filtered))
    sampling.filterMode = CU_TR_FILTER_MODE_LINEAR;
  Handle texture;
  cuTexObjectCreate(&texture.handle, &resource, &sampling, nullptr);
  p.move(texture.state, Via::created);
  return texture;
}

void destroy_texture(Program& p, Handle& texture) {
  cuTexObjectDestroy(texture.handle);
  p.move(texture.state, Via::destroyed);
}

CUfunction kernel(const Program& p, const char* name) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  cuFuncGetModule(&module, p.kernel);
  cuModuleGetFunction(&function, module, name);
  return function;
}

/// Has a kernel read a row through a texture.
void fetch(Program& p, std::size_t home, Handle& texture, CUdeviceptr out) {
  void* parameters[] = {&texture.handle, &out};
  cuLaunchKernel(kernel(p, "fetch_texels"), 1, 1, 1, kWidth, 1, 1, 0, p.handle(home), parameters,
                 nullptr);
  p.move(texture.state, Via::used);
  p.work(home);
}

/// A copy of one row and slice between memory of the device and an array.
CUDA_MEMCPY3D row_to(const Image& image, CUdeviceptr memory) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = memory;
  copy.srcPitch = kBytes;
  copy.srcHeight = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = image.handle;
  copy.WidthInBytes = kBytes;
  copy.Height = copy.Depth = 1;
  return copy;
}

CUDA_MEMCPY2D row_from(const Image& image, CUdeviceptr memory) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = image.handle;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory;
  copy.dstPitch = kBytes;
  copy.WidthInBytes = kBytes;
  copy.Height = 1;
  return copy;
}

}  // namespace

// ---- copies -----------------------------------------------------------------------------------

static void copy_in_a_stream(Program& p) {
  std::array<int, kWidth> values{};
  const std::size_t home = p.any_home();
  const CUdeviceptr memory = p.memory.use(home, p.memory.any());
  Image image = make(p, kHeight);
  CUDA_MEMCPY3D in = row_to(image, memory);
  if (!p.keep(Rule::copies_stay_within_the_array)) in.dstY = kHeight;
  cuMemcpy3DAsync_v2(&in, p.handle(home));
  const CUDA_MEMCPY2D out = row_from(image, memory);
  cuMemcpy2DAsync_v2(&out, p.handle(home));
  p.move(image.state, Via::used);
  cuMemcpyAtoHAsync_v2(values.data(), image.handle, 0, kBytes, p.handle(home));
  p.work(home);
  p.wait(home);
  destroy(p, image);
}

static void copy_in_the_default_stream(Program& p) {
  std::array<int, kWidth> values{};
  const CUdeviceptr memory = p.memory.use(kDefault, p.memory.any());
  Image one = make(p);
  Image other = make(p);
  const CUDA_MEMCPY3D in = row_to(one, memory);
  const CUDA_MEMCPY2D out = row_from(other, memory);
  cuMemcpyHtoA_v2(one.handle, 0, values.data(), kBytes);
  cuMemcpyAtoA_v2(other.handle, 0, one.handle, 0, kBytes);
  cuMemcpyAtoD_v2(memory, other.handle, 0, kBytes);
  cuMemcpyDtoA_v2(one.handle, 0, memory, kBytes);
  cuMemcpy3D_v2(&in);
  cuMemcpy2D_v2(&out);
  cuMemcpy2DUnaligned_v2(&out);
  cuMemcpyAtoH_v2(values.data(), one.handle, 0, kBytes);
  p.move(one.state, Via::used);
  p.work(kDefault);
  p.wait(kDefault);
  destroy(p, one);
  destroy(p, other);
}

static void copy_in_the_threads_stream(Program& p) {
  std::array<int, kWidth> values{};
  const CUdeviceptr memory = p.memory.use(kPerThread, p.memory.any());
  Image one = make(p);
  Image other = make(p);
  const CUDA_MEMCPY3D in = row_to(one, memory);
  const CUDA_MEMCPY2D out = row_from(other, memory);
  cuMemcpyHtoA_v2_ptds(one.handle, 0, values.data(), kBytes);
  cuMemcpyAtoA_v2_ptds(other.handle, 0, one.handle, 0, kBytes);
  cuMemcpyAtoD_v2_ptds(memory, other.handle, 0, kBytes);
  cuMemcpyDtoA_v2_ptds(one.handle, 0, memory, kBytes);
  cuMemcpy3D_v2_ptds(&in);
  cuMemcpy2D_v2_ptds(&out);
  cuMemcpy2DUnaligned_v2_ptds(&out);
  cuMemcpyAtoH_v2_ptds(values.data(), one.handle, 0, kBytes);
  p.move(one.state, Via::used);
  p.work(kPerThread);
  p.wait(kPerThread);
  destroy(p, one);
  destroy(p, other);
}

// ---- lives ------------------------------------------------------------------------------------

static void ask(Program& p) {
  Image image = make(p);
  CUDA_ARRAY_DESCRIPTOR plane{};
  CUDA_ARRAY3D_DESCRIPTOR whole{};
  cuArrayGetDescriptor_v2(&plane, image.handle);
  cuArray3DGetDescriptor_v2(&whole, image.handle);
  p.check(plane.Width == kWidth && whole.Width == kWidth, "an array is as wide as it was made");
  destroy(p, image);
  if (!p.keep(Rule::arrays_are_alive)) cuArrayGetDescriptor_v2(&plane, image.handle);
  if (!p.keep(Rule::arrays_are_destroyed_once)) cuArrayDestroy(image.handle);
}

/// Two streams write an array, one after the other.
static void share(Program& p) {
  Image image = make(p);
  fill(p, image, 0);
  if (p.keep(Rule::streams_use_arrays_in_an_order)) p.hand_over(0, 1);
  fill(p, image, 1);
  p.wait(1);
  p.wait(0);
  destroy(p, image);
}

/// A destruction is not sure to wait for what is in flight.
static void destroy_what_is_in_flight(Program& p) {
  const bool kept = p.keep(Rule::arrays_are_waited_for_before_their_end);
  for (int i = 0; i < (kept ? 1 : 64); ++i) {
    Image image = make(p);
    fill(p, image, 0);
    if (kept) p.wait(0);
    destroy(p, image);
  }
}

/// Two levels: one is written, the other queried.
static void use_levels(Program& p) {
  const CUDA_ARRAY3D_DESCRIPTOR wanted{kWidth, 0, 0, CU_AD_FORMAT_SIGNED_INT32, 1, 0};
  CUmipmappedArray whole = nullptr;
  cuMipmappedArrayCreate(&whole, &wanted, 2);
  Image first;
  p.move(first.state, Via::created);
  CUarray second = nullptr;
  cuMipmappedArrayGetLevel(&first.handle, whole, 0);
  cuMipmappedArrayGetLevel(&second, whole, p.keep(Rule::there_is_that_level) ? 1 : 2);
  fill(p, first, 0);
  CUDA_ARRAY3D_DESCRIPTOR found{};
  cuArray3DGetDescriptor_v2(&found, second);
  p.check(found.Width == kWidth / 2, "a level is half of the one before");
  p.wait(0);
  cuMipmappedArrayDestroy(whole);
  p.move(first.state, Via::destroyed);
  if (!p.keep(Rule::levels_are_used_while_the_whole_lives))
    cuArray3DGetDescriptor_v2(&found, second);
  if (!p.keep(Rule::mipmapped_arrays_are_destroyed_once)) cuMipmappedArrayDestroy(whole);
}

// ---- textures and surfaces --------------------------------------------------------------------

static void read_a_texture(Program& p) {
  const std::size_t home = p.any_home();
  Memory out = p.memory.make(Kind::plain, home);
  const CUdeviceptr memory = p.memory.use(home, out);
  Image image = make(p);
  fill(p, image, home);
  Handle texture = make_texture(p, resource_of(image));
  p.wait(home);
  if (!p.keep(Rule::arrays_outlive_their_textures)) cuArrayDestroy(image.handle);
  fetch(p, home, texture, memory);
  p.wait(home);
  destroy_texture(p, texture);
  if (!p.keep(Rule::textures_are_alive)) fetch(p, home, texture, memory);
  if (!p.keep(Rule::textures_are_destroyed_once)) cuTexObjectDestroy(texture.handle);
  destroy(p, image);
  p.memory.leave(out);
}

static void read_linear_memory(Program& p) {
  const std::size_t home = p.any_home();
  Memory source = p.memory.make(Kind::plain, home);
  Memory out = p.memory.make(Kind::plain, home);
  p.set(home, p.memory.use(home, source));
  const std::size_t offset = p.keep(Rule::textures_begin_where_they_may) ? 0 : 4;
  Handle texture = make_texture(p, resource_of(source.address + offset));
  fetch(p, home, texture, p.memory.use(home, out));
  p.wait(home);
  destroy_texture(p, texture);
  p.memory.leave(source);
  p.memory.leave(out);
}

static void ask_a_texture(Program& p) {
  Image image = make(p);
  CUDA_RESOURCE_DESC resource = resource_of(image);
  CUDA_TEXTURE_DESC sampling{};
  CUDA_RESOURCE_VIEW_DESC view{};
  view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
  view.width = kWidth;
  Handle texture;
  cuTexObjectCreate(&texture.handle, &resource, &sampling, &view);
  p.move(texture.state, Via::created);
  cuTexObjectGetResourceDesc(&resource, texture.handle);
  cuTexObjectGetTextureDesc(&sampling, texture.handle);
  cuTexObjectGetResourceViewDesc(&view, texture.handle);
  p.check(resource.res.array.hArray == image.handle, "a texture knows its array");
  destroy_texture(p, texture);
  destroy(p, image);
}

static void write_a_surface(Program& p) {
  const std::size_t home = p.any_home();
  Image image = make(p, kHeight, CUDA_ARRAY3D_SURFACE_LDST);
  CUDA_RESOURCE_DESC resource = resource_of(image);
  Handle surface;
  cuSurfObjectCreate(&surface.handle, &resource);
  p.move(surface.state, Via::created);
  cuSurfObjectGetResourceDesc(&resource, surface.handle);
  void* parameters[] = {&surface.handle};
  cuLaunchKernel(kernel(p, "add_one_to_surface"), kHeight, 1, 1, kWidth, 1, 1, 0, p.handle(home),
                 parameters, nullptr);
  p.move(surface.state, Via::used);
  p.work(home);
  p.wait(home);
  cuSurfObjectDestroy(surface.handle);
  p.move(surface.state, Via::destroyed);
  if (!p.keep(Rule::surfaces_are_destroyed_once)) cuSurfObjectDestroy(surface.handle);
  destroy(p, image);
}

Steps array_steps() {
  static constexpr Program::Step kSteps[] = {copy_in_a_stream,
                                             copy_in_the_default_stream,
                                             copy_in_the_threads_stream,
                                             ask,
                                             share,
                                             destroy_what_is_in_flight,
                                             use_levels,
                                             read_a_texture,
                                             read_linear_memory,
                                             ask_a_texture,
                                             write_a_surface};
  return kSteps;
}

}  // namespace harness::testing::sound
