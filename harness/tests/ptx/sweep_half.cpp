// The ISA on f16 and bf16, alone and in pairs.
#include <tuple>

#include "harness/tests/ptx/halves.h"

namespace harness::testing {
namespace {

template <class H>
H flushed(H value) {
  return (value.raw & 0x7c00) == 0 ? H{static_cast<u16>(value.raw & 0x8000)} : value;
}

/// A sum is +0 where its parts cancel, -0 where both are.
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
  for (std::vector<u64>& values : pair.values) {
    values.clear();
    const std::vector<u64> one = edges<H>();
    for (std::size_t i = 0; i < one.size(); ++i)
      values.push_back(one[i] | one[(i * 5 + 3) % one.size()] << 16);
  }
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

/// A sweep of an instruction that approximates.
template <class H, class Exact>
Sweep approximate_half(const std::string& text, Tolerance bound, Exact exact) {
  Sweep made = half_sweep<H, H>(text, [=](H a) {
    const f64 value = exact(number(a));
    return nearest<H>(value, std::signbit(value));
  });
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
  add_approximations<half>(all, "f16", "ex2.approx.", {std::exp2(-9.9) + 0x1p-11, 0x1p-25},
                           {0, std::exp2(-10.987) + 0x1p-12});
  add_approximations<bhalf>(all, "bf16", "ex2.approx.ftz.", {0x1p-7 + 0x1p-8, 0},
                            {0, 0x1p-8 + 0x1p-9});
  return all;
}

}  // namespace harness::testing
