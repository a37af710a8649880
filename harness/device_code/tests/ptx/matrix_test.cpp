// SPDX-License-Identifier: Apache-2.0
// Matrices distributed over the lanes of a warp. The reference is a product computed by three
// loops. The location of each element is taken from the ISA's figures, register by register.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <random>

#include "harness/device_code/tests/ptx/product_kernel.h"
#include "harness/device_code/tests/ptx/ptx_stage.h"

namespace harness::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ExitedWithCode;

/// An element of a matrix, and where a lane has it.
struct Place {
  std::size_t row;
  std::size_t column;
};

/// A type of elements: its size, and the bits that stand for a small integer.
struct Element {
  const char* name;
  std::size_t bytes;
  std::uint64_t (*bits)(int value);
};
std::uint64_t bits_of_half(int value) {
  // A sign, an exponent and ten digits of an integer that a half can be.
  if (value == 0) return 0;
  const auto magnitude = static_cast<unsigned>(std::abs(value));
  const int top = std::bit_width(magnitude) - 1;
  const unsigned digits = (magnitude << 10 >> top) & 0x3ff;
  return (value < 0 ? 0x8000u : 0u) | static_cast<unsigned>(top + 15) << 10 | digits;
}
std::uint64_t bits_of_float(int value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}
/// The same with this many digits, and that much added to the exponent.
std::uint64_t bits_of_byte(int value, int digits, int bias) {
  if (value == 0) return 0;
  const auto magnitude = static_cast<unsigned>(std::abs(value));
  const int top = std::bit_width(magnitude) - 1;
  const unsigned fraction = (magnitude << digits >> top) & ((1U << digits) - 1);
  return (value < 0 ? 0x80u : 0u) | static_cast<unsigned>(top + bias) << digits | fraction;
}
constexpr Element kElements[] = {
    {"f16", 2, bits_of_half},
    {"bf16", 2, [](int value) { return bits_of_float(value) >> 16; }},
    {"tf32", 4, [](int value) { return bits_of_float(value) | 0x1fff; }},
    {"e4m3", 1, [](int value) { return bits_of_byte(value, 3, 7); }},
    {"e5m2", 1, [](int value) { return bits_of_byte(value, 2, 15); }},
    {"s8", 1, [](int value) { return std::uint64_t{static_cast<std::uint8_t>(value)}; }},
    {"u8", 1, [](int value) { return std::uint64_t{static_cast<std::uint8_t>(value)}; }},
    {"f32", 4, bits_of_float},
    {"s32", 4, [](int value) { return std::uint64_t{static_cast<std::uint32_t>(value)}; }},
    {"f64", 8, [](int value) { return std::bit_cast<std::uint64_t>(static_cast<double>(value)); }},
};
const Element& element(const std::string& name) {
  for (const Element& one : kElements)
    if (one.name == name) return one;
  throw std::out_of_range(name);
}

struct Case {
  const char* shape;
  std::size_t rows;
  std::size_t depth;
  const char* a;
  const char* b;
  const char* c;
};

/// Elements of A that lane `lane` has, in the order of its registers.
std::vector<Place> places_of_a(const Case& one, std::size_t lane) {
  const std::size_t group = lane / 4, thread = lane % 4;
  const std::string name = std::string(one.shape) + " " + one.a;
  std::vector<Place> made;
  const auto add = [&](std::size_t row, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) made.push_back({row, first + i});
  };
  if (name == "m16n8k8 f16" || name == "m16n8k8 bf16" || name == "m16n8k16 f16" ||
      name == "m16n8k16 bf16") {
    for (std::size_t far = 0; far < one.depth; far += 8)
      add(group, thread * 2 + far, 2), add(group + 8, thread * 2 + far, 2);
  } else if (name == "m16n8k4 tf32" || name == "m16n8k8 tf32" || name == "m16n8k4 f64" ||
             name == "m16n8k8 f64" || name == "m16n8k16 f64") {
    for (std::size_t far = 0; far < one.depth; far += 4)
      add(group, thread + far, 1), add(group + 8, thread + far, 1);
  } else if (name == "m16n8k16 s8" || name == "m16n8k16 e4m3" || name == "m16n8k32 s8" ||
             name == "m16n8k32 e4m3" || name == "m16n8k32 e5m2") {
    for (std::size_t far = 0; far < one.depth; far += 16)
      add(group, thread * 4 + far, 4), add(group + 8, thread * 4 + far, 4);
  } else if (name == "m8n8k16 u8") {
    add(group, thread * 4, 4);
  } else {
    add(group, thread, 1);  // m8n8k4 f64
  }
  return made;
}

