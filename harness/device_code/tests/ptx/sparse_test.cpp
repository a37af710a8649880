// SPDX-License-Identifier: Apache-2.0
// mma.sp: products with a sparse matrix A, compared with products of the dense matrices. The
// location of each element and of its metadata is taken from the ISA's figures.
#include <fmt/format.h>

#include <random>

#include "harness/device_code/ptx/image.h"
#include "harness/device_code/tests/ptx/element.h"
#include "harness/device_code/tests/ptx/product_kernel.h"
#include "harness/device_code/tests/ptx/ptx_stage.h"

namespace harness::testing {
namespace {

constexpr unsigned kRows = 16, kColumns = 8;

struct Case {
  std::string shape;
  unsigned depth;
  std::string a, b, c;
  unsigned selector;
  std::string form;  ///< ".satfinite", "::ordered_metadata" or "".

  bool is_clamped() const { return form == ".satfinite"; }
  unsigned packed() const { return 32 / static_cast<unsigned>(bits_of(a)); }
  /// The registers of a lane, of A and of B.
  unsigned registers() const { return depth / packed() / 4; }
  std::string name() const {
    return fmt::format("{}_{}_{}_{}_{}{}", shape, a, b, c, selector,
                       form.empty() ? "" : "_" + form.substr(form.rfind(form[0]) + 1));
  }
  std::string kernel() const {
    const Fragment sums = c == "f16"   ? Fragment{'c', 2, "b32"}
                          : c == "f32" ? Fragment{'c', 4, "f32"}
                                       : Fragment{'c', 4, "b32"};
    const Fragment made{'d', sums.count, sums.type};
    const std::string instruction =
        fmt::format("mma.sp{}.sync.aligned.{}.row.col{}.{}.{}.{}.{}", is_clamped() ? "" : form,
                    shape, is_clamped() ? form : "", c, a, b, c);
    return product_kernel(name(), instruction, {'a', registers(), "b32"}, {'b', registers(), "b32"},
                          sums, made, fmt::format(", %e, {:#x}", selector));
  }
};

/// A matrix with zeroes: all of it, and what is held of each row, with its metadata.
struct Sparse {
  std::vector<int> all;                     ///< Row by row.
  std::vector<std::vector<int>> held;       ///< By row.
  std::vector<std::vector<bool>> metadata;  ///< Bits, by row.
};

int number(const std::string& type, std::mt19937& random) {
  const bool is_unsigned = type[0] == 'u';
  return std::uniform_int_distribution<int>(is_unsigned ? 0 : -4, 4)(random);
}

/// Adds a chunk of `places`, of which those that are named have numbers; each is `group` elements.
void add_chunk(Sparse& made, const Case& one, unsigned row, unsigned first,
               const std::vector<unsigned>& places, unsigned group, std::mt19937& random) {
  for (const unsigned place : places)
    for (unsigned i = 0; i < group; ++i) {
      const int value = number(one.a, random);
      made.held[row].push_back(value);
      made.all[row * one.depth + first + place * group + i] = value;
    }
}

Sparse sparse(const Case& one, std::mt19937& random) {
  Sparse made{std::vector<int>(kRows * one.depth), std::vector<std::vector<int>>(kRows),
              std::vector<std::vector<bool>>(kRows)};
  const bool is_single = one.a == "tf32";
  const unsigned group = bits_of(one.a) == 4 ? 2 : 1, width = is_single ? 2 : 4 * group;
  constexpr unsigned kPairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  for (unsigned row = 0; row < kRows; ++row)
    for (unsigned first = 0; first < one.depth; first += width) {
      unsigned bits;
      if (is_single) {
        const unsigned place = static_cast<unsigned>(random() % 2);
        add_chunk(made, one, row, first, {place}, 1, random);
        bits = place == 0 ? 0b0100 : 0b1110;
      } else {
        const auto& pair = kPairs[random() % 6];
        add_chunk(made, one, row, first, {pair[0], pair[1]}, group, random);
        bits = pair[0] + 4 * pair[1];
      }
      for (unsigned i = 0; i < 4; ++i) made.metadata[row].push_back((bits >> i & 1) != 0);
    }
  return made;
}

/// This many bits of a row's metadata.
std::uint32_t cut(const std::vector<bool>& row, unsigned first, unsigned count) {
  std::uint32_t made = 0;
  for (unsigned i = 0; i < count; ++i) made |= std::uint32_t{row.at(first + i)} << i;
  return made;
}

/// The word of metadata that a lane has; those that no one asks have what is none.
std::uint32_t metadata_of(const Case& one, const Sparse& a, unsigned lane) {
  const auto& upper = a.metadata[lane / 4];
  const auto& lower = a.metadata[lane / 4 + 8];
  const unsigned thread = lane % 4, bits = static_cast<unsigned>(upper.size());
  const std::uint32_t none = 0x12345678 + lane;
  const auto halves = [&](unsigned first) {
    return cut(upper, first, 16) | cut(lower, first, 16) << 16;
  };
  if (!is_integer(one.a)) {
    if (bits == 16) return thread == one.selector ? halves(0) : none;
    return thread / 2 == one.selector ? halves(thread % 2 * 16) : none;
  }
  const auto& row = thread % 2 == 0 ? upper : lower;
  if (bits == 64) return cut(row, thread / 2 * 32, 32);
  return thread / 2 == one.selector ? cut(row, 0, 32) : none;
}

/// A word of elements, the first in its low bits.
template <class At>
std::uint32_t pack(const Case& one, const std::string& type, At at) {
  std::uint32_t made = 0;
  for (unsigned i = 0; i < one.packed(); ++i)
    made |= static_cast<std::uint32_t>(bits_as(type, at(i))) << i * bits_of(type);
  return made;
}

class PtxSparse : public OnGpuToo<PtxStage> {
 protected:
  static std::vector<std::uint32_t> sums(const Case& one, const std::vector<int>& matrix) {
    std::vector<std::uint32_t> made;
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        const auto bits =
            static_cast<std::uint32_t>(bits_as(one.c, matrix[row * kColumns + column]));
        if (one.c != "f16" || i % 2 == 0)
          made.push_back(bits);
        else
          made.back() |= bits << 16;
      }
    return made;
  }
  void check(CUmodule module, const Case& one, std::mt19937& random) const {
    const Sparse a = sparse(one, random);
    std::vector<int> b(one.depth * kColumns), c(kRows * kColumns);
    for (int& value : b) value = number(one.b, random);
    for (int& value : c) value = one.is_clamped() ? 0x7fffffff - 10 : number(one.c, random);
    std::vector<int> d(c.size());
    for (unsigned row = 0; row < kRows; ++row)
      for (unsigned column = 0; column < kColumns; ++column) {
        long total = c[row * kColumns + column];
        for (unsigned k = 0; k < one.depth; ++k)
          total += a.all[row * one.depth + k] * b[k * kColumns + column];
        d[row * kColumns + column] = static_cast<int>(std::min(total, 0x7fffffffL));
      }
    std::vector<std::uint32_t> x, y, e;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned group = lane / 4, thread = lane % 4, packed = one.packed();
      for (unsigned i = 0; i < one.registers(); ++i) {
        x.push_back(pack(one, one.a, [&](unsigned j) {
          return a.held[group + i % 2 * 8].at((thread + i / 2 * 4) * packed + j);
        }));
        y.push_back(pack(one, one.b, [&](unsigned j) {
          return b.at(((thread + i * 4) * packed + j) * kColumns + group);
        }));
      }
      e.push_back(metadata_of(one, a, lane));
    }
    const std::vector<std::uint32_t> wanted = sums(one, d);
    const CUdeviceptr at[] = {copy_of(x), copy_of(y), copy_of(sums(one, c)),
                              copy_of(std::vector<std::uint32_t>(wanted.size())), copy_of(e)};
    EXPECT_EQ(
        launch(function(module, one.name().c_str()), 1, 32, 0, at[0], at[1], at[2], at[3], at[4]),
        CUDA_SUCCESS);
    EXPECT_EQ(values_at<std::uint32_t>(at[3], wanted.size()), wanted) << one.name();
    for (const CUdeviceptr address : at) release(address);
  }
};

