// SPDX-License-Identifier: Apache-2.0
// mma.m8n8k4 of halves: a warp computes four products. The reference is computed by three loops;
// the location of each element is taken from the ISA's formulas.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <random>

#include "harness/device_code/tests/ptx/product_kernel.h"
#include "harness/device_code/tests/ptx/ptx_stage.h"

namespace harness::testing {
namespace {

/// An element of one of four matrices.
struct Held {
  unsigned product;
  unsigned row;
  unsigned column;
};
using Matrices = std::array<std::array<std::array<int, 8>, 8>, 4>;  ///< By product, row, column.

std::uint32_t half_bits(int value) {
  return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
}

unsigned product_of(unsigned lane) { return lane % 16 / 4; }
unsigned half_of(unsigned lane) { return lane < 16 ? 0 : 4; }

Held a_by_rows(unsigned lane, unsigned i) {
  return {product_of(lane), lane % 4 + half_of(lane), i};
}
Held a_by_columns(unsigned lane, unsigned i) {
  return {product_of(lane), i % 4 + half_of(lane), lane % 4};
}
Held b_by_rows(unsigned lane, unsigned i) {
  return {product_of(lane), lane % 4, i + half_of(lane)};
}
Held b_by_columns(unsigned lane, unsigned i) {
  return {product_of(lane), i, lane % 4 + half_of(lane)};
}
Held sums_of_halves(unsigned lane, unsigned i) {
  return {product_of(lane), lane % 4 + half_of(lane), i};
}
Held sums_of_floats(unsigned lane, unsigned i) {
  return {product_of(lane), (lane & 1) + (i & 2) + half_of(lane), (i & 4) + (lane & 2) + (i & 1)};
}

using Places = Held (*)(unsigned lane, unsigned i);

/// The registers of all lanes, of `count` elements each.
std::vector<std::uint32_t> registers(const Matrices& of, Places places, unsigned count,
                                     bool is_half) {
  std::vector<std::uint32_t> made;
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < count; ++i) {
      const Held at = places(lane, i);
      const int value = of[at.product][at.row][at.column];
      if (!is_half)
        made.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
      else if (i % 2 == 0)
        made.push_back(half_bits(value));
      else
        made.back() |= half_bits(value) << 16;
    }
  return made;
}

struct Case {
  const char* a;  ///< "row" or "col".
  const char* b;
  const char* c;  ///< "f16" or "f32".
  const char* d;

  std::string name() const { return fmt::format("quads_{}_{}_{}_{}", a, b, c, d); }
  std::string kernel() const {
    const auto sums = [](char letter, const std::string& type) {
      return type == "f16" ? Fragment{letter, 4, "b32"} : Fragment{letter, 8, "f32"};
    };
    return product_kernel(name(),
                          fmt::format("mma.sync.aligned.m8n8k4.{}.{}.{}.f16.f16.{}", a, b, d, c),
                          {'a', 2, "b32"}, {'b', 2, "b32"}, sums('c', c), sums('d', d));
  }
};

class PtxQuadMatrix : public OnGpuToo<PtxStage> {
 protected:
  void check(CUmodule module, const Case& one, std::mt19937& random) const {
    std::uniform_int_distribution<int> pick(-4, 4);
    Matrices a{}, b{}, c{};
    for (Matrices* each : {&a, &b, &c})
      for (auto& matrix : *each)
        for (auto& row : matrix)
          for (int& value : row) value = pick(random);
    Matrices d = c;
    for (std::size_t product = 0; product < 4; ++product)
      for (std::size_t row = 0; row < 8; ++row)
        for (std::size_t column = 0; column < 8; ++column)
          for (std::size_t k = 0; k < 4; ++k)
            d[product][row][column] += a[product][row][k] * b[product][k][column];
    const auto sums = [](const Matrices& of, const std::string& type) {
      const bool is_half = type == "f16";
      return registers(of, is_half ? sums_of_halves : sums_of_floats, 8, is_half);
    };
    const bool has_rows = std::string(one.a) == "row", has_columns = std::string(one.b) == "col";
    const std::vector<std::uint32_t> wanted = sums(d, one.d);
    const CUdeviceptr x = copy_of(registers(a, has_rows ? a_by_rows : a_by_columns, 4, true));
    const CUdeviceptr y = copy_of(registers(b, has_columns ? b_by_columns : b_by_rows, 4, true));
    const CUdeviceptr z = copy_of(sums(c, one.c));
    const CUdeviceptr to = copy_of(std::vector<std::uint32_t>(wanted.size()));
    EXPECT_EQ(launch(function(module, one.name().c_str()), 1, 32, 0, x, y, z, to), CUDA_SUCCESS);
    EXPECT_EQ(values_at<std::uint32_t>(to, wanted.size()), wanted) << one.name();
    for (const CUdeviceptr address : {x, y, z, to}) release(address);
  }
};

TEST_P(PtxQuadMatrix, FourProductsEqualTheNaiveOnes) {
  std::vector<Case> cases;
  for (const char* a : {"row", "col"})
    for (const char* b : {"row", "col"})
      for (const auto& [c, d] : {std::pair{"f16", "f16"}, {"f16", "f32"}, {"f32", "f32"}})
        cases.push_back({a, b, c, d});
  std::string text = product_header("sm_80");
  for (const Case& one : cases) text += one.kernel();
  const CUmodule module = load(text);
  std::mt19937 random(1);
  for (const Case& one : cases)
    for (int time = 0; time < 3; ++time) check(module, one, random);
}

INSTANTIATE_ON_GPU_TOO(PtxQuadMatrix);

}  // namespace
}  // namespace harness::testing