std::vector<Place> places_of_b(const Case& one, std::size_t lane) {
  const std::size_t group = lane / 4, thread = lane % 4;
  const std::size_t bytes = element(one.b).bytes;
  const std::size_t packed = bytes == 8 ? 1 : 4 / bytes;
  std::vector<Place> made;
  for (std::size_t far = 0; far < one.depth; far += 4 * packed)
    for (std::size_t i = 0; i < packed; ++i) made.push_back({thread * packed + far + i, group});
  return made;
}

std::vector<Place> places_of_c(const Case& one, std::size_t lane) {
  std::vector<Place> made;
  for (std::size_t down = 0; down < one.rows; down += 8)
    for (std::size_t i = 0; i < 2; ++i) made.push_back({lane / 4 + down, lane % 4 * 2 + i});
  return made;
}

/// The bytes of what all lanes hold.
using Places = std::vector<Place> (*)(const Case&, std::size_t);
std::vector<std::byte> held(const Case& one, Places places, const char* type,
                            const std::vector<int>& matrix, std::size_t columns) {
  const Element& kind = element(type);
  std::vector<std::byte> made;
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (const Place& place : places(one, lane)) {
      const std::uint64_t bits = kind.bits(matrix[place.row * columns + place.column]);
      const auto* bytes = reinterpret_cast<const std::byte*>(&bits);
      made.insert(made.end(), bytes, bytes + kind.bytes);
    }
  return made;
}

class PtxMatrix : public OnGpuToo<PtxStage> {
 protected:
  void SetUp() override {
    PtxStage::SetUp();
    if (library != nullptr) module_ = load(file("matrices.ptx"));
  }
  /// Compares a product with the result of three loops.
  void check(const Case& one, std::mt19937& random) const {
    const auto numbers = [&](std::size_t count, const char* type) {
      std::uniform_int_distribution<int> pick(type[0] == 'u' ? 0 : -4, 4);
      std::vector<int> made(count);
      for (int& value : made) value = pick(random);
      return made;
    };
    const std::vector<int> a = numbers(one.rows * one.depth, one.a);
    const std::vector<int> b = numbers(one.depth * 8, one.b);
    const std::vector<int> c = numbers(one.rows * 8, one.c);
    std::vector<int> d = c;
    for (std::size_t row = 0; row < one.rows; ++row)
      for (std::size_t column = 0; column < 8; ++column)
        for (std::size_t k = 0; k < one.depth; ++k)
          d[row * 8 + column] += a[row * one.depth + k] * b[k * 8 + column];
    EXPECT_EQ(product(one, held(one, places_of_a, one.a, a, one.depth),
                      held(one, places_of_b, one.b, b, 8), held(one, places_of_c, one.c, c, 8)),
              held(one, places_of_c, one.c, d, 8))
        << one.shape << " " << one.a << " " << one.c;
  }
  /// Expects a product of matrices whose elements are all alike.
  void expect_all(const Case& one, int a, int b, int c, int d) const {
    const auto all = [&](Places places, const char* type, std::size_t count, int value,
                         std::size_t columns) {
      return held(one, places, type, std::vector<int>(count, value), columns);
    };
    EXPECT_EQ(product(one, all(places_of_a, one.a, one.rows * one.depth, a, one.depth),
                      all(places_of_b, one.b, one.depth * 8, b, 8),
                      all(places_of_c, one.c, one.rows * 8, c, 8)),
              all(places_of_c, one.c, one.rows * 8, d, 8))
        << one.shape << " " << one.a << " " << one.c;
  }
  std::vector<std::byte> product(const Case& one, const std::vector<std::byte>& a,
                                 const std::vector<std::byte>& b,
                                 const std::vector<std::byte>& c) const {
    const CUdeviceptr x = copy_of(a), y = copy_of(b), z = copy_of(c);
    const CUdeviceptr to = copy_of(std::vector<std::byte>(c.size()));
    const std::string name = fmt::format("{}_{}_{}", one.shape, one.a, one.c);
    EXPECT_EQ(launch(function(module_, name.c_str()), 1, 32, 0, x, y, z, to), CUDA_SUCCESS);
    std::vector<std::byte> got = values_at<std::byte>(to, c.size());
    for (const CUdeviceptr address : {x, y, z, to}) release(address);
    return got;
  }

  CUmodule module_ = nullptr;
};

