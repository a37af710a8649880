// SPDX-License-Identifier: Apache-2.0
// wmma: a warp loads matrices from memory, multiplies and stores them. The reference is a product
// computed by three loops over memory. The tests do not depend on which lane holds which element.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "harness/device_code/ptx/image.h"
#include "harness/device_code/tests/ptx/element.h"
#include "harness/device_code/tests/ptx/product_kernel.h"
#include "harness/device_code/tests/ptx/program_stage.h"

namespace harness::testing {
namespace {

using namespace std::string_literals;

struct Case {
  std::string shape;
  std::size_t rows, columns, depth;
  std::string factor;  ///< The type of A and of B.
  std::string c, d;    ///< Types of sums.
  std::string a_order, b_order, c_order, d_order;
  std::string space;      ///< ".global", ".shared" or "", for generic addresses.
  std::string operation;  ///< ".xor.popc", ".satfinite" or a rounding mode.
  std::size_t gap;        ///< A line begins this many elements behind the one before.
};

/// A matrix in memory.
struct Matrix {
  std::string type;
  std::size_t rows, columns;
  std::string order;
  std::size_t gap;
  std::vector<int> values;  ///< Row by row.

  std::size_t stride() const { return (order == "row" ? columns : rows) + gap; }
  std::size_t bytes() const {
    return (order == "row" ? rows : columns) * stride() * bits_of(type) / 8;
  }
  /// Returns the bytes in memory; between lines they are as before.
  std::vector<std::byte> image(std::byte before) const {
    std::vector<std::byte> made(bytes(), before);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t at = order == "row" ? row * stride() + column : column * stride() + row;
        const std::uint64_t bits = bits_as(type, values[row * columns + column]);
        for (std::size_t i = 0; i < bits_of(type); ++i) {
          const std::size_t bit = at * bits_of(type) + i;
          const auto mask = std::byte{1} << bit % 8;
          made[bit / 8] = (made[bit / 8] & ~mask) | ((bits >> i & 1) != 0 ? mask : std::byte{0});
        }
      }
    return made;
  }
};

std::string registers(char name, std::size_t count) {
  std::string made = "{";
  for (std::size_t i = 0; i < count; ++i)
    made += fmt::format("{}%{}{}", i == 0 ? "" : ", ", name, i);
  return made + "}";
}

/// The registers that a lane has of a matrix: the ISA's tables.
std::size_t register_count(const Case& one, char name) {
  if (name == 'c' || name == 'd') {
    const std::string& type = name == 'c' ? one.c : one.d;
    return one.rows * one.columns == 64 ? 2 : type == "f16" ? 4 : 8;
  }
  if (one.factor == "f16") return 8;
  if (one.factor == "tf32") return 4;
  if (one.rows * one.columns == 64) return 1;
  const std::size_t lines = name == 'a' ? one.rows : one.columns;
  return lines / (one.factor == "bf16" ? 4 : 8);
}

/// Copies this many bytes from `from` to `to`, each lane its own words.
std::string copy_words(const std::string& label, std::size_t bytes, const std::string& load,
                       const std::string& from, const std::string& store, const std::string& to) {
  return fmt::format(
      "  cvt.u64.u32 %i, %lane;\n  shl.b64 %i, %i, 2;\n{0}:\n  setp.ge.u64 %p, %i, {1};\n"
      "  @%p bra {0}_end;\n  add.s64 %x, {3}, %i;\n  add.s64 %y, {5}, %i;\n"
      "  {2}.b32 %w, [%x];\n  {4}.b32 [%y], %w;\n  add.s64 %i, %i, 128;\n  bra {0};\n{0}_end:\n"
      "  bar.warp.sync -1;\n",
      label, bytes, load, from, store, to);
}

/// The kernel of a case: with shared memory, A and D pass through it.
std::string kernel(const Case& one, const std::string& name, const Matrix& a, const Matrix& b,
                   const Matrix& c, const Matrix& d) {
  const bool is_shared = one.space == ".shared";
  const std::string near = is_shared ? ".global" : one.space;
  std::string made = fmt::format(
      ".visible .entry {}(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{{\n"
      "  .reg .b32 %lane, %w; .reg .b64 %i, %x, %y, %ina, %outd; .reg .pred %p;\n"
      "  .shared .align 32 .b8 area[8192];\n  mov.u32 %lane, %laneid;\n",
      name);
  for (const char letter : {'a', 'b', 'c', 'd'}) {
    const std::string& type = letter == 'c' ? one.c : letter == 'd' ? one.d : one.factor;
    made += fmt::format("  .reg .{0} %{1}<8>; .reg .b64 %at{1}; ld.param.u64 %at{1}, [{1}];\n",
                        type == "f64"   ? "f64"
                        : type == "f32" ? "f32"
                                        : "b32",
                        letter);
  }
  if (is_shared)
    made += "  mov.u64 %ina, area;\n" +
            copy_words("fill", a.bytes(), "ld.global", "%ata", "st.shared", "%ina");
  const auto load = [&](const Matrix& matrix, char letter, bool near_too) {
    made += fmt::format("  wmma.load.{}.sync.aligned.{}.{}{}.{} {}, [%{}{}]{};\n", letter,
                        matrix.order, one.shape, near_too && is_shared ? one.space : near,
                        matrix.type, registers(letter, register_count(one, letter)),
                        near_too && is_shared ? "in" : "at", letter,
                        matrix.gap == 0 ? "" : fmt::format(", {}", matrix.stride()));
  };
  load(a, 'a', true), load(b, 'b', false), load(c, 'c', false);
  const bool is_f16 = one.factor == "f16", is_bits = one.factor == "b1";
  made += fmt::format(
      "  wmma.mma{}.sync.aligned.{}.{}.{}.{}.{}{}{} {}, {}, {}, {};\n",
      is_bits ? one.operation : "", a.order, b.order, one.shape, one.d,
      is_f16 ? "" : fmt::format("{0}.{0}.", one.factor), one.c, is_bits ? "" : one.operation,
      registers('d', register_count(one, 'd')), registers('a', register_count(one, 'a')),
      registers('b', register_count(one, 'b')), registers('c', register_count(one, 'c')));
  if (is_shared)
    made += "  mov.u64 %outd, area;\n" +
            copy_words("before", d.bytes(), "ld.global", "%atd", "st.shared", "%outd");
  made += fmt::format("  wmma.store.d.sync.aligned.{}.{}{}.{} [%{}d], {}{};\n", d.order, one.shape,
                      one.space, d.type, is_shared ? "out" : "at",
                      registers('d', register_count(one, 'd')),
                      d.gap == 0 ? "" : fmt::format(", {}", d.stride()));
  if (is_shared)
    made += "  bar.warp.sync -1;\n" +
            copy_words("drain", d.bytes(), "ld.shared", "%outd", "st.global", "%atd");
  return made + "  ret;\n}\n";
}

struct Shape {
  const char* name;
  std::size_t rows, columns, depth;
};
constexpr Shape kWide[] = {
    {"m16n16k16", 16, 16, 16}, {"m32n8k16", 32, 8, 16}, {"m8n32k16", 8, 32, 16}};

/// All types and shapes, and the orders, spaces and strides in turn.
std::vector<Case> all_cases() {
  std::vector<Case> made;
  const auto add = [&](const Shape& shape, const char* factor, const char* c, const char* d,
                       const char* operation = "") {
    const std::size_t i = made.size();
    const auto order = [&](std::size_t way) { return (way & 1) != 0 ? "col" : "row"; };
    const bool is_narrow = bits_of(factor) < 8;
    made.push_back({shape.name, shape.rows, shape.columns, shape.depth, factor, c, d,
                    is_narrow ? "row" : order(i), is_narrow ? "col" : order(i / 2), order(i / 3),
                    order(i / 5), std::array{".global", ".shared", ""}[i % 3], operation,
                    i % 4 < 2 ? 0 : std::size_t{is_narrow ? 128u : 16u}});
  };
  for (const Shape& shape : kWide) {
    for (const char* c : {"f16", "f32"})
      for (const char* d : {"f16", "f32"}) add(shape, "f16", c, d);
    for (int i = 0; i < 4; ++i) {
      add(shape, "bf16", "f32", "f32");
      add(shape, i % 2 == 0 ? "s8" : "u8", "s32", "s32", i < 2 ? "" : ".satfinite");
    }
  }
  for (int i = 0; i < 4; ++i) {
    add({"m16n16k8", 16, 16, 8}, "tf32", "f32", "f32");
    add({"m8n8k4", 8, 8, 4}, "f64", "f64", "f64", i < 2 ? "" : i == 2 ? ".rn" : ".rz");
  }
  for (const char* operation : {"", ".satfinite"})
    for (const char* factor : {"s4", "u4"})
      add({"m8n8k32", 8, 8, 32}, factor, "s32", "s32", operation);
  for (const char* operation : {".xor.popc", ".and.popc"})
    for (int i = 0; i < 2; ++i) add({"m8n8k128", 8, 8, 128}, "b1", "s32", "s32", operation);
  return made;
}

class PtxFragment : public OnGpuToo<PtxStage> {
 protected:
  struct Matrices {
    Matrix a, b, c, d;
  };
  static Matrices matrices(const Case& one) {
    return {{one.factor, one.rows, one.depth, one.a_order, one.gap, {}},
            {one.factor, one.depth, one.columns, one.b_order, one.gap, {}},
            {one.c, one.rows, one.columns, one.c_order, one.gap, {}},
            {one.d, one.rows, one.columns, one.d_order, one.gap, {}}};
  }
  static std::string name(std::size_t index) { return fmt::format("product_{}", index); }
  static std::string text(const std::vector<Case>& all) {
    std::string made = product_header("sm_80");
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Matrices of = matrices(all[i]);
      made += kernel(all[i], name(i), of.a, of.b, of.c, of.d);
    }
    return made;
  }
  static void fill(Matrix& matrix, std::mt19937& random) {
    const bool is_unsigned = matrix.type[0] == 'u' || matrix.type == "b1";
    const int most = matrix.type == "b1" ? 1 : is_unsigned && is_integer(matrix.type) ? 15 : 7;
    std::uniform_int_distribution<int> pick(is_unsigned ? 0 : -most, most);
    matrix.values.resize(matrix.rows * matrix.columns);
    for (int& value : matrix.values) value = pick(random);
  }
  /// Fills D by three loops.
  static void multiply(const Case& one, Matrices& of) {
    of.d.values = of.c.values;
    for (std::size_t row = 0; row < one.rows; ++row)
      for (std::size_t column = 0; column < one.columns; ++column)
        for (std::size_t k = 0; k < one.depth; ++k) {
          const int x = of.a.values[row * one.depth + k];
          const int y = of.b.values[k * one.columns + column];
          of.d.values[row * one.columns + column] += one.operation == ".xor.popc" ? x != y : x * y;
        }
  }
  std::vector<std::byte> run(CUfunction product, const Matrices& of) const {
    const CUdeviceptr a = copy_of(of.a.image(std::byte{0x5a}));
    const CUdeviceptr b = copy_of(of.b.image(std::byte{0x5a}));
    const CUdeviceptr c = copy_of(of.c.image(std::byte{0x5a}));
    const CUdeviceptr d = copy_of(std::vector<std::byte>(of.d.bytes(), std::byte{0xa5}));
    EXPECT_EQ(launch(product, 1, 32, 0, a, b, c, d), CUDA_SUCCESS);
    std::vector<std::byte> got = values_at<std::byte>(d, of.d.bytes());
    for (const CUdeviceptr address : {a, b, c, d}) release(address);
    return got;
  }
};