std::vector<Case> all_cases() {
  std::vector<Case> made;
  const auto add = [&](const char* shape, unsigned depth, const char* a, const char* b,
                       const char* c, unsigned selectors) {
    for (unsigned i = 0; i < selectors; ++i) made.push_back({shape, depth, a, b, c, i, ""});
    made.push_back({shape, depth, a, b, c, 0, "::ordered_metadata"});
    if (is_integer(c)) made.push_back({shape, depth, a, b, c, 0, ".satfinite"});
  };
  for (const auto& [type, sum] : {std::pair{"f16", "f16"}, {"f16", "f32"}, {"bf16", "f32"}}) {
    add("m16n8k16", 16, type, type, sum, 4);
    add("m16n8k32", 32, type, type, sum, 2);
  }
  add("m16n8k8", 8, "tf32", "tf32", "f32", 4);
  add("m16n8k16", 16, "tf32", "tf32", "f32", 2);
  for (const auto& [a, b] : {std::pair{"s8", "s8"}, {"u8", "s8"}, {"s8", "u8"}, {"u8", "u8"}}) {
    add("m16n8k32", 32, a, b, "s32", 2);
    add("m16n8k64", 64, a, b, "s32", 1);
  }
  for (const auto& [a, b] : {std::pair{"s4", "s4"}, {"u4", "s4"}, {"s4", "u4"}, {"u4", "u4"}}) {
    add("m16n8k64", 64, a, b, "s32", 2);
    add("m16n8k128", 128, a, b, "s32", 1);
  }
  return made;
}