constexpr Case kCases[] = {
    {"m16n8k8", 16, 8, "f16", "f16", "f32"},     {"m16n8k16", 16, 16, "f16", "f16", "f32"},
    {"m16n8k8", 16, 8, "bf16", "bf16", "f32"},   {"m16n8k16", 16, 16, "bf16", "bf16", "f32"},
    {"m16n8k16", 16, 16, "f16", "f16", "f16"},   {"m16n8k4", 16, 4, "tf32", "tf32", "f32"},
    {"m16n8k8", 16, 8, "tf32", "tf32", "f32"},   {"m16n8k16", 16, 16, "s8", "u8", "s32"},
    {"m16n8k32", 16, 32, "s8", "s8", "s32"},     {"m8n8k16", 8, 16, "u8", "s8", "s32"},
    {"m8n8k4", 8, 4, "f64", "f64", "f64"},       {"m16n8k32", 16, 32, "e4m3", "e4m3", "f32"},
    {"m16n8k32", 16, 32, "e5m2", "e4m3", "f32"}, {"m16n8k16", 16, 16, "e4m3", "e5m2", "f32"},
    {"m16n8k32", 16, 32, "e4m3", "e4m3", "f16"},
};

TEST_P(PtxMatrix, AProductEqualsTheNaiveOne) {
  std::mt19937 random(1);
  for (const Case& one : kCases)
    for (int time = 0; time < 5; ++time) check(one, random);
}

/// Those that came with compute capability 9.0.
TEST_P(PtxMatrix, AProductOfDoublesMayHaveSixteenRows) {
  std::string text = product_header("sm_90");
  std::vector<Case> cases;
  for (const auto& [shape, depth] :
       {std::pair{"m16n8k4", 4u}, {"m16n8k8", 8u}, {"m16n8k16", 16u}}) {
    cases.push_back({shape, 16, depth, "f64", "f64", "f64"});
    text += product_kernel(fmt::format("{}_f64_f64", shape),
                           fmt::format("mma.sync.aligned.{}.row.col.f64.f64.f64.f64", shape),
                           {'a', depth / 2, "f64"}, {'b', depth / 4, "f64"}, {'c', 4, "f64"},
                           {'d', 4, "f64"});
  }
  module_ = load(text);
  std::mt19937 random(2);
  for (const Case& one : cases)
    for (int time = 0; time < 5; ++time) check(one, random);
}

TEST_P(PtxMatrix, AnIntegerProductSaturatesWithSatfinite) {
  const Case& one = kCases[8];
  constexpr int kMost = 0x7fffffff;
  expect_all(one, -128, 127, -kMost, -kMost - 1);
  expect_all(one, 127, 127, kMost, kMost);
}

TEST_P(PtxMatrix, AnIntegerProductWrapsWithoutSatfinite) {
  constexpr int kMost = 0x7fffffff;
  expect_all(kCases[7], 1, 1, kMost, -kMost - 1 + 15);  // Depth 16.
}

TEST_P(PtxMatrix, ASumOfProductsIsRoundedOnce) {
  // 2048 + 16 * (1 * 1) is not a f16 on the way, where every second odd number is lost; 2^24 + 16
  // so is not a f32.
  expect_all(kCases[4], 1, 1, 2048, 2064);
  expect_all(kCases[1], 1, 1, 1 << 24, (1 << 24) + 16);
}

TEST_P(PtxMatrix, ASumOfProductsIsRoundedToTheNearest) {
  const Case& one = kCases[4];
  std::vector<int> a(one.rows * one.depth);
  for (std::size_t row = 0; row < one.rows; ++row) a[row * one.depth] = 1;
  const std::vector<int> b(one.depth * 8, 3), c(one.rows * 8, 2048), d(one.rows * 8, 2052);
  EXPECT_EQ(product(one, held(one, places_of_a, one.a, a, one.depth),
                    held(one, places_of_b, one.b, b, 8), held(one, places_of_c, one.c, c, 8)),
            held(one, places_of_c, one.c, d, 8))
      << "2051 is between 2050 and 2052, and the latter is even";
}

/// The bytes of `count` values: the first of every four of these, else 0.
template <class T>
std::vector<std::byte> every_fourth(std::size_t count, T value) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; i += 4) values[i] = value;
  const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
  return {bytes, bytes + count * sizeof(T)};
}

TEST_P(PtxMatrix, AProductOfDoublesIsFused) {
  // Lane 4 * g has k = 0 of row g of A, and of column g of B: (2^27 + 1)^2 - (2^54 + 2^28) is 1.
  const double factor = 134217729.0;
  const std::vector<std::byte> ab = every_fourth(32, factor);
  std::vector<double> c(64, -(18014398509481984.0 + 268435456.0));
  const auto* bytes = reinterpret_cast<const std::byte*>(c.data());
  const std::vector<std::byte> got =
      product(kCases[10], ab, ab, {bytes, bytes + c.size() * sizeof(double)});
  std::vector<double> values(64);
  std::memcpy(values.data(), got.data(), got.size());
  EXPECT_THAT(values, Each(1.0));
}