TEST_P(PtxFragment, AProductEqualsTheNaiveOne) {
  const std::vector<Case> all = all_cases();
  const CUmodule module = load(text(all));
  std::mt19937 random(1);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (int time = 0; time < 3; ++time) {
      Matrices of = matrices(all[i]);
      fill(of.a, random), fill(of.b, random), fill(of.c, random);
      multiply(all[i], of);
      EXPECT_EQ(run(function(module, name(i).c_str()), of), of.d.image(std::byte{0xa5}))
          << all[i].shape << " " << all[i].factor << " " << all[i].c << " " << all[i].d << " "
          << all[i].a_order << " " << all[i].b_order << " " << all[i].c_order << " "
          << all[i].d_order << all[i].operation << " " << all[i].space << " " << all[i].gap;
    }
}

TEST_P(PtxFragment, AnIntegerSumWrapsOrSaturates) {
  const Shape& shape = kWide[0];
  std::vector<Case> all;
  for (const char* operation : {"", ".satfinite"})
    all.push_back({shape.name, shape.rows, shape.columns, shape.depth, "s8", "s32", "s32", "row",
                   "col", "row", "row", ".global", operation, 0});
  const CUmodule module = load(text(all));
  constexpr int kMost = 0x7fffffff;
  for (const auto& [index, wanted] : {std::pair{0u, -kMost - 1 + 15}, {1u, kMost}}) {
    Matrices of = matrices(all[index]);
    for (Matrix* one : {&of.a, &of.b, &of.c})
      one->values.assign(one->rows * one->columns, one == &of.c ? kMost : 1);
    of.d.values.assign(of.d.rows * of.d.columns, wanted);
    EXPECT_EQ(run(function(module, name(index).c_str()), of), of.d.image(std::byte{0}));
  }
}