TEST_P(PtxSparse, AProductEqualsThatOfTheDenseMatrices) {
  const std::vector<Case> all = all_cases();
  std::string text = product_header("sm_80");
  for (const Case& one : all) text += one.kernel();
  const CUmodule module = load(text);
  std::mt19937 random(1);
  for (const Case& one : all)
    for (int time = 0; time < 5; ++time) check(module, one, random);
}

TEST_P(PtxSparse, HalfOfTheElementsAreSkipped) {
  const CUmodule module = load(file("matrices.ptx"));
  const CUdeviceptr out = copy_of(std::vector<float>(128));
  ASSERT_EQ(launch(function(module, "sparse_ones"), 1, 32, 0, out), CUDA_SUCCESS);
  EXPECT_THAT(values_at<float>(out, 128), ::testing::Each(17.0F));
  release(out);
}

INSTANTIATE_ON_GPU_TOO(PtxSparse);

TEST(PtxSparseForms, FormsThatTheIsaLacksAreNotTranslated) {
  const auto is_stopped = [](const std::string& instruction) {
    const std::string source = ptx::source_of(
        product_header("sm_80") + ".visible .entry k()\n{\n.reg .b32 %r<8>; .reg .f32 %f<4>;\n" +
        instruction + "\n}\n");
    return source.find("ptx::stop(\"line 7") != std::string::npos;
  };
  const std::string two = " {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r2, %r3}, {%f0, %f1, %f2, %f3}, ";
  EXPECT_FALSE(
      is_stopped("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" + two + "%r4, 0x3;"));
  for (const std::string& refused :
       {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" + two + "%r4, 0x4;",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" + two + "%r4, %r5;",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32" + two + "%r4, 0x0;",
        "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32" + two + "%r4, 0x0;",
        "mma.sp.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32" + two + "%r4, 0x0;"})
    EXPECT_TRUE(is_stopped(refused)) << refused;
}

}  // namespace
}  // namespace harness::testing
