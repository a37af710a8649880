// SPDX-License-Identifier: Apache-2.0
// Reference for f16 and bf16, single and in pairs.
#include <tuple>

#include "harness/device_code/tests/ptx/halves.h"

namespace harness::testing {
namespace {

template <class H>
H flushed(H value) {
  return (value.raw & 0x7c00) == 0 ? H{static_cast<u16>(value.raw & 0x8000)} : value;
}

/// A sum is +0 if its parts cancel, -0 if both are.
template <class H>
H sum(quad a, quad b, bool both_negative) {
  const quad value = a + b;
  return nearest<H>(value, value < 0 || (value == 0 && both_negative));
}
template <class H>
H add(H a, H b) {
  return sum<H>(number(a), number(b), std::signbit(number(a)) && std::signbit(number(b)));
}
template <class H>
H mul(H a, H b) {
  return nearest<H>(quad{number(a)} * number(b),
                    std::signbit(number(a)) != std::signbit(number(b)));
}
template <class H>
H fma(H a, H b, H c) {
  const bool negative = std::signbit(number(a)) != std::signbit(number(b));
  return sum<H>(quad{number(a)} * number(b), number(c), negative && std::signbit(number(c)));
}
template <class H>
H negated(H a) {
  return {static_cast<u16>(a.raw ^ 0x8000)};
}
template <class H>
H chosen(H a, H b, bool largest, bool keeps_none) {
  const f64 x = number(a);
  const f64 y = number(b);
  if (x != x || y != y) return keeps_none ? H{0x7fff} : x != x ? b : a;
  if (x == y) return std::signbit(x) == largest ? b : a;
  return (x < y) == largest ? b : a;
}
template <class H>
H in_unit(H a) {
  const f64 x = number(a);
  return x >= 1 ? nearest<H>(1) : x > 0 ? a : H{0};
}

/// Adds an instruction on one number, and the one that does the same with two in a register.
template <class H, class... S, class Reference>
void add_both(std::vector<Sweep>& all, const std::string& op, const std::string& type,
              Reference reference) {
  all.push_back(half_sweep<H, S...>(op + "." + type, reference));
  Sweep pair =
      sweep<u32, std::conditional_t<true, u32, S>...>(op + "." + type + "x2", [=](auto... v) {
        return u32{reference(H{static_cast<u16>(v)}...).raw} |
               u32{reference(H{static_cast<u16>(v >> 16)}...).raw} << 16;
      });
  for (std::vector<u64>& values : pair.values) values = pairs<H>();
  pair.same = [](u64 a, u64 b) {
    return same_half<H>(a & 0xffff, b & 0xffff) && same_half<H>(a >> 16, b >> 16);
  };
  all.push_back(pair);
}

template <class H>
void add_arithmetic(std::vector<Sweep>& all, const std::string& t) {
  add_both<H, H, H>(all, "add", t, [](H a, H b) { return add(a, b); });
  add_both<H, H, H>(all, "sub", t, [](H a, H b) { return add(a, negated(b)); });
  add_both<H, H, H>(all, "mul", t, [](H a, H b) { return mul(a, b); });
  add_both<H, H, H, H>(all, "fma.rn", t, [](H a, H b, H c) { return fma(a, b, c); });
  add_both<H, H, H, H>(all, "fma.rn.relu", t, [](H a, H b, H c) {
    const H value = fma(a, b, c);
    return number(value) < 0 ? H{0} : number(value) == 0 ? H{0} : value;
  });
  add_both<H, H>(all, "neg", t, [](H a) { return negated(a); });
  add_both<H, H>(all, "abs", t, [](H a) { return H{static_cast<u16>(a.raw & 0x7fff)}; });
  for (const bool largest : {false, true}) {
    const std::string op = largest ? "max" : "min";
    add_both<H, H, H>(all, op, t, [=](H a, H b) { return chosen(a, b, largest, false); });
    add_both<H, H, H>(all, op + ".NaN", t, [=](H a, H b) { return chosen(a, b, largest, true); });
  }
}

/// The comparisons of the ISA's table, each as the orders of two numbers for which it holds: less,
/// equal, more, and none if one is not a number.
struct Comparison {
  const char* name;
  bool less, equal, more, none;
};
constexpr Comparison kComparisons[] = {
    {"eq", false, true, false, false}, {"ne", true, false, true, false},
    {"lt", true, false, false, false}, {"le", true, true, false, false},
    {"gt", false, false, true, false}, {"ge", false, true, true, false},
    {"equ", false, true, false, true}, {"neu", true, false, true, true},
    {"ltu", true, false, false, true}, {"leu", true, true, false, true},
    {"gtu", false, false, true, true}, {"geu", false, true, true, true},
    {"num", true, true, true, false},  {"nan", false, false, false, true}};
template <class H>
bool holds(const Comparison& one, H a, H b) {
  const f64 x = number(a);
  const f64 y = number(b);
  return x < y ? one.less : x > y ? one.more : x == y ? one.equal : one.none;
}

/// `set` and `setp` on pairs; `one` are the bits of 1.0.
template <class H>
void add_comparisons(std::vector<Sweep>& all, const std::string& t, u16 one) {
  const auto low = [](u32 v) { return H{static_cast<u16>(v)}; };
  const auto high = [](u32 v) { return H{static_cast<u16>(v >> 16)}; };
  const auto add = [&](const std::string& text, auto made) {
    all.push_back(made(text));
    for (std::size_t i = 0; i < 2; ++i)
      if (all.back().source_bytes[i] == 4) all.back().values[i] = pairs<H>();
  };
  for (const Comparison& how : kComparisons) {
    const std::string op = std::string("set.") + how.name;
    add(op + "." + t + "." + t, [=](auto& text) {
      return sweep<u16, H, H>(text, [=](H a, H b) { return holds(how, a, b) ? one : 0; });
    });
    add(op + ".u32." + t, [=](auto& text) {
      return sweep<u32, H, H>(text, [=](H a, H b) { return holds(how, a, b) ? 0xffffffff : 0; });
    });
    for (const auto& [type, truth] :
         {std::pair{t + "x2", u32{one}}, {std::string("u32"), u32{0xffff}}})
      add(op + "." + type + "." + t + "x2", [=, yes = truth](auto& text) {
        return sweep<u32, u32, u32>(text, [=](u32 a, u32 b) {
          return (holds(how, low(a), low(b)) ? yes : 0) |
                 (holds(how, high(a), high(b)) ? yes << 16 : 0);
        });
      });
    add("{ .reg .pred p, q; setp." + std::string(how.name) + ".xor." + t +
            "x2 p|q, $a, $b, $c; selp.b32 $d, 1, 0, p; @q add.u32 $d, $d, 2; }",
        [=](auto& text) {
          Sweep both = sweep<u32, u32, u32, pred>(text, [=](u32 a, u32 b, pred c) {
            const bool with = c.raw != 0;
            return (holds(how, low(a), low(b)) != with ? 1 : 0) +
                   (holds(how, high(a), high(b)) != with ? 2 : 0);
          });
          both.subject = "setp";
          return both;
        });
  }
}

/// A sweep of an instruction that approximates.
template <class H, class Exact>
Sweep approximate_half(const std::string& text, Tolerance bound, Exact exact) {
  Sweep made = half_sweep<H, H>(text, [=](H a) {
    const f64 value = exact(number(a));
    return nearest<H>(value, std::signbit(value));
  });
  made.values = {edges<H>()};
  made.same = [bound](u64 got, u64 want) {
    const f64 x = number(from_bits<H>(got));
    const f64 y = number(from_bits<H>(want));
    if (x != x || y != y) return x != x && y != y;
    return x == y || std::abs(x - y) <= std::abs(y) * bound.relative + bound.absolute;
  };
  return made;
}

/// The ISA bounds the relative error of ex2 and the absolute one of tanh. To that comes the
/// reference's own, as it is rounded: half a step.
template <class H>
void add_approximations(std::vector<Sweep>& all, const std::string& type, const std::string& ex2,
                        Tolerance power, Tolerance tangent) {
  all.push_back(approximate_half<H>(ex2 + type, power, [](f64 x) { return std::exp2(x); }));
  all.push_back(
      approximate_half<H>("tanh.approx." + type, tangent, [](f64 x) { return std::tanh(x); }));
}

}  // namespace

std::vector<Sweep> half_sweeps() {
  std::vector<Sweep> all;
  add_arithmetic<half>(all, "f16");
  add_arithmetic<bhalf>(all, "bf16");
  add_both<half, half, half>(all, "add.ftz", "f16",
                             [](half a, half b) { return flushed(add(flushed(a), flushed(b))); });
  add_both<half, half, half>(all, "mul.sat", "f16",
                             [](half a, half b) { return in_unit(mul(a, b)); });
  add_comparisons<half>(all, "f16", 0x3c00), add_comparisons<bhalf>(all, "bf16", 0x3f80);
  all.push_back(sweep<u16, half, half>("set.le.ftz.u16.f16", [](half a, half b) {
    return number(flushed(a)) <= number(flushed(b)) ? 0xffff : 0;
  }));
  add_approximations<half>(all, "f16", "ex2.approx.", {std::exp2(-9.9) + 0x1p-11, 0x1p-25},
                           {0, std::exp2(-10.987) + 0x1p-12});
  add_approximations<bhalf>(all, "bf16", "ex2.approx.ftz.", {0x1p-7 + 0x1p-8, 0},
                            {0, 0x1p-8 + 0x1p-9});
  return all;
}

}  // namespace harness::testing