/// The f64 that is nearest to a sum in a direction; `mode` is rn, rz, rm or rp.
double rounded(__float128 exact, const std::string& mode) {
  const double nearest = static_cast<double>(exact);
  if (mode == "rn" || static_cast<__float128>(nearest) == exact) return nearest;
  const bool is_beyond = static_cast<__float128>(nearest) > exact;
  const bool wants_less = mode == "rm" || (mode == "rz" && exact > 0);
  if (wants_less == is_beyond) return std::nextafter(nearest, wants_less ? -1e300 : 1e300);
  return nearest;
}

/// A product of f64 whose first column and row are these, and else 0, by wmma or by mma.
std::string rounding_kernel(const std::string& kind, const std::string& mode) {
  const std::string product =
      kind == "wmma"
          ? fmt::format("wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.{} ", mode) +
                "{%d0, %d1}, {%x}, {%y}, {%c, %c};"
          : fmt::format("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.{} ", mode) +
                "{%d0, %d1}, {%x}, {%y}, {%c, %c};";
  // There is something of k = 0 alone: loads of columns with 1 in them tell which elements those
  // are.
  return fmt::format(
      ".visible .entry {}_{}(.param .u64 k, .param .f64 x, .param .f64 y, .param .f64 c, "
      ".param .u64 to)\n{{\n  .reg .f64 %x, %y, %c, %d0, %d1, %kx, %ky, %s; .reg .b64 %k, %to, %i; "
      ".reg .b32 %lane;\n  ld.param.u64 %k, [k]; ld.param.f64 %x, [x]; ld.param.f64 %y, [y];\n"
      "  ld.param.f64 %c, [c]; ld.param.u64 %to, [to]; mov.u32 %lane, %laneid;\n{}"
      "  mul.f64 %x, %x, %kx; mul.f64 %y, %y, %ky;\n  {}\n"
      "  mad.wide.u32 %to, %lane, 16, %to; st.global.v2.f64 [%to], {{%d0, %d1}};\n  ret;\n}}\n",
      kind, mode,
      kind == "wmma"
          ? "  wmma.load.a.sync.aligned.col.m8n8k4.f64 {%kx}, [%k];\n"
            "  wmma.load.b.sync.aligned.row.m8n8k4.f64 {%ky}, [%k];\n"
          : "  .reg .pred %p; and.b32 %lane, %lane, 3; setp.eq.u32 %p, %lane, 0;\n"
            "  selp.f64 %kx, 0d3FF0000000000000, 0d0000000000000000, %p; mov.f64 %ky, %kx;\n"
            "  mov.u32 %lane, %laneid;\n",
      product);
}