TEST_P(PtxMatrix, ANanSumHasNoPayload) {
  const Case& one = kCases[1];
  const std::vector<int> a(one.rows * one.depth), b(one.depth * 8);
  const std::vector<std::uint32_t> c(128, 0xffc12345);
  const auto* bytes = reinterpret_cast<const std::byte*>(c.data());
  const std::vector<std::byte> got =
      product(one, held(one, places_of_a, one.a, a, one.depth), held(one, places_of_b, one.b, b, 8),
              {bytes, bytes + 4 * c.size()});
  std::vector<std::uint32_t> values(128);
  std::memcpy(values.data(), got.data(), got.size());
  EXPECT_THAT(values, Each(0x7fffffffu));
}

TEST_P(PtxMatrix, LanesLoadMatricesFromSharedMemory) {
  std::vector<std::uint16_t> in(256);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(i);
  const CUdeviceptr source = copy_of(in);
  const CUdeviceptr to = copy_of(std::vector<std::uint32_t>(256));
  ASSERT_EQ(launch(function(module_, "load_matrices"), 1, 32, 0, source, to), CUDA_SUCCESS);
  const std::vector<std::uint32_t> got = values_at<std::uint32_t>(to, 256);
  const auto pair = [](unsigned low, unsigned high) { return low | high << 16; };
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned row = lane / 4, column = lane % 4 * 2;
    const auto straight = [&](unsigned i) {
      return pair(64 * i + 8 * row + column, 64 * i + 8 * row + column + 1);
    };
    const auto turned = [&](unsigned i) {
      return pair(64 * i + 8 * column + row, 64 * i + 8 * (column + 1) + row);
    };
    EXPECT_THAT(std::vector<unsigned>(got.begin() + 8 * lane, got.begin() + 8 * lane + 7),
                ElementsAre(straight(0), straight(1), straight(2), straight(3), turned(0),
                            turned(1), turned(0)))
        << lane;
  }
  release(source), release(to);
}

TEST_P(PtxMatrix, BytesNotCopiedAreZero) {
  const CUdeviceptr source = copy_of(std::vector<std::uint32_t>{0x01020304, 2, 3, 4});
  const CUdeviceptr to = copy_of(std::vector<std::uint32_t>(8));
  const CUfunction copy = function(module_, "copy");
  ASSERT_EQ(launch(copy, 1, 1, 0, source, to, 3u), CUDA_SUCCESS);
  EXPECT_THAT(values_at<std::uint32_t>(to, 7), ElementsAre(0x020304u, 0u, 0u, 0u, 0u, 0u, 2u));
  ASSERT_EQ(launch(copy, 1, 1, 0, source, to, 16u), CUDA_SUCCESS);
  EXPECT_THAT(values_at<std::uint32_t>(to, 7),
              ElementsAre(0x01020304u, 2u, 3u, 4u, 0x01020304u, 2u, 2u));
  release(source), release(to);
}

TEST_P(PtxMatrix, ACopyFromInvalidMemoryIsReported) {
  if (backend() == Backend::gpu) GTEST_SKIP() << "a driver need not survive what is undefined";
  const CUdeviceptr freed = copy_of(std::vector<std::uint32_t>(4));
  const CUdeviceptr alive = copy_of(std::vector<std::uint32_t>(8));
  const CUdeviceptr to = copy_of(std::vector<std::uint32_t>(8));
  release(freed);
  const auto copies = [&](CUdeviceptr from, unsigned count, CUresult error) {
    launch(function(module_, "copy"), 1, 1, 0, from, to, count);
    std::_Exit(AFTERLIFE_CU(cuCtxSynchronize)() == error ? 7 : 8);
  };
  EXPECT_EXIT(copies(freed, 16, CUDA_ERROR_ILLEGAL_ADDRESS), ExitedWithCode(7),
              "use_after_free device memory .*used:copy 16 bytes");
  EXPECT_EXIT(copies(freed, 3, CUDA_ERROR_ILLEGAL_ADDRESS), ExitedWithCode(7),
              "use_after_free device memory .*used:copy 3 bytes");
  EXPECT_EXIT(copies(alive + 4, 16, CUDA_ERROR_MISALIGNED_ADDRESS), ExitedWithCode(7),
              "misaligned address");
  release(to), release(alive);
}

INSTANTIATE_ON_GPU_TOO(PtxMatrix);

}  // namespace
}  // namespace harness::testing
