// SPDX-License-Identifier: Apache-2.0
// Kernels compiled by our libnvrtc.so.13 and run by our libcuda.so.1. Results do not depend on the
// compiler, nor on whether a toolkit's headers or ours are used.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "harness/client/tests/inside/libcuda_stage.h"
#include "harness/device_code/tests/nvrtc/nvrtc_stage.h"

namespace harness::testing {
namespace {

using nvrtc::Result;
using ::testing::ElementsAre;
using ::testing::ExitedWithCode;

#define AFTERLIFE_CU(name) (cuda_.get(#name, &DriverTable::name))

/// The driver's functions, by name.
struct Driver {
  void* library = nullptr;
  template <class Function>
  Function get(const char* name, Function DriverTable::*) const {
    return reinterpret_cast<Function>(dlsym(library, name));
  }
};

class NvrtcKernels : public NvrtcBy {
 protected:
  void SetUp() override {
    NvrtcBy::SetUp();
    if (IsSkipped()) return;
    why_no_gpu();  // Which has to be asked first.
    cuda_.library = dlopen(own_libcuda().c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(cuda_.library, nullptr) << dlerror();
    ASSERT_EQ(AFTERLIFE_CU(cuInit)(0), CUDA_SUCCESS);
    CUcontext context = nullptr;
    ASSERT_EQ(AFTERLIFE_CU(cuDevicePrimaryCtxRetain)(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(AFTERLIFE_CU(cuCtxSetCurrent)(context), CUDA_SUCCESS);
  }

  /// The first of these expressions as a kernel, from the image for a real architecture.
  CUfunction kernel(const std::string& source, const char* expression,
                    std::vector<const char*> options = {}) const {
    options.push_back("-arch=sm_80");
    const Tried tried = compile(nvrtc(), {source, options, {expression}});
    EXPECT_EQ(tried.result, Result::SUCCESS) << tried.log;
    if (tried.result != Result::SUCCESS) return nullptr;
    CUmodule module = nullptr;
    CUfunction found = nullptr;
    EXPECT_EQ(AFTERLIFE_CU(cuModuleLoadData)(&module, tried.cubin.c_str()), CUDA_SUCCESS);
    EXPECT_EQ(AFTERLIFE_CU(cuModuleGetFunction)(&found, module, tried.names[0].c_str()),
              CUDA_SUCCESS);
    return found;
  }

  /// Runs a kernel on a copy of the values, and returns the results.
  template <class T>
  std::vector<T> run(CUfunction kernel, unsigned blocks, unsigned threads,
                     std::vector<T> values) const {
    CUdeviceptr address = 0;
    const std::size_t bytes = values.size() * sizeof(T);
    EXPECT_EQ(AFTERLIFE_CU(cuMemAlloc_v2)(&address, bytes), CUDA_SUCCESS);
    EXPECT_EQ(AFTERLIFE_CU(cuMemcpyHtoD_v2)(address, values.data(), bytes), CUDA_SUCCESS);
    void* parameters[] = {&address};
    EXPECT_EQ(AFTERLIFE_CU(cuLaunchKernel)(kernel, blocks, 1, 1, threads, 1, 1, 0, nullptr,
                                           parameters, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(AFTERLIFE_CU(cuMemcpyDtoH_v2)(values.data(), address, bytes), CUDA_SUCCESS);
    EXPECT_EQ(AFTERLIFE_CU(cuMemFree_v2)(address), CUDA_SUCCESS);
    return values;
  }

  Driver cuda_;
};

TEST_P(NvrtcKernels, TemplateKernelsReadTheirThreadIndices) {
  const CUfunction scale = kernel(
      "template <class T> __global__ void scale(T* p) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  p[i] = p[i] * gridDim.x + warpSize;\n}\n",
      "scale<double>");
  EXPECT_THAT(run<double>(scale, 2, 2, {0, 1, 2, 3}), ElementsAre(32, 34, 36, 38));
}

TEST_P(NvrtcKernels, ReduceInSharedMemoryAndByShuffles) {
  const CUfunction sum = kernel(
      "__global__ void sum(int* p) {\n"
      "  __shared__ int all[64];\n"
      "  const int t = threadIdx.x;\n"
      "  all[t] = p[t];\n  __syncthreads();\n"
      "  for (int half = 32; half > 0; half /= 2) {\n"
      "    if (t < half) all[t] += all[t + half];\n    __syncthreads();\n  }\n"
      "  int lane = p[t];\n"
      "  for (int step = 16; step > 0; step /= 2) lane += __shfl_down_sync(0xffffffff, lane, "
      "step);\n"
      "  const long long other = __shfl_xor_sync(0xffffffff, (long long)t << 33, 1);\n"
      "  const unsigned odd = __ballot_sync(0xffffffff, t & 1);\n"
      "  const int up = __shfl_up_sync(0xffffffff, t, 3), first = __shfl_sync(0xffffffff, t, 5);\n"
      "  __syncthreads();\n"
      "  if (t == 0) { p[0] = all[0]; p[1] = lane; p[2] = int(other >> 33); p[3] = odd; }\n"
      "  if (t == 33) { p[4] = up; p[5] = first; p[6] = __any_sync(1u << 1, 0); }\n}\n",
      "sum");
  std::vector<int> values(64);
  for (int i = 0; i < 64; ++i) values[static_cast<std::size_t>(i)] = i;
  values = run(sum, 1, 64, values);
  values.resize(7);
  EXPECT_THAT(values, ElementsAre(2016, 496, 1, static_cast<int>(0xaaaaaaaa), 33, 37, 0));
}

TEST_P(NvrtcKernels, UpdateMemoryByAtomics) {
  const CUfunction atomics = kernel(
      "__global__ void atomics(unsigned* p) {\n"
      "  const unsigned t = threadIdx.x;\n"
      "  atomicAdd(&p[0], t);\n  atomicSub(&p[1], 1u);\n"
      "  atomicMin((int*)&p[2], -(int)t);\n  atomicMax(&p[3], t);\n"
      "  atomicAnd(&p[4], ~(1u << t));\n  atomicOr(&p[5], 1u << t);\n  atomicXor(&p[6], 3u);\n"
      "  atomicInc(&p[7], 5u);\n  atomicDec(&p[8], 5u);\n"
      "  atomicAdd((float*)&p[9], 0.5f);\n"
      "  atomicCAS(&p[10], t, t + 1);\n"
      "  atomicExch(&p[11], 9u);\n"
      "  atomicAdd((unsigned long long*)&p[12], 1ull << 32);\n"
      "  atomicAdd((double*)&p[14], 0.25);\n}\n",
      "atomics");
  std::vector<unsigned> values(16);
  values[1] = 64, values[4] = ~0U;
  EXPECT_THAT(run(atomics, 1, 32, values),
              ElementsAre(496u, 32u, static_cast<unsigned>(-31), 31u, 0u, ~0U, 0u, 2u, 4u,
                          0x41800000u, 32u, 9u, 0u, 32u, 0u, 0x40200000u));
}

// ---- mathematics --------------------------------------------------------------------------------

struct Case {
  const char* call;
  double (*reference)(double);
};

constexpr Case kCases[] = {
    {"exp(x)", [](double x) { return std::exp(x); }},
    {"exp2(x)", [](double x) { return std::exp2(x); }},
    {"expm1(x)", [](double x) { return std::expm1(x); }},
    {"log(x)", [](double x) { return std::log(x); }},
    {"log2(x)", [](double x) { return std::log2(x); }},
    {"log10(x)", [](double x) { return std::log10(x); }},
    {"log1p(x)", [](double x) { return std::log1p(x); }},
    {"sin(x)", [](double x) { return std::sin(x); }},
    {"cos(x)", [](double x) { return std::cos(x); }},
    {"tan(x)", [](double x) { return std::tan(x); }},
    {"asin(x)", [](double x) { return std::asin(x); }},
    {"acos(x)", [](double x) { return std::acos(x); }},
    {"atan(x)", [](double x) { return std::atan(x); }},
    {"atan2(x, 2.0)", [](double x) { return std::atan2(x, 2.0); }},
    {"atan2(x, -3.0)", [](double x) { return std::atan2(x, -3.0); }},
    {"sinh(x)", [](double x) { return std::sinh(x); }},
    {"cosh(x)", [](double x) { return std::cosh(x); }},
    {"tanh(x)", [](double x) { return std::tanh(x); }},
    {"cbrt(x)", [](double x) { return std::cbrt(x); }},
    {"sqrt(x)", [](double x) { return std::sqrt(x); }},
    {"rsqrt(x)", [](double x) { return 1 / std::sqrt(x); }},
    {"pow(x, 3.0)", [](double x) { return std::pow(x, 3.0); }},
    {"pow(x, -0.75)", [](double x) { return std::pow(x, -0.75); }},
    {"pow(1.5, x)", [](double x) { return std::pow(1.5, x); }},
    {"fmod(x, 0.7)", [](double x) { return std::fmod(x, 0.7); }},
    {"hypot(x, 3.0)", [](double x) { return std::hypot(x, 3.0); }},
    {"floor(x)", [](double x) { return std::floor(x); }},
    {"ceil(x)", [](double x) { return std::ceil(x); }},
    {"trunc(x)", [](double x) { return std::trunc(x); }},
    {"round(x)", [](double x) { return std::round(x); }},
    {"rint(x)", [](double x) { return std::rint(x); }},
    {"fabs(x)", [](double x) { return std::fabs(x); }},
    {"fmax(x, 1.0)", [](double x) { return std::fmax(x, 1.0); }},
    {"fmin(x, 1.0)", [](double x) { return std::fmin(x, 1.0); }},
    {"copysign(2.0, x)", [](double x) { return std::copysign(2.0, x); }},
    {"fma(x, x, 1.0)", [](double x) { return std::fma(x, x, 1.0); }},
};

std::vector<double> arguments() {
  std::vector<double> all{0.0,   -0.0,   1.0,      -1.0,      0.5,    -0.5,   2.5,      -2.5,
                          1e-12, -1e-12, 1e-300,   1e300,     -1e300, 709.5,  -745.0,   710.0,
                          1000,  -1000,  INFINITY, -INFINITY, NAN,    123456, -54321.5, 5e-324};
  for (double x = -30; x < 30; x += 0.37) all.push_back(x);
  return all;
}

/// Expects values within their error bound, equal infinities, or two NaNs.
bool is_near(double value, double wanted, double relative) {
  if (std::isnan(wanted)) return std::isnan(value);
  if (std::isinf(wanted)) return value == wanted;
  return std::fabs(value - wanted) <= relative * std::fabs(wanted) + 1e-307;
}

TEST_P(NvrtcKernels, ComputeTheValuesOfTheHostLibrary) {
  std::string source = "__global__ void calculate(double* p) {\n  const double x = *p;\n";
  std::size_t count = 0;
  for (const Case& one : kCases) source += fmt::format("  p[{}] = {};\n", count++, one.call);
  const CUfunction calculate = kernel(source + "}\n", "calculate");
  for (const double x : arguments()) {
    std::vector<double> values(count);
    values[0] = x;
    values = run(calculate, 1, 1, values);
    for (std::size_t i = 0; i < count; ++i) {
      const double wanted = kCases[i].reference(x);
      // Trigonometry of our own headers ends at 1e6.
      if (std::fabs(x) > 1e6 &&
          std::string_view("sct").find(kCases[i].call[0]) != std::string_view::npos)
        continue;
      EXPECT_TRUE(is_near(values[i], wanted, 4e-13))
          << kCases[i].call << " of " << x << ": " << values[i] << ", not " << wanted;
    }
  }
}

TEST_P(NvrtcKernels, ComputeInSinglePrecision) {
  const CUfunction calculate = kernel(
      "__global__ void calculate(float* p) {\n  const float x = *p;\n"
      "  p[0] = sinf(x); p[1] = expf(x); p[2] = powf(x, 2.5f); p[3] = logf(x); p[4] = sqrtf(x);\n"
      "  p[5] = tanhf(x); p[6] = fmaxf(x, 2.0f); p[7] = __expf(x); p[8] = min(3, int(x));\n"
      "  p[9] = __int_as_float(__float_as_int(x)); p[10] = __popc(255) + __clz(1) + __ffs(8);\n"
      "  p[11] = fabsf(-x) + floorf(x) + isnan(x) + max(1u, 2u) + __umulhi(1u << 31, 4);\n}\n",
      "calculate");
  for (const float x : {0.1F, 1.7F, 2.9F}) {
    std::vector<float> values(12);
    values[0] = x;
    const double wanted[] = {std::sin(x),        std::exp(x),
                             std::pow(x, 2.5F),  std::log(x),
                             std::sqrt(x),       std::tanh(x),
                             std::fmax(x, 2.0F), std::exp(x),
                             std::trunc(x),      x,
                             8 + 31 + 4,         x + std::floor(x) + 2 + 2};
    values = run(calculate, 1, 1, values);
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i], wanted[i], 2e-6 * std::fabs(wanted[i])) << i << " of " << x;
  }
}

TEST_P(NvrtcKernels, ComputeInHalfPrecision) {
  const CUfunction calculate = kernel(
      "#include <cuda_fp16.h>\n__global__ void calculate(float* p) {\n"
      "  const __half x = __float2half(p[0]), y = __float2half(p[1]);\n"
      "  p[0] = __half2float(x + y);\n  p[1] = __half2float(__hmul(x, y));\n"
      "  p[2] = __half2float(__hfma(x, y, x));\n  p[3] = __hlt(x, y) ? 1 : 0;\n"
      "  const __half2 both = __hadd2(__halves2half2(x, y), __float2half2_rn(1.0f));\n"
      "  p[4] = __low2float(both);\n  p[5] = __high2float(both);\n}\n",
      "calculate");
  EXPECT_THAT(run<float>(calculate, 1, 1, {1.5F, 2.25F, 0, 0, 0, 0}),
              ElementsAre(3.75F, 3.375F, 4.875F, 1, 2.5F, 3.25F));
}

/// By an array whose handles the kernel finds in memory.
TEST_P(NvrtcKernels, ReadTexturesAndSurfaces) {
  const CUfunction sample = kernel(
      "__global__ void sample(unsigned long long* p) {\n"
      "  const float2 v = tex2D<float2>(p[0], 2.5f, 0.5f);\n"
      "  const float far = tex2D<float>(p[0], 99.f, 0.5f);\n"
      "  const float2 w = surf2Dread<float2>(p[1], 8, 0);\n"
      "  const float none = surf2Dread<float>(p[1], -4, 0, cudaBoundaryModeZero);\n"
      "  surf2Dwrite(make_float2(v.x + w.x, far), p[1], 24, 0);\n"
      "  const int2 bits = surf2Dread<int2>(p[1], 24, 0);\n"
      "  p[2] = v.y, p[3] = none, p[4] = __int_as_float(bits.x), p[5] = "
      "__int_as_float(bits.y);\n}\n",
      "sample");
  const CUDA_ARRAY3D_DESCRIPTOR wanted{4, 1, 0, CU_AD_FORMAT_FLOAT, 2, CUDA_ARRAY3D_SURFACE_LDST};
  const float texels[] = {1, 2, 3, 4, 5, 6, 7, 8};
  CUDA_RESOURCE_DESC resource{};
  CUDA_TEXTURE_DESC sampling{};
  sampling.addressMode[0] = CU_TR_ADDRESS_MODE_CLAMP;
  std::vector<unsigned long long> values(6);
  ASSERT_EQ(AFTERLIFE_CU(cuArray3DCreate_v2)(&resource.res.array.hArray, &wanted), CUDA_SUCCESS);
  AFTERLIFE_CU(cuMemcpyHtoA_v2)(resource.res.array.hArray, 0, texels, sizeof texels);
  AFTERLIFE_CU(cuTexObjectCreate)(values.data(), &resource, &sampling, nullptr);
  AFTERLIFE_CU(cuSurfObjectCreate)(&values[1], &resource);
  values = run(sample, 1, 1, values);
  EXPECT_THAT(std::vector(values.begin() + 2, values.end()), ElementsAre(6u, 0u, 8u, 7u));
}

TEST_P(NvrtcKernels, HaveLocalMemory) {
  const CUfunction count = kernel(
      "__global__ void count(int* p) {\n"
      "  int* mine = static_cast<int*>(malloc(p[0] * sizeof(int)));\n"
      "  for (int i = 0; i < p[0]; ++i) mine[i] = i;\n"
      "  for (int i = 0; i < p[0]; ++i) p[1] += mine[i];\n"
      "  free(mine);\n"
      "}\n",
      "count");
  EXPECT_THAT(run<int>(count, 1, 1, {10, 0}), ElementsAre(10, 45));
}

// ---- ends ---------------------------------------------------------------------------------------

TEST_P(NvrtcKernels, PrintAndAssert) {
  const std::string source =
      "__global__ void say(int* p) { printf(\"%d and %.2f %s\\n\", *p, 2.5, \"wow\"); }\n"
      "__global__ void claim(int* p) { assert(*p == 5); }\n";
  EXPECT_EXIT(
      {
        dup2(2, 1);
        run<int>(kernel(source, "say"), 1, 1, {42});
        std::_Exit(7);
      },
      ExitedWithCode(7), "42 and 2.50 wow");
  EXPECT_EXIT(
      {
        const CUfunction claim = kernel(source, "claim");
        run<int>(claim, 1, 1, {5});
        std::fputs("then ", stderr);
        run<int>(claim, 1, 1, {6});
        std::_Exit(7);
      },
      ExitedWithCode(7), "then default_program:2: .*claim.*Assertion `\\*p == 5` failed");
}

INSTANTIATE_TEST_SUITE_P(By, NvrtcKernels, ::testing::Values("nvcc", "clang++-19"), compiler_name);

}  // namespace
}  // namespace harness::testing
