// SPDX-License-Identifier: Apache-2.0
// Kernels: modules and libraries, queries of functions, and launches.
#include "harness/devices/tests/sound_programs/steps.h"

extern "C" {
extern const harness::KernelImage afterlife_kernels_pointers;
}

namespace harness::testing::sound {

namespace {

struct Module {
  CUmodule handle = nullptr;
  CUfunction add_one = nullptr;
  State state = State::module_none;
};

Module load(Program& p) {
  Module module;
  if (p.coin())
    cuModuleLoadData(&module.handle, &afterlife_kernels_conformance);
  else
    cuModuleLoadDataEx(&module.handle, &afterlife_kernels_conformance, 0, nullptr, nullptr);
  p.move(module.state, Via::loaded);
  const bool there = p.keep(Rule::functions_are_in_the_module);
  cuModuleGetFunction(&module.add_one, module.handle, there ? "add_one" : "subtract_one");
  p.move(module.state, Via::function_taken);
  return module;
}

void unload(Program& p, Module& module) {
  cuModuleUnload(module.handle);
  p.move(module.state, Via::unloaded);
}

}  // namespace

static void own_module(Program& p) {
  const std::size_t home = p.any_home();
  Module module = load(p);
  p.add_one(home, p.memory.use(home, p.memory.any()), module.add_one);
  p.move(module.state, Via::launched);
  p.wait(home);
  p.move(module.state, Via::waited_for);
  unload(p, module);
  if (!p.keep(Rule::modules_are_alive)) p.add_one(home, p.memory.any().address, module.add_one);
  if (!p.keep(Rule::modules_are_unloaded_once)) cuModuleUnload(module.handle);
}

static void unused_module(Program& p) {
  Module module = load(p);
  unload(p, module);
}

/// A launch runs to its end, whether its module waits for it or goes before.
static void module_goes_before_its_work(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  Module module = load(p);
  p.add_one(0, p.memory.use(0, memory), module.add_one);
  p.move(module.state, Via::launched);
  unload(p, module);
  p.wait(0);
  p.memory.leave(memory);
}

static void ask(Program& p) {
  int value = 0;
  cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, p.kernel);
  const bool known = p.keep(Rule::function_attributes_are_known);
  cuFuncSetAttribute(p.kernel,
                     known ? CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                           : static_cast<CUfunction_attribute>(99),
                     1024);
  std::size_t offset = 0;
  std::size_t bytes = 0;
  cuFuncGetParamInfo(p.kernel, p.keep(Rule::parameters_are_there) ? 1 : 9, &offset, &bytes);
  int blocks = 0;
  cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, p.kernel, 32, 0);
}

static void ask_how_many_fit(Program& p) {
  int grid = 0;
  int block = 0;
  int blocks = 0;
  std::size_t bytes = 0;
  cuOccupancyMaxPotentialBlockSize(&grid, &block, p.kernel, nullptr, 0, 0);
  cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, p.kernel, nullptr, 0, 0, 0);
  cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, p.kernel, block, 0, 0);
  p.check(blocks > 0, "some block fits");
  cuOccupancyAvailableDynamicSMemPerBlock(&bytes, p.kernel, blocks, block);
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  CUlaunchAttribute one_block{};
  one_block.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  one_block.value.clusterDim = {1, 1, 1};
  config.attrs = &one_block;
  config.numAttrs = 1;
  cuOccupancyMaxPotentialClusterSize(&block, p.kernel, &config);
  cuOccupancyMaxActiveClusters(&blocks, p.kernel, &config);
  p.check(block > 0 && blocks > 0, "a cluster of one block fits");
}

static void ask_for_names(Program& p) {
  CUmodule module = nullptr;
  CUmoduleLoadingMode mode{};
  CUfunctionLoadingState state{};
  const char* name = nullptr;
  unsigned count = 0;
  CUfunction first = nullptr;
  cuModuleGetLoadingMode(&mode);
  cuFuncGetModule(&module, p.kernel);
  cuModuleGetFunctionCount(&count, module);
  cuModuleEnumerateFunctions(&first, 1, module);
  cuFuncGetName(&name, first);
  p.check(count > 0 && name != nullptr, "a function with a name");
  cuFuncLoad(p.kernel);
  cuFuncIsLoaded(&state, p.kernel);
  cuFuncSetCacheConfig(p.kernel, CU_FUNC_CACHE_PREFER_EQUAL);
}

// ---- launches ---------------------------------------------------------------------------------

static void launch(Program& p) {
  const std::size_t home = p.any_home();
  p.add_one(home, p.memory.use(home, p.memory.any()));
}

static void launch_with_config(Program& p) {
  const std::size_t home = p.any_home();
  CUdeviceptr address = p.memory.use(home, p.memory.any());
  int count = 16;
  void* parameters[] = {&address, &count};
  CUlaunchConfig config{};
  config.gridDimX = p.keep(Rule::grids_are_not_empty) ? 2 : 0;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 8;
  config.hStream = p.handle(home);
  if (home == kPerThread && p.coin()) config.hStream = nullptr;
  if (home == kPerThread)
    cuLaunchKernelEx_ptsz(&config, p.kernel, parameters, nullptr);
  else
    cuLaunchKernelEx(&config, p.kernel, parameters, nullptr);
  p.work(home);
}

