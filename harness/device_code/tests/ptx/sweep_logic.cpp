// SPDX-License-Identifier: Apache-2.0
// Reference for bit operations: logic, shifts, counts and byte permutations, bit by bit.
#include <algorithm>
#include <tuple>

#include "harness/device_code/tests/ptx/sweep.h"

namespace harness::testing {
namespace {

template <class T>
constexpr u32 kBits = 8 * sizeof(T);

/// A shift of one place as often as it is asked for.
template <class T>
T shifted(T value, u32 by, bool left) {
  for (u32 i = 0; i < std::min(by, u32{70}); ++i)
    value = static_cast<T>(left ? static_cast<std::make_unsigned_t<T>>(value) * 2u : value >> 1);
  return value;
}

template <class T>
void add_logic(std::vector<Sweep>& all) {
  const std::string t = "b" + std::to_string(kBits<T>);
  all.push_back(sweep<T, T, T>("and." + t, [](T a, T b) { return a & b; }));
  all.push_back(sweep<T, T, T>("or." + t, [](T a, T b) { return a | b; }));
  all.push_back(sweep<T, T, T>("xor." + t, [](T a, T b) { return (a | b) & ~(a & b); }));
  all.push_back(sweep<T, T>("not." + t, [](T a) { return T(-1) - a; }));
  all.push_back(sweep<T, T>("cnot." + t, [](T a) { return T(a == 0); }));
  all.push_back(sweep<T, T, u32>("shl." + t, [](T a, u32 b) { return shifted(a, b, true); }));
  using S = std::make_signed_t<T>;
  const std::string bits = std::to_string(kBits<T>);
  all.push_back(sweep<T, T, u32>("shr.u" + bits, [](T a, u32 b) { return shifted(a, b, false); }));
  all.push_back(sweep<T, T, u32>("shr.b" + bits, [](T a, u32 b) { return shifted(a, b, false); }));
  all.push_back(sweep<S, S, u32>("shr.s" + bits, [](S a, u32 b) { return shifted(a, b, false); }));
}

template <class T>
void add_counts(std::vector<Sweep>& all) {
  const std::string t = "b" + std::to_string(kBits<T>);
  all.push_back(sweep<u32, T>("popc." + t, [](T a) {
    u32 count = 0;
    for (u32 k = 0; k < kBits<T>; ++k) count += a >> k & 1;
    return count;
  }));
  all.push_back(sweep<u32, T>("clz." + t, [](T a) {
    u32 count = 0;
    while (count < kBits<T> && (a >> (kBits<T> - 1 - count) & 1) == 0) ++count;
    return count;
  }));
  all.push_back(sweep<T, T>("brev." + t, [](T a) {
    T made = 0;
    for (u32 k = 0; k < kBits<T>; ++k) made |= (a >> k & 1) << (kBits<T> - 1 - k);
    return made;
  }));
  // For 64 bits the ISA truncates position and length to a byte; an H200 does not.
  all.push_back(sweep<T, T, T, u32, u32>("bfi." + t, [](T a, T b, u32 c, u32 d) {
    const u64 place = kBits<T> == 32 ? c % 256 : c;
    const u64 count = kBits<T> == 32 ? d % 256 : d;
    T made = b;
    for (u32 k = 0; k < count && place + k < kBits<T>; ++k) {
      const T bit = T{1} << (place + k);
      made = (a >> k & 1) != 0 ? made | bit : made & ~bit;
    }
    return made;
  }));
}

void add_funnels(std::vector<Sweep>& all) {
  for (const bool left : {true, false})
    for (const bool clamps : {true, false})
      all.push_back(sweep<u32, u32, u32, u32>(
          std::string("shf.") + (left ? "l." : "r.") + (clamps ? "clamp" : "wrap") + ".b32",
          [=](u32 a, u32 b, u32 c) {
            const u32 by = clamps ? std::min(c, u32{32}) : c % 32;
            const u64 both = u64{b} << 32 | a;
            return left ? static_cast<u32>(shifted(both, by, true) >> 32)
                        : static_cast<u32>(shifted(both, by, false));
          }));
  for (const u32 table : {0x00u, 0xffu, 0xe8u, 0x96u, 0x1bu, 0xc0u})
    all.push_back(sweep<u32, u32, u32, u32>(
        "lop3.b32 $d, $a, $b, $c, " + std::to_string(table) + ";", [=](u32 a, u32 b, u32 c) {
          u32 made = 0;
          for (u32 k = 0; k < 32; ++k) {
            const u32 row = (a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1);
            made |= (table >> row & 1) << k;
          }
          return made;
        }));
  for (const bool is_and : {true, false})
    for (const bool has_result : {true, false}) {
      const std::string op = is_and ? "lop3.and.b32 " : "lop3.or.b32 ";
      // Bits of which an odd number of sources has one.
      all.push_back(sweep<u32, u32, u32, u32, pred>(
          "{ .reg .pred q; .reg .b32 t; mov.b32 t, 7; " + op + (has_result ? "t" : "_") +
              "|q, $a, $b, $c, 0x96, $e; @q or.b32 t, t, 0x80000000; mov.b32 $d, t; }",
          [=](u32 a, u32 b, u32 c, pred e) {
            u32 made = 0;
            for (u32 k = 0; k < 32; ++k) made |= (((a >> k) + (b >> k) + (c >> k)) & 1) << k;
            const bool holds = is_and ? made != 0 && e.raw != 0 : made != 0 || e.raw != 0;
            return (has_result ? made : 7) | (holds ? 0x80000000 : 0);
          }));
      all.back().subject = "lop3";
    }
}

/// The bytes that each mode of prmt takes, as the ISA tables them for the selector's low bits.
void add_permutations(std::vector<Sweep>& all) {
  using Rows = std::array<std::array<u32, 4>, 4>;
  const std::pair<const char*, Rows> kModes[] = {
      {"f4e", {{{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}}},
      {"b4e", {{{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}}},
      {"rc8", {{{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}}},
      {"ecl", {{{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}}},
      {"ecr", {{{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}}},
      {"rc16", {{{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}}}};
  const auto byte = [](u32 a, u32 b, u32 k) {
    return (k < 4 ? a >> 8 * k : b >> 8 * (k - 4)) & 255;
  };
  for (const auto& [mode, rows] : kModes)
    all.push_back(sweep<u32, u32, u32, u32>(std::string("prmt.b32.") + mode,
                                            [=, table = rows](u32 a, u32 b, u32 c) {
                                              u32 made = 0;
                                              for (u32 k = 0; k < 4; ++k)
                                                made = made << 8 | byte(a, b, table[c & 3][k]);
                                              return made;
                                            }));
  all.push_back(sweep<u32, u32, u32, u32>("prmt.b32", [=](u32 a, u32 b, u32 c) {
    u32 made = 0;
    for (u32 k = 0; k < 4; ++k) {
      const u32 choice = c >> 4 * k & 15;
      const u32 value = byte(a, b, choice & 7);
      made |= ((choice & 8) == 0 ? value : value >= 128 ? 255 : 0) << 8 * k;
    }
    return made;
  }));
}

void add_masks(std::vector<Sweep>& all) {
  for (const bool wraps : {false, true}) {
    const std::string mode = wraps ? ".wrap" : ".clamp";
    all.push_back(sweep<u32, u32, u32>("bmsk" + mode + ".b32", [=](u32 a, u32 b) {
      if (wraps) a %= 32, b %= 32;
      u32 made = 0;
      for (u32 k = 0; k < 32; ++k) made |= (k >= a && k - a < b ? u32{1} : u32{0}) << k;
      return made;
    }));
    all.push_back(sweep<u32, u32, u32>("szext" + mode + ".u32", [=](u32 a, u32 b) {
      const u32 count = wraps ? b % 32 : std::min(b, u32{32});
      return static_cast<u32>(a % (u64{1} << count));
    }));
    all.push_back(sweep<s32, u32, u32>("szext" + mode + ".s32", [=](u32 a, u32 b) {
      const u32 count = wraps ? b % 32 : std::min(b, u32{32});
      if (count == 0) return s64{0};
      const s64 low = a % (u64{1} << count);
      return low >= s64{1} << (count - 1) ? low - (s64{1} << count) : low;
    }));
  }
}

}  // namespace

std::vector<Sweep> logic_sweeps() {
  std::vector<Sweep> all;
  add_logic<u16>(all), add_logic<u32>(all), add_logic<u64>(all);
  add_counts<u32>(all), add_counts<u64>(all);
  add_funnels(all);
  add_permutations(all);
  add_masks(all);
  all.push_back(
      sweep<pred, pred, pred>("and.pred", [](pred a, pred b) { return pred{a.raw * b.raw}; }));
  all.push_back(sweep<pred, pred, pred>(
      "or.pred", [](pred a, pred b) { return pred{std::max(a.raw, b.raw)}; }));
  all.push_back(sweep<pred, pred, pred>("xor.pred",
                                        [](pred a, pred b) { return pred{u32{a.raw != b.raw}}; }));
  all.push_back(sweep<pred, pred>("not.pred", [](pred a) { return pred{1 - a.raw}; }));
  return all;
}

}  // namespace harness::testing
