// SPDX-License-Identifier: Apache-2.0
// Reference for moves, loads and stores of each space and size, and atomics. %s is an address in
// shared memory with 16 bytes for each thread.
#include <algorithm>
#include <limits>

#include "harness/device_code/tests/ptx/halves.h"

namespace harness::testing {
namespace {

template <class T>
std::string type(char kind) {
  return kind + std::to_string(8 * sizeof(T));
}

template <class U, class S>
void add_moves(std::vector<Sweep>& all) {
  for (const char kind : {'b', 'u', 's'})
    all.push_back(sweep<U, U>("mov." + type<U>(kind), [](U a) { return a; }));
  for (const char* op : {"st.shared.", "st.volatile.shared."})
    for (const bool is_signed : {false, true})
      all.push_back(sweep<u64, U>(
          std::string(op) + type<U>('b') + " [%s], $a; ld.shared." +
              type<U>(is_signed ? 's' : 'u') + " $d, [%s];",
          [=](U a) { return is_signed ? static_cast<u64>(s64{static_cast<S>(a)}) : u64{a}; }));
  all.push_back(sweep<U, U>("{ .local .align 8 .b8 here[16]; st.local." + type<U>('u') +
                                " [here+8], $a; ld.local." + type<U>('u') + " $d, [here+8]; }",
                            [](U a) { return a; }));
  all.push_back(sweep<U, U>(
      "st.global." + type<U>('b') + " [%out], $a; ld.global." + type<U>('b') + " $d, [%out];",
      [](U a) { return a; }));
  all.push_back(sweep<U, U>("ldu.global." + type<U>('b') + " $d, [%in];", [](U a) { return a; }));
}

/// Bytes, which registers of 16 bits hold.
void add_bytes(std::vector<Sweep>& all) {
  all.push_back(sweep<u16, u16>("st.shared.u8 [%s], $a; ld.shared.u8 $d, [%s];",
                                [](u16 a) { return a & 255; }));
  all.push_back(sweep<s16, u16>("st.shared.b8 [%s], $a; ld.shared.s8 $d, [%s];",
                                [](u16 a) { return static_cast<s8>(a); }));
}

void add_vectors(std::vector<Sweep>& all) {
  const auto both = [](u32 a, u32 b) { return u64{b} << 32 | a; };
  all.push_back(sweep<u64, u32, u32>("mov.b64 $d, {$a, $b};", both));
  all.push_back(
      sweep<u64, u32, u32>("st.shared.v2.b32 [%s], {$a, $b}; ld.shared.b64 $d, [%s];", both));
  all.push_back(sweep<u64, u32, u32>(
      "{ .reg .b32 x, y; st.shared.v2.b32 [%s+8], {$a, $b}; ld.shared.v2.b32 {x, y}, [%s+8]; "
      "mov.b64 $d, {y, x}; }",
      [=](u32 a, u32 b) { return both(b, a); }));
  all.push_back(sweep<u32, u64>("{ .reg .b32 x; mov.b64 {x, $d}, $a; }",
                                [](u64 a) { return static_cast<u32>(a >> 32); }));
  all.push_back(
      sweep<u32, u16, u16>("mov.b32 $d, {$a, $b};", [](u16 a, u16 b) { return u32{b} << 16 | a; }));
  all.push_back(sweep<u32, u32, u32, u32, u32>(
      "{ .reg .b32 x, y, z, w; st.shared.v4.b32 [%s], {$a, $b, $c, $e}; "
      "ld.shared.v4.b32 {x, y, z, w}, [%s]; xor.b32 $d, x, w; sub.u32 $d, $d, y; add.u32 $d, $d, "
      "z; }",
      [](u32 a, u32 b, u32 c, u32 e) { return (a ^ e) - b + c; }));
  all.back().subject = "ld";
}

/// Registers of 128 bits, from two of 64 or four of 32, and through memory.
void add_wide(std::vector<Sweep>& all) {
  const std::string made = "{ .reg .b128 q, r; .reg .b64 t; mov.b128 q, {$a, $b}; ";
  const std::pair<const char*, const char*> kWays[] = {
      {"mov", "mov.b128 r, q; "},
      {"st", "st.shared.b128 [%s], q; ld.shared.b128 r, [%s]; "},
      {"ld", "st.shared.v2.b64 [%s], {$a, $b}; ld.volatile.shared.b128 r, [%s]; "},
      {"ldu", "ldu.global.b128 r, [%in]; "}};
  for (const auto& [subject, way] : kWays) {
    all.push_back(
        sweep<u64, u64, u64>(made + way + "mov.b128 {$d, t}, r; }", [](u64 a, u64) { return a; }));
    all.back().subject = subject;
    all.push_back(
        sweep<u64, u64, u64>(made + way + "mov.b128 {t, $d}, r; }", [](u64, u64 b) { return b; }));
    all.back().subject = subject;
  }
  for (u32 asked = 0; asked < 4; ++asked) {
    const std::string to[] = {"{$d, x, y, z}", "{x, $d, y, z}", "{x, y, $d, z}", "{x, y, z, $d}"};
    all.push_back(sweep<u32, u32, u32, u32, u32>(
        "{ .reg .b128 q; .reg .b32 x, y, z; mov.b128 q, {$a, $b, $c, $e}; mov.b128 " + to[asked] +
            ", q; }",
        [=](u32 a, u32 b, u32 c, u32 e) { return std::array{a, b, c, e}[asked]; }));
  }
}

/// Addresses of shared memory as generic ones, and back.
void add_addresses(std::vector<Sweep>& all) {
  all.push_back(
      sweep<u32, u32>("{ .reg .b64 g; cvt.u64.u32 g, %s; cvta.shared.u64 g, g; st.u32 [g], $a; "
                      "cvta.to.shared.u64 g, g; ld.shared.u32 $d, [g]; }",
                      [](u32 a) { return a; }));
  all.back().subject = "cvta";
  const std::pair<const char*, const char*> kPlaces[] = {
      {"shared", "{ .reg .b64 g; cvt.u64.u32 g, %s; cvta.shared.u64 g, g; "},
      {"global", "{ .reg .b64 g; mov.u64 g, %out; "},
      {"local", "{ .reg .b64 g; .local .b8 here[8]; mov.u64 g, here; cvta.local.u64 g, g; "}};
  for (const auto& [space, place] : kPlaces)
    for (const char* asked : {"shared", "global", "local"}) {
      const bool is_there = std::string(asked) == space;
      all.push_back(sweep<pred, u32>(std::string(place) + "isspacep." + asked + " $d, g; }",
                                     [=](u32) { return pred{is_there ? 1U : 0U}; }));
      all.back().subject = "isspacep";
    }
}

// ---- atomics ------------------------------------------------------------------------------------

/// `atom` gives the word before, and leaves the one after; so does `red`, which gives none.
template <class T, class Reference>
void add_atomic(std::vector<Sweep>& all, const std::string& op, const std::string& type,
                bool has_red, Reference after) {
  const std::string bits = "b" + std::to_string(8 * sizeof(T));
  const std::string store = "st.shared." + bits + " [%s], $a; ";
  const std::string load = " ld.shared." + bits + " $d, [%s];";
  const auto add = [&](const std::string& text, const char* subject, auto reference) {
    all.push_back(sweep<T, T, T>(text, reference));
    all.back().subject = subject;
  };
  const std::string atom = store + "atom.shared." + op + "." + type + " $d, [%s], $b;";
  add(atom, "atom", [](T a, T) { return a; });
  add(atom + load, "atom", after);
  if (has_red) add(store + "red.shared." + op + "." + type + " [%s], $b;" + load, "red", after);
  if (!has_red) return;
  add("st.global." + bits + " [%out], $a; red.global." + op + "." + type +
          " [%out], $b; ld.global." + bits + " $d, [%out];",
      "red", after);
}

template <class U, class S>
void add_integer_atomics(std::vector<Sweep>& all) {
  const std::string b = type<U>('b'), u = type<U>('u'), s = type<U>('s');
  add_atomic<U>(all, "and", b, true, [](U x, U y) { return x & y; });
  add_atomic<U>(all, "or", b, true, [](U x, U y) { return x | y; });
  add_atomic<U>(all, "xor", b, true, [](U x, U y) { return (x | y) - (x & y); });
  add_atomic<U>(all, "exch", b, false, [](U, U y) { return y; });
  add_atomic<U>(all, "add", u, true, [](U x, U y) { return x + y; });
  add_atomic<U>(all, "min", u, true, [](U x, U y) { return std::min(x, y); });
  add_atomic<U>(all, "max", u, true, [](U x, U y) { return std::max(x, y); });
  add_atomic<S>(all, "min", s, true, [](S x, S y) { return std::min(x, y); });
  add_atomic<S>(all, "max", s, true, [](S x, S y) { return std::max(x, y); });
  if (sizeof(U) == 8) return;
  add_atomic<U>(all, "add", s, true, [](U x, U y) { return x + y; });
  add_atomic<U>(all, "inc", u, true, [](U x, U y) { return x >= y ? 0 : x + 1; });
  add_atomic<U>(all, "dec", u, true, [](U x, U y) { return x == 0 || x > y ? y : x - 1; });
}

template <class U>
void add_swap(std::vector<Sweep>& all) {
  const std::string b = type<U>('b');
  const std::string text =
      "st.shared." + b + " [%s], $a; atom.shared.cas." + b + " $d, [%s], $b, $c;";
  all.push_back(sweep<U, U, U, U>(text, [](U a, U, U) { return a; }));
  all.back().subject = "atom";
  all.push_back(sweep<U, U, U, U>(text + " ld.shared." + b + " $d, [%s];",
                                  [](U a, U b, U c) { return a == b ? c : a; }));
  all.back().subject = "atom";
}

template <class H>
void add_half_atomics(std::vector<Sweep>& all, const std::string& type) {
  const auto sum = [](H a, H b) {
    const quad value = quad{number(a)} + number(b);
    const bool both = std::signbit(number(a)) && std::signbit(number(b));
    return nearest<H>(value, value < 0 || (value == 0 && both));
  };
  const std::size_t begin = all.size();
  add_atomic<H>(all, "add.noftz", type, true, sum);
  for (std::size_t i = begin; i < all.size(); ++i) all[i].same = same_half<H>;
  const std::size_t two = all.size();
  add_atomic<u32>(all, "add.noftz", type + "x2", true,
                  [=](u32 a, u32 b) { return of_parts<H, u32>(sum, a, b); });
  for (std::size_t i = two; i < all.size(); ++i) {
    all[i].values = {pairs<H>(), pairs<H>()};
    all[i].same = [](u64 a, u64 b) {
      return same_half<H>(a & 0xffff, b & 0xffff) && same_half<H>(a >> 16, b >> 16);
    };
  }
}

}  // namespace

std::vector<Sweep> memory_sweeps() {
  std::vector<Sweep> all;
  add_moves<u16, s16>(all), add_moves<u32, s32>(all), add_moves<u64, s64>(all);
  all.push_back(sweep<pred, pred>("mov.pred", [](pred a) { return a; }));
  add_bytes(all);
  add_vectors(all);
  add_wide(all);
  add_addresses(all);
  add_integer_atomics<u32, s32>(all), add_integer_atomics<u64, s64>(all);
  add_swap<u16>(all), add_swap<u32>(all), add_swap<u64>(all);
  add_atomic<f64>(all, "add", "f64", true, [](f64 a, f64 b) { return a + b; });
  // An f32 in shared memory keeps its subnormal numbers; in global memory a GPU may flush them.
  add_atomic<f32>(all, "add", "f32", false, [](f32 a, f32 b) { return a + b; });
  add_half_atomics<half>(all, "f16"), add_half_atomics<bhalf>(all, "bf16");
  return all;
}

}  // namespace harness::testing