static void launch_with_a_buffer(Program& p) {
  struct {
    CUdeviceptr address;
    int count = 16;
  } packed{};
  const std::size_t home = p.any_home();
  packed.address = p.memory.use(home, p.memory.any());
  std::size_t bytes = sizeof packed.address + sizeof packed.count;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  void* parameters[] = {&packed.address, &packed.count};
  const bool one = p.keep(Rule::parameters_come_in_one_way);
  cuLaunchKernel(p.kernel, 2, 1, 1, 8, 1, 1, 0, p.handle(home), one ? nullptr : parameters, extra);
  p.work(home);
}

/// The deprecated way: what is launched is set on the function, and again after cuLaunchKernel.
static void launch_what_was_set(Program& p) {
  const std::size_t home = p.any_home();
  CUdeviceptr address = p.memory.use(home, p.memory.any());
  cuFuncSetBlockShape(p.kernel, 8, 1, 1);
  cuFuncSetSharedSize(p.kernel, 0);
  cuParamSetv(p.kernel, 0, &address, sizeof address);
  if (p.coin())
    cuParamSeti(p.kernel, sizeof address, 16);
  else
    cuParamSetf(p.kernel, sizeof address, 0);  // No thread is below a count of 0.
  cuParamSetSize(p.kernel, p.keep(Rule::launches_have_their_parameters) ? 12 : 8);
  if (home != kDefault)
    cuLaunchGridAsync(p.kernel, 2, 1, p.handle(home));
  else if (p.coin())
    cuLaunchGrid(p.kernel, 2, 1);
  else
    cuLaunch(p.kernel);
  p.work(home);
  if (p.dropped()) return;
  p.add_one(home, p.memory.use(home, p.memory.any()));
  if (!p.keep(Rule::launches_are_set_again_after_cuLaunchKernel)) cuLaunch(p.kernel);
}

/// A kernel's memory lives until the kernel is done.
static void kernel_within_its_memory(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  CUdeviceptr address = p.memory.use(0, memory);
  int count = 4;
  void* parameters[] = {&address, &count};
  if (!p.keep(Rule::kernels_stay_within_memory)) address += std::size_t{1} << 32;
  cuLaunchKernel(p.kernel, 1, 1, 1, 4, 1, 1, 0, p.handle(0), parameters, nullptr);
  p.work(0);
  p.wait(0);
  p.memory.leave(memory);
}

/// A pointer in device memory is as good as its target.
static void follow_a_pointer(Program& p) {
  CUmodule module = nullptr;
  CUfunction follow = nullptr;
  cuModuleLoadData(&module, &afterlife_kernels_pointers);
  cuModuleGetFunction(&follow, module, "follow");
  Memory target = p.memory.make(Kind::plain, 0);
  Memory table = p.memory.make(Kind::plain, 0);
  Memory out = p.memory.make(Kind::plain, 0);
  cuMemcpyHtoDAsync_v2(table.address, &target.address, sizeof target.address, p.handle(0));
  p.work(0);
  const bool alive = p.keep(Rule::pointers_in_memory_are_alive);
  if (!alive) p.memory.free(target);
  void* parameters[] = {&table.address, &out.address};
  cuLaunchKernel(follow, 1, 1, 1, 1, 1, 1, 0, p.handle(0), parameters, nullptr);
  p.work(0);
  p.wait(0);
  if (alive) p.memory.leave(target);
  p.memory.leave(table);
  p.memory.leave(out);
  cuModuleUnload(module);
}

// ---- libraries --------------------------------------------------------------------------------

static void library(Program& p) {
  State state = State::library_none;
  CUlibrary library = nullptr;
  cuLibraryLoadData(&library, &afterlife_kernels_conformance, nullptr, nullptr, 0, nullptr, nullptr,
                    0);
  p.move(state, Via::loaded);
  CUkernel kernel = nullptr;
  cuLibraryGetKernel(&kernel, library,
                     p.keep(Rule::kernels_are_in_the_library) ? "add_one" : "subtract_one");
  p.move(state, Via::function_taken);
  CUlibrary owner = nullptr;
  cuKernelGetLibrary(&owner, kernel);
  p.check(owner == library, "the kernel's library");
  int threads = 0;
  cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0);
  std::size_t offset = 0;
  cuKernelGetParamInfo(kernel, 1, &offset, nullptr);
  unsigned count = 0;
  cuLibraryGetKernelCount(&count, library);
  CUkernel first = nullptr;
  cuLibraryEnumerateKernels(&first, 1, library);
  const char* name = nullptr;
  cuKernelGetName(&name, first);
  p.check(count > 0 && name != nullptr, "a kernel with a name");
  cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, kernel, 0);
  cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_NONE, 0);
  CUfunction function = nullptr;
  cuKernelGetFunction(&function, kernel);
  const std::size_t home = p.any_home();
  p.add_one(home, p.memory.use(home, p.memory.any()),
            p.coin() ? function : reinterpret_cast<CUfunction>(kernel));
  p.move(state, Via::launched);
  p.wait(home);
  p.move(state, Via::waited_for);
  cuLibraryUnload(library);
  p.move(state, Via::unloaded);
  if (!p.keep(Rule::libraries_are_alive)) cuLibraryGetKernel(&kernel, library, "add_one");
  if (!p.keep(Rule::libraries_are_unloaded_once)) cuLibraryUnload(library);
}

Steps kernel_steps() {
  static constexpr Program::Step kSteps[] = {
      own_module,
      unused_module,
      module_goes_before_its_work,
      ask,
      ask_how_many_fit,
      ask_for_names,
      launch,
      launch_with_config,
      launch_with_a_buffer,
      launch_what_was_set,
      kernel_within_its_memory,
      library,
      follow_a_pointer,
  };
  return kSteps;
}

}  // namespace harness::testing::sound