TEST_P(PtxFragment, ASumOfDoublesIsRoundedInEachDirection) {
  std::string all = product_header("sm_80");
  constexpr const char* kModes[] = {"rn", "rz", "rm", "rp"};
  for (const char* kind : {"wmma", "mma"})
    for (const char* mode : kModes) all += rounding_kernel(kind, mode);
  const CUmodule module = load(all);
  std::vector<double> first(32);
  std::fill_n(first.begin(), 8, 1.0);
  const CUdeviceptr k = copy_of(first);
  const CUdeviceptr to = copy_of(std::vector<double>(64));
  for (const char* kind : {"wmma", "mma"})
    for (const std::string mode : kModes)
      for (const double x : {1.0 + 0x1p-40, -1.0 - 0x1p-40, 1.0 / 3})
        for (const double c : {1.0, -3.0, 0x1p60}) {
          const double y = 1.0 + 0x1p-30;
          ASSERT_EQ(launch(function(module, fmt::format("{}_{}", kind, mode).c_str()), 1, 32, 0, k,
                           x, y, c, to),
                    CUDA_SUCCESS);
          const double wanted = rounded(static_cast<__float128>(x) * y + c, mode);
          EXPECT_THAT(values_at<double>(to, 64), ::testing::Each(wanted))
              << kind << " " << mode << " " << x << " " << c;
        }
  release(k), release(to);
}

