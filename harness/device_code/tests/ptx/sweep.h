// SPDX-License-Identifier: Apache-2.0
// Sweep: an instruction, executed by a kernel on every edge value and compared with its
// documentation.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace harness::testing {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using f32 = float;
using f64 = double;

/// Halves by their bits, and predicates.
struct half {
  u16 raw;
};
struct bhalf {
  u16 raw;
};
struct pred {
  u32 raw;
};

/// The distance from the reference that an answer may have.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

struct Sweep {
  std::string text;  ///< "add.s32", or statements with $d, $a, $b, $c and $e.
  u32 result_bytes = 4;
  bool is_predicate = false;
  std::vector<std::vector<u64>> values;  ///< Those of each source.
  std::vector<u32> source_bytes;
  std::vector<bool> source_predicates;
  std::function<u64(const u64*)> reference;
  /// Returns whether two numbers are equal; null if bits are compared.
  std::function<bool(u64, u64)> same;
  /// Says what a lane gets, by the sources of its warp's 32 lanes, of which each has kSources; null
  /// if each thread is alone.
  std::function<u64(const u64*, u32)> across;
  /// Returns whether an H200 differs from the ISA for these sources, by a rule that fits all its
  /// answers (harness/docs/reference/ptx.md). They are left out on a GPU. Null if there are none.
  std::function<bool(const u64*)> departs;
  /// Beginning of the name of the row; empty: all rows of the text.
  std::string subject;
  int target = 90;  ///< The compute capability that has the instruction, times 10.
};

/// Sources that a thread has, used or not.
inline constexpr std::size_t kSources = 4;

// ---- values
// --------------------------------------------------------------------------------------

template <class T>
T from_bits(u64 raw) {
  if constexpr (std::is_same_v<T, pred>)
    return {static_cast<u32>(raw & 1)};
  else if constexpr (sizeof(T) == 1)
    return std::bit_cast<T>(static_cast<u8>(raw));
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(static_cast<u16>(raw));
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<u32>(raw));
  else
    return std::bit_cast<T>(raw);
}
template <class T>
u64 to_bits(T value) {
  if constexpr (sizeof(T) == 1)
    return std::bit_cast<u8>(value);
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<u16>(value);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<u32>(value);
  else
    return std::bit_cast<u64>(value);
}

template <class T>
std::vector<u64> edges() {
  if constexpr (std::is_same_v<T, pred>) return {0, 1};
  if constexpr (std::is_same_v<T, half>)
    return {0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x83ff, 0x0400, 0x7bff, 0xfbff,
            0x7c00, 0xfc00, 0x7e00, 0x3555, 0x4248, 0x6401, 0x1400, 0xb801, 0x5bff};
  if constexpr (std::is_same_v<T, bhalf>)
    return {0x0000, 0x8000, 0x3f80, 0xbf80, 0x0001, 0x807f, 0x0080, 0x7f7f, 0xff7f,
            0x7f80, 0xff80, 0x7fc0, 0x3eab, 0x4049, 0x4b81, 0x2f80, 0xbf01, 0x5bff};
  if constexpr (std::is_same_v<T, f32>)
    return {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x807fffff, 0x00800000,
            0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x3fc00000,
            0xc0200000, 0x3dcccccd, 0x4b800001, 0x406ccccd, 0x501502f9, 0x7ec00000, 0x3f7fffff,
            0x4effffff, 0x4f000000, 0xcf000000, 0x5f7fffff};
  if constexpr (std::is_same_v<T, f64>)
    return {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
            0x0000000000000001, 0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
            0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
            0x3fb999999999999a, 0xc004000000000000, 0x400d99999999999a, 0x4340000000000001,
            0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000200000, 0x43e0000000000000,
            0x43f0000000000000, 0x36a0000000000000, 0x47efffffe0000000, 0x3e70000000000000};
  std::vector<u64> all{0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256};
  for (const u64 pattern : {0x5555555555555555UL, 0x8000000000000000UL, 0x7fffffffffffffffUL,
                            0xffffffffffffffffUL, 0xfffffffffffffffeUL, 0x123456789abcdef0UL,
                            0x00000000ffffffffUL, 0x0000000080000000UL, 0x000000007fffffffUL})
    all.push_back(pattern >> (64 - 8 * sizeof(T)));
  return all;
}

/// The answer of two parts of a register, each a P.
template <class P, class U, class Act, class... V>
U of_parts(Act act, V... values) {
  U made = 0;
  for (u32 place = 0; place < 8 * sizeof(U); place += 8 * sizeof(P))
    made |=
        static_cast<U>(static_cast<U>(to_bits<P>(act(from_bits<P>(values >> place)...))) << place);
  return made;
}
/// Pairs of these values, as registers of twice the size.
template <class P>
std::vector<u64> pairs() {
  const std::vector<u64> one = edges<P>();
  std::vector<u64> made;
  for (std::size_t i = 0; i < one.size(); ++i)
    made.push_back(one[i] | one[(i * 5 + 3) % one.size()] << 8 * sizeof(P));
  return made;
}

/// Numbers that are equal, or both none.
template <class T>
bool same_number(u64 a, u64 b) {
  const T x = from_bits<T>(a);
  const T y = from_bits<T>(b);
  return (std::isnan(x) && std::isnan(y)) || a == b;
}

// ---- cases
// ---------------------------------------------------------------------------------------

/// Adds as many values that are like no other, the same ones each time.
inline void add_random(std::vector<u64>& values, std::size_t count) {
  std::mt19937_64 random(values.size());
  for (std::size_t i = 0; i < count; ++i) values.push_back(random());
}

/// Makes a sweep of an instruction that gives a D from the types S.
template <class D, class... S, class Reference>
Sweep sweep(std::string text, Reference reference) {
  Sweep made;
  made.text = std::move(text);
  made.result_bytes = sizeof(D);
  made.is_predicate = std::is_same_v<D, pred>;
  made.values = {edges<S>()...};
  made.source_bytes = {static_cast<u32>(sizeof(S))...};
  made.source_predicates = {std::is_same_v<S, pred>...};
  if (made.values.size() == 1 && !made.source_predicates[0]) add_random(made.values[0], 500);
  made.reference = [reference](const u64* raw) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return to_bits<D>(static_cast<D>(reference(from_bits<S>(raw[i])...)));
    }(std::index_sequence_for<S...>());
  };
  if constexpr (std::is_same_v<D, f32> || std::is_same_v<D, f64>) made.same = same_number<D>;
  return made;
}

/// The same, for an instruction that approximates.
template <class D, class... S, class Reference>
Sweep approximate(std::string text, Tolerance tolerance, Reference reference) {
  Sweep made = sweep<D, S...>(std::move(text), reference);
  made.values = {edges<S>()...};
  made.same = [tolerance](u64 got, u64 want) {
    const double x = from_bits<D>(got);
    const double y = from_bits<D>(want);
    if (x != x || y != y) return x != x && y != y;
    if (x == y) return true;
    return std::abs(x - y) <= std::abs(y) * tolerance.relative + tolerance.absolute;
  };
  return made;
}

std::vector<Sweep> integer_sweeps();
std::vector<Sweep> logic_sweeps();
std::vector<Sweep> floating_sweeps();
std::vector<Sweep> half_sweeps();
std::vector<Sweep> convert_sweeps();
std::vector<Sweep> compare_sweeps();
std::vector<Sweep> byte_sweeps();
std::vector<Sweep> video_sweeps();
std::vector<Sweep> memory_sweeps();
std::vector<Sweep> warp_sweeps();

}  // namespace harness::testing
