// SPDX-License-Identifier: Apache-2.0
// Reference for exchanges between the lanes of a warp: each lane's result as a function of the
// sources of all lanes.
#include <algorithm>

#include "harness/device_code/tests/ptx/sweep.h"

namespace harness::testing {
namespace {

constexpr u32 kLanes = 32;

/// Source `which` of a lane.
u32 source(const u64* warp, u32 lane, std::size_t which = 0) {
  return static_cast<u32>(warp[lane * kSources + which]);
}

template <class D, class... S, class Across>
void add(std::vector<Sweep>& all, const std::string& text, const char* subject, Across across) {
  Sweep made;
  made.text = text;
  made.result_bytes = sizeof(D);
  made.values = {edges<S>()...};
  made.source_bytes = {static_cast<u32>(sizeof(S))...};
  made.source_predicates = {std::is_same_v<S, pred>...};
  made.across = across;
  made.subject = subject;
  all.push_back(made);
}

/// Returns code for the result, with 2^31 added if the second result, a predicate, is true.
std::string with_predicate(const std::string& op, const std::string& sources) {
  return "{ .reg .pred q; .reg .b32 t; " + op + " t|q, " + sources +
         "; and.b32 $d, t, 0x7fffffff; @q or.b32 $d, $d, 0x80000000; }";
}

/// Segments of 32, 16 and 8 lanes, and amounts of each size; a lane whose partner is outside of the
/// segment keeps its own.
void add_shuffles(std::vector<Sweep>& all) {
  for (const char* mode : {"up", "down", "bfly", "idx"})
    for (const u32 width : {32, 16, 8})
      for (const u32 by : {0, 1, 3, 7, 9, 17, 31}) {
        const std::string how = mode;
        const u32 limits = (32 - width) << 8 | (how == "up" ? 0 : 31);
        const std::string sources =
            "$a, " + std::to_string(by) + ", " + std::to_string(limits) + ", -1";
        add<u32, u32>(all, with_predicate("shfl.sync." + how + ".b32", sources), "shfl",
                      [=](const u64* warp, u32 lane) {
                        const u32 begin = lane / width * width;
                        s64 from = how == "up"     ? s64{lane} - by
                                   : how == "down" ? s64{lane} + by
                                   : how == "bfly" ? s64{lane ^ by}
                                                   : s64{begin + by % width};
                        const bool inside = how == "up" ? from >= begin : from < s64{begin + width};
                        if (!inside) from = lane;
                        const u32 value = source(warp, static_cast<u32>(from)) & 0x7fffffff;
                        return value | (inside ? 0x80000000 : 0);
                      });
      }
}

void add_votes(std::vector<Sweep>& all) {
  const auto holding = [](const u64* warp) {
    u32 made = 0;
    for (u32 lane = 0; lane < kLanes; ++lane) made += source(warp, lane) % 3 == 0 ? 1 : 0;
    return made;
  };
  const std::string third =
      "{ .reg .pred p, q; .reg .b32 t; rem.u32 t, $a, 3; setp.eq.u32 p, t, 0; ";
  const auto add_vote = [&](const std::string& mode, auto holds) {
    add<u32, u32>(all, third + "vote.sync." + mode + ".pred q, p, -1; selp.b32 $d, 1, 0, q; }",
                  "vote",
                  [=](const u64* warp, u32) { return u64{holds(holding(warp)) ? 1U : 0U}; });
  };
  add_vote("all", [](u32 count) { return count == kLanes; });
  add_vote("any", [](u32 count) { return count != 0; });
  add_vote("uni", [](u32 count) { return count == 0 || count == kLanes; });
  add<u32, u32>(all, third + "vote.sync.ballot.b32 $d, p, -1; }", "vote", [](const u64* warp, u32) {
    u64 made = 0;
    for (u32 lane = 0; lane < kLanes; ++lane)
      if (source(warp, lane) % 3 == 0) made += u64{1} << lane;
    return made;
  });
}

void add_matches(std::vector<Sweep>& all) {
  for (const u32 mask : {0u, 1u, 7u}) {
    const std::string cut =
        "{ .reg .pred q; .reg .b32 t; and.b32 t, $a, " + std::to_string(mask) + "; ";
    const auto equal = [=](const u64* warp, u32 lane) {
      u64 made = 0;
      for (u32 other = 0; other < kLanes; ++other)
        if (((source(warp, lane) ^ source(warp, other)) & mask) == 0) made += u64{1} << other;
      return made;
    };
    add<u32, u32>(all, cut + "match.any.sync.b32 $d, t, -1; }", "match", equal);
    add<u32, u32>(all, cut + "match.all.sync.b32 $d|q, t, -1; @q xor.b32 $d, $d, 5; }", "match",
                  [=](const u64* warp, u32 lane) {
                    return equal(warp, lane) == 0xffffffff ? u64{0xffffffff ^ 5} : u64{0};
                  });
  }
}

template <class T, class Act>
void add_combination(std::vector<Sweep>& all, const std::string& op, Act act) {
  add<u32, u32>(all, "redux.sync." + op + " $d, $a, -1;", "redux", [=](const u64* warp, u32) {
    T made = static_cast<T>(source(warp, 0));
    for (u32 lane = 1; lane < kLanes; ++lane)
      made = static_cast<T>(act(made, static_cast<T>(source(warp, lane))));
    return u64{static_cast<u32>(made)};
  });
}

/// Element (row, column) of a matrix of 8 by 8 halves: lane 4 * row + column / 2 has it.
u32 element(const u64* warp, u32 row, u32 column, std::size_t which) {
  return source(warp, 4 * row + column / 2, which) >> 16 * (column % 2) & 0xffff;
}

void add_matrices(std::vector<Sweep>& all) {
  add<u32, u32>(all, "movmatrix.sync.aligned.m8n8.trans.b16 $d, $a;", "movmatrix",
                [](const u64* warp, u32 lane) {
                  const u32 row = lane / 4, column = lane % 4 * 2;
                  return u64{element(warp, column, row, 0)} | u64{element(warp, column + 1, row, 0)}
                                                                  << 16;
                });
  // Each lane's 16 bytes are a row; a word of them is looked at, and those of all lanes in turn.
  const std::pair<u32, const char*> kCounts[] = {
      {1, "{$a}"}, {2, "{$a, $b}"}, {4, "{$a, $b, $c, $e}"}};
  for (const auto& [number, registers] : kCounts)
    for (const bool is_turned : {false, true})
      for (u32 word = 0; word < 4; ++word) {
        const std::string at = "[%s+" + std::to_string(4 * word) + "]";
        add<u32, u32, u32, u32, u32>(
            all,
            "st.shared.b32 " + at + ", 77; bar.sync 0; stmatrix.sync.aligned.m8n8.x" +
                std::to_string(number) + (is_turned ? ".trans" : "") + ".shared.b16 [%s], " +
                registers + "; bar.sync 0; ld.shared.b32 $d, " + at + ";",
            "stmatrix", [=, count = number](const u64* warp, u32 lane) {
              if (lane >= 8 * count) return u64{77};
              const u32 row = lane % 8;
              u64 made = 0;
              for (u32 i = 0; i < 2; ++i) {
                const u32 column = 2 * word + i;
                made |= u64{is_turned ? element(warp, column, row, lane / 8)
                                      : element(warp, row, column, lane / 8)}
                        << 16 * i;
              }
              return made;
            });
      }
}

// ---- products of integers -----------------------------------------------------------------------

/// A matrix of A's shape: lane 4 * g + t has `packed` elements of row g in each register; the next
/// register has those of row g + 8, if there is one, and the one after that those farther on.
std::vector<s64> matrix(const u64* warp, u32 rows, u32 depth, u32 bits, bool has_sign,
                        std::size_t first) {
  std::vector<s64> made(rows * depth);
  const u32 packed = 32 / bits;
  const u32 down = rows / 8;
  for (u32 lane = 0; lane < kLanes; ++lane)
    for (u32 i = 0; i < down * depth / packed / 4; ++i)
      for (u32 j = 0; j < packed; ++j) {
        const u64 raw = u64{source(warp, lane, (first + i) % kSources)} >> bits * j;
        const s64 size = static_cast<s64>(raw % (u64{1} << bits));
        const bool is_negative = has_sign && size >= s64{1} << (bits - 1);
        const u32 row = lane / 4 + i % down * 8;
        const u32 column = lane % 4 * packed + j + i / down * 4 * packed;
        made[row * depth + column] = is_negative ? size - (s64{1} << bits) : size;
      }
  return made;
}

/// A's registers are the sources from the first on, B's from the last back, C's from the third on.
struct Product {
  u32 rows, depth, bits;
  const char *a, *b, *operation;
};

void add_product(std::vector<Sweep>& all, const Product& one) {
  const char* kNames[] = {"$a", "$b", "$c", "$e"};
  const u32 packed = 32 / one.bits;
  const u32 count_a = one.rows / 8 * one.depth / packed / 4, count_b = one.depth / packed / 4;
  const u32 count_c = one.rows / 4;
  const auto list = [&](u32 first, u32 count) {
    std::string made;
    for (u32 i = 0; i < count; ++i)
      made += (i == 0 ? "{" : ", ") + std::string(kNames[(first + i) % kSources]);
    return made + "}";
  };
  const std::string operation = one.operation;
  const std::string text = "mma.sync.aligned.m" + std::to_string(one.rows) + "n8k" +
                           std::to_string(one.depth) + ".row.col" +
                           (operation == ".satfinite" ? operation : "") + ".s32." + one.a + "." +
                           one.b + ".s32" + (operation == ".satfinite" ? "" : operation) + " ";
  for (u32 asked = 0; asked < count_c; ++asked) {
    std::string to;
    for (u32 i = 0; i < count_c; ++i)
      to += (i == 0 ? "{" : ", ") + std::string(i == asked ? "$d" : "x" + std::to_string(i));
    add<u32, u32, u32, u32, u32>(
        all,
        "{ .reg .b32 x<4>; " + text + to + "}, " + list(0, count_a) + ", " + list(3, count_b) +
            ", " + list(2, count_c) + "; }",
        "mma", [=](const u64* warp, u32 lane) {
          const std::vector<s64> a =
              matrix(warp, one.rows, one.depth, one.bits, one.a[0] == 's', 0);
          const std::vector<s64> b = matrix(warp, 8, one.depth, one.bits, one.b[0] == 's', 3);
          const u32 row = lane / 4 + asked / 2 * 8, column = lane % 4 * 2 + asked % 2;
          s64 sum = static_cast<s32>(source(warp, lane, (2 + asked) % kSources));
          for (u32 k = 0; k < one.depth; ++k) {
            const s64 x = a[row * one.depth + k], y = b[column * one.depth + k];
            sum += operation == ".xor.popc" ? s64{x != y} : x * y;
          }
          if (operation == ".satfinite") sum = std::clamp<s64>(sum, -0x80000000L, 0x7fffffffL);
          return u64{static_cast<u32>(sum)};
        });
  }
}

void add_products(std::vector<Sweep>& all) {
  constexpr Product kProducts[] = {{8, 16, 8, "u8", "s8", ""},
                                   {16, 16, 8, "s8", "u8", ""},
                                   {16, 32, 8, "s8", "s8", ""},
                                   {16, 32, 8, "u8", "u8", ".satfinite"},
                                   {8, 32, 4, "s4", "u4", ""},
                                   {16, 32, 4, "u4", "s4", ".satfinite"},
                                   {16, 64, 4, "s4", "s4", ""},
                                   {16, 64, 4, "u4", "u4", ""},
                                   {8, 128, 1, "b1", "b1", ".xor.popc"},
                                   {16, 128, 1, "b1", "b1", ".and.popc"},
                                   {16, 256, 1, "b1", "b1", ".xor.popc"},
                                   {16, 256, 1, "b1", "b1", ".and.popc"}};
  for (const Product& one : kProducts) add_product(all, one);
}

}  // namespace

std::vector<Sweep> warp_sweeps() {
  std::vector<Sweep> all;
  add_shuffles(all);
  add_votes(all);
  add_matches(all);
  add_matrices(all);
  add_products(all);
  add_combination<u32>(all, "add.u32", [](u32 a, u32 b) { return a + b; });
  add_combination<u32>(all, "min.u32", [](u32 a, u32 b) { return std::min(a, b); });
  add_combination<u32>(all, "max.u32", [](u32 a, u32 b) { return std::max(a, b); });
  add_combination<s32>(all, "min.s32", [](s32 a, s32 b) { return std::min(a, b); });
  add_combination<s32>(all, "max.s32", [](s32 a, s32 b) { return std::max(a, b); });
  add_combination<u32>(all, "and.b32", [](u32 a, u32 b) { return a & b; });
  add_combination<u32>(all, "or.b32", [](u32 a, u32 b) { return a | b; });
  add_combination<u32>(all, "xor.b32", [](u32 a, u32 b) { return a ^ b; });
  // The ISA leaves open which lane it is: an H200 takes the first of the mask.
  add<u32, u32>(all, with_predicate("elect.sync", "-1"), "elect",
                [](const u64*, u32 lane) { return u64{lane == 0 ? 0x80000000 : 0}; });
  add<u32, u32>(all, "activemask.b32 $d;", "activemask",
                [](const u64*, u32) { return u64{0xffffffff}; });
  return all;
}

}  // namespace harness::testing
