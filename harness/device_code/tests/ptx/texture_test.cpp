// SPDX-License-Identifier: Apache-2.0
// Programs whose PTX kernels read textures and surfaces: their results and their errors.
#include <gmock/gmock.h>

#include "harness/device_code/tests/ptx/program_stage.h"
#include "harness/device_code/tests/ptx/texture_stage.h"

namespace harness::testing {
namespace {

using ::testing::ElementsAre;

class PtxTextureProgram : public ProgramStage<TextureStage> {
 protected:
  PtxTextureProgram() : ProgramStage("textures.ptx") {}
};

TEST_F(PtxTextureProgram, ReadsByTexelIndexAndByCoordinate) {
  const Image image = make_image("2d", {CU_AD_FORMAT_FLOAT, 1});
  const CUtexObject texture = make_texture(image.array);
  const CUdeviceptr out = copy_of(std::vector<f32>(3));
  ASSERT_EQ(launch(kernel("read_texture"), 1, 1, 0, texture, out), CUDA_SUCCESS);
  const auto texel = [&](int x) {
    f32 value;
    std::memcpy(&value, image.texel(x, 0, 0), sizeof value);
    return value;
  };
  EXPECT_THAT(values_at<f32>(out, 3), ElementsAre(texel(1), texel(2), 0.0F));
  release(out);
}

TEST_F(PtxTextureProgram, QueriesExtents) {
  const Image plain = make_image("3d", {CU_AD_FORMAT_FLOAT, 1}, CUDA_ARRAY3D_SURFACE_LDST);
  const Image layered = make_image("a2d", {CU_AD_FORMAT_FLOAT, 1});
  CUDA_TEXTURE_DESC sampling{};
  sampling.flags = CU_TRSF_NORMALIZED_COORDINATES;
  const CUdeviceptr out = copy_of(std::vector<int>(7));
  const auto answers = [&](unsigned long long handle) {
    EXPECT_EQ(launch(kernel("ask_texture"), 1, 1, 0, handle, out), CUDA_SUCCESS);
    return values_at<int>(out, 7);
  };
  EXPECT_THAT(answers(make_texture(plain.array)), ElementsAre(1, 0, 5, 3, 4, 1, 0));
  EXPECT_THAT(answers(make_texture(layered.array, sampling)), ElementsAre(1, 0, 5, 3, 1, 4, 1));
  EXPECT_THAT(answers(make_surface(plain.array)), ElementsAre(0, 1, 5, 3, 4, 1, 9));
  release(out);
}

TEST_F(PtxTextureProgram, AReadOfADestroyedArrayNamesTheKernel) {
  const Image image = make_image("2d", {CU_AD_FORMAT_FLOAT, 1});
  const CUtexObject texture = make_texture(image.array);
  destroy(image);
  const CUdeviceptr out = copy_of(std::vector<f32>(3));
  expect_end(
      CUDA_ERROR_ILLEGAL_ADDRESS,
      "use_after_free CUDA array .*died:cuArrayDestroy used:read_texture 4 bytes at offset 4",
      "read_texture", texture, out);
  EXPECT_EQ(AFTERLIFE_CU(cuTexObjectDestroy)(texture), CUDA_SUCCESS);
  expect_end(CUDA_ERROR_ILLEGAL_ADDRESS, "use_after_free texture object .*used:read_texture",
             "read_texture", texture, out);
  release(out);
}

TEST_F(PtxTextureProgram, AnAccessOutsideASurfaceEndsTheKernel) {
  const Image image = make_image("2d", {CU_AD_FORMAT_UNSIGNED_INT8, 4}, CUDA_ARRAY3D_SURFACE_LDST);
  const CUsurfObject surface = make_surface(image.array);
  expect_end(CUDA_SUCCESS, "", "copy_in_surface", surface, 0, 16);
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "crash trap used:copy_in_surface outside of the surface",
             "copy_in_surface", surface, 0, 20);
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "crash trap used:copy_in_surface outside of the surface",
             "copy_in_surface", surface, -4, 0);
  expect_end(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address", "copy_in_surface", surface, 2, 0);
}

TEST_F(PtxTextureProgram, ACubeReadOfAnotherTextureEndsTheKernel) {
  const CUtexObject texture = make_texture(make_image("2d", {CU_AD_FORMAT_FLOAT, 1}).array);
  const CUdeviceptr out = copy_of(std::vector<f32>(4));
  expect_end(CUDA_ERROR_LAUNCH_FAILED,
             "crash instruction used:read_cube a direction into a texture that is no cube",
             "read_cube", texture, out);
  release(out);
}

TEST_F(PtxTextureProgram, AReductionRequiresTexelsOfItsSize) {
  const auto reduce = [&](CUarray_format channel, u32 channels, const char* words,
                          CUresult error = CUDA_ERROR_LAUNCH_FAILED) {
    const Image image = make_image("1d", {channel, channels}, CUDA_ARRAY3D_SURFACE_LDST);
    expect_end(error, words, "add_to_texel", make_surface(image.array), 4);
  };
  constexpr const char* kWords = "a reduction of texels that are no integers of its size";
  reduce(CU_AD_FORMAT_FLOAT, 1, kWords);
  reduce(CU_AD_FORMAT_UNSIGNED_INT16, 1, kWords);
  reduce(CU_AD_FORMAT_SIGNED_INT32, 1, "", CUDA_SUCCESS);
}

TEST_F(PtxTextureProgram, AReductionOutsideASurfaceEndsTheKernel) {
  const Image image = make_image("1d", {CU_AD_FORMAT_SIGNED_INT32, 1}, CUDA_ARRAY3D_SURFACE_LDST);
  const CUsurfObject surface = make_surface(image.array);
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "crash trap used:add_to_texel outside of the surface",
             "add_to_texel", surface, 5);
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "crash trap used:store_texel outside of the surface",
             "store_texel", surface, 5);
  expect_end(CUDA_SUCCESS, "", "store_texel", surface, 4);
}

TEST_F(PtxTextureProgram, AnUntranslatedInstructionIsNamed) {
  const CUtexObject texture = make_texture(make_image("2d", {CU_AD_FORMAT_FLOAT, 1}).array);
  const CUdeviceptr out = copy_of(std::vector<f32>(4));
  expect_end(CUDA_ERROR_LAUNCH_FAILED,
             "line [0-9]*: tld4.r.2d.v4.f32.f32 .a depth to compare with. is not translated",
             "gather_depths", texture, out);
  expect_end(CUDA_ERROR_LAUNCH_FAILED,
             "line [0-9]*: tex.2dms.v4.f32.s32 .that geometry. is not translated", "read_samples",
             texture, out);
  expect_end(CUDA_ERROR_LAUNCH_FAILED,
             "line [0-9]*: tex.2d.v4.f16.f32 .results of that type. is not translated",
             "read_halves", texture, out);
  expect_end(CUDA_ERROR_LAUNCH_FAILED,
             "line [0-9]*: tex.grad.cube.v4.f32.f32 .gradients of a direction. is not translated",
             "read_cube_by_gradients", texture, out);
  release(out);
}

}  // namespace
}  // namespace harness::testing