INSTANTIATE_ON_GPU_TOO(PtxFragment);

// ---- nvcuda::wmma, compiled by nvcc -------------------------------------------------------------

class PtxFragmentProgram : public OnGpuToo<ProgramStage<PtxStage>> {
 protected:
  PtxFragmentProgram() : OnGpuToo("fragments.ptx") {}
};

TEST_P(PtxFragmentProgram, MultipliesCorrectly) {
  std::vector<std::uint16_t> a(256), b(256);
  std::vector<float> wanted(256, 1);
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 16; ++column) {
      const auto half = [](unsigned value) {
        return static_cast<std::uint16_t>(bits_as("f16", static_cast<int>(value)));
      };
      a[16 * row + column] = half(row + column);
      b[16 * column + row] = half(row * column % 7);
      for (unsigned k = 0; k < 16; ++k)
        wanted[16 * row + column] += static_cast<float>((row + k) * (k * column % 7));
      wanted[16 * row + column] *= 2;
    }
  const CUdeviceptr x = copy_of(a), y = copy_of(b), d = copy_of(std::vector<float>(256));
  ASSERT_EQ(launch(kernel("product"), 1, 32, 0, x, y, d), CUDA_SUCCESS);
  EXPECT_EQ(values_at<float>(d, 256), wanted);
  release(x), release(y), release(d);
}

INSTANTIATE_ON_GPU_TOO(PtxFragmentProgram);

class OwnPtxFragmentProgram : public ProgramStage<PtxStage> {
 protected:
  OwnPtxFragmentProgram() : ProgramStage("fragments.ptx") {}
};

TEST_F(OwnPtxFragmentProgram, AnAccessOutOfBoundsIsReported) {
  // A new process for each end: addresses do not depend on the tests before this one.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const CUdeviceptr all = copy_of(std::vector<std::uint16_t>(256));
  const CUdeviceptr freed = copy_of(std::vector<std::uint16_t>(256));
  const CUdeviceptr small = copy_of(std::vector<float>(128));
  release(freed);
  const CUdeviceptr to = copy_of(std::vector<float>(256));
  constexpr CUresult kError = CUDA_ERROR_ILLEGAL_ADDRESS;
  expect_end_of(32, kError, "use_after_free device memory .*used:product 2 bytes", "product", all,
                freed, to);
  expect_end_of(32, kError, "wild_access device memory .*used:product 4 bytes", "product", all, all,
                small);
  expect_end_of(32, CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address", "product", all, all,
                to + 2);
  release(all), release(small), release(to);
}

/// Returns whether a kernel with one instruction is stopped by it.
bool is_stopped_at(const std::string& instruction) {
  const std::string source = ptx::source_of(
      product_header("sm_80") + ".visible .entry k()\n{\n.reg .b32 %r<8>; .reg .b64 %p;\n" +
      instruction + "\n}\n");
  return source.find("ptx::stop(\"line 7") != std::string::npos;
}

TEST(PtxFragmentForms, FormsThatTheAssemblerRefusesAreNotTranslated) {
  const std::string two = "{%r0, %r1}, {%r2}, {%r3}, {%r4, %r5};";
  EXPECT_FALSE(is_stopped_at("wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 " + two));
  const std::string four = "{%r0, %r1, %r2, %r3}";
  for (const std::string& refused :
       {"wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32 " + two,
        "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.u4.s32 " + two,
        "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32.rn " + two,
        "wmma.mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 " + two,
        "wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32.satfinite " + two,
        "wmma.load.a.sync.aligned.col.m8n8k32.s4 {%r0}, [%p];"s,
        "wmma.load.a.sync.aligned.row.m8n8k32.s8 {%r0}, [%p];"s,
        "wmma.load.a.sync.aligned.row.m16n16k16.bf16 {%r0, %r1}, [%p];"s,
        "wmma.load.a.sync.aligned.row.m16n16k16.local.bf16 " + four + ", [%p];",
        "wmma.load.a.sync.row.m16n16k16.bf16 " + four + ", [%p];",
        "wmma.load.a.sync.aligned.m16n16k16.bf16 " + four + ", [%p];",
        "wmma.store.d.sync.aligned.row.m16n16k16.bf16 [%p], " + four + ";"})
    EXPECT_TRUE(is_stopped_at(refused)) << refused;
}

}  // namespace
}  // namespace harness::testing
