// SPDX-License-Identifier: Apache-2.0
// Reference for f32 and f64: IEEE 754 in each rounding direction, the effects of .ftz and .sat, and
// error bounds of approximate instructions.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

#include "harness/device_code/tests/ptx/halves.h"

namespace harness::testing {
namespace {

constexpr std::pair<const char*, int> kModes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

template <class T>
T flushed(T value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value;
}
template <class T>
T in_unit(T value) {
  return value >= 1 ? T{1} : value > 0 ? value : T{0};
}

/// Calculates in a rounding mode of the host.
template <class T, class Act, class... V>
T rounded(int mode, Act act, V... values) {
  std::fesetround(mode);
  volatile T result = act(static_cast<volatile T&>(values)...);
  std::fesetround(FE_TONEAREST);
  return result;
}

/// Rounds to the nearest, but gives zero if the number is below the normal ones before that: an
/// H200 does so where rounding would lead to the least of them. Cut, such a number is below it.
template <class T, class Act, class... V>
T flushing(Act act, V... values) {
  const T result = rounded<T>(FE_TONEAREST, act, values...);
  const T cut = rounded<T>(FE_TOWARDZERO, act, values...);
  return std::abs(cut) < std::numeric_limits<T>::min() ? std::copysign(T{0}, result) : result;
}

template <class T, class... S, class Act>
void add_rounded(std::vector<Sweep>& all, const std::string& op, Act act) {
  const std::string t = sizeof(T) == 4 ? ".f32" : ".f64";
  for (const auto& [mode, number] : kModes)
    all.push_back(
        sweep<T, S...>(op + "." + mode + t, [=](S... v) { return rounded<T>(number, act, v...); }));
  if (sizeof(T) == 8) return;
  all.push_back(
      sweep<T, S...>(op + ".rn.ftz" + t, [=](S... v) { return flushing<T>(act, flushed(v)...); }));
}

template <class T>
void add_ieee(std::vector<Sweep>& all) {
  const auto add = [](auto& a, auto& b) { return a + b; };
  const auto sub = [](auto& a, auto& b) { return a - b; };
  const auto mul = [](auto& a, auto& b) { return a * b; };
  const auto div = [](auto& a, auto& b) { return a / b; };
  const auto fma = [](auto& a, auto& b, auto& c) { return std::fma(T{a}, T{b}, T{c}); };
  add_rounded<T, T, T>(all, "add", add);
  add_rounded<T, T, T>(all, "sub", sub);
  add_rounded<T, T, T>(all, "mul", mul);
  add_rounded<T, T, T>(all, "div", div);
  add_rounded<T, T, T, T>(all, "fma", fma);
  add_rounded<T, T, T, T>(all, "mad", fma);
  add_rounded<T, T>(all, "sqrt", [](auto& a) { return std::sqrt(T{a}); });
  add_rounded<T, T>(all, "rcp", [](auto& a) { return 1 / a; });
}

/// Two of f32 in a register, and halves that are added to f32: both came with 10.0.
template <class... S, class Act>
void add_packed(std::vector<Sweep>& all, const std::string& op, Act act) {
  const auto same = [](u64 a, u64 b) {
    return same_number<f32>(a & 0xffffffff, b & 0xffffffff) && same_number<f32>(a >> 32, b >> 32);
  };
  const auto add = [&](const std::string& mode, auto reference) {
    all.push_back(sweep<u64, S...>(op + "." + mode + ".f32x2",
                                   [=](S... v) { return of_parts<f32, u64>(reference, v...); }));
    for (std::vector<u64>& values : all.back().values) values = pairs<f32>();
    all.back().same = same;
    all.back().target = 100;
  };
  for (const auto& [mode, number] : kModes)
    add(mode, [=, m = number](auto... v) { return rounded<f32>(m, act, v...); });
  add("rn.ftz", [=](auto... v) { return flushing<f32>(act, flushed(v)...); });
}
template <class H, class... S, class Act>
void add_mixed(std::vector<Sweep>& all, const std::string& op, const std::string& type, Act act) {
  const auto widened = [](auto value) {
    if constexpr (std::is_same_v<decltype(value), f32>)
      return value;
    else
      return static_cast<f32>(number(value));
  };
  for (const auto& [mode, number_of] : kModes)
    all.push_back(sweep<f32, S...>(op + "." + mode + ".f32." + type, [=, m = number_of](S... v) {
      return rounded<f32>(m, act, widened(v)...);
    }));
  all.push_back(sweep<f32, S...>(op + ".rn.sat.f32." + type, [=](S... v) {
    return in_unit(rounded<f32>(FE_TONEAREST, act, widened(v)...));
  }));
  for (std::size_t i = all.size() - 5; i < all.size(); ++i) all[i].target = 100;
}
template <class H>
void add_all_mixed(std::vector<Sweep>& all, const std::string& type) {
  add_mixed<H, H, f32>(all, "add", type, [](auto& a, auto& b) { return a + b; });
  add_mixed<H, H, f32>(all, "sub", type, [](auto& a, auto& b) { return a - b; });
  add_mixed<H, H, H, f32>(
      all, "fma", type, [](auto& a, auto& b, auto& c) { return std::fma(f32{a}, f32{b}, f32{c}); });
}
void add_two(std::vector<Sweep>& all) {
  add_packed<u64, u64>(all, "add", [](auto& a, auto& b) { return a + b; });
  add_packed<u64, u64>(all, "sub", [](auto& a, auto& b) { return a - b; });
  add_packed<u64, u64>(all, "mul", [](auto& a, auto& b) { return a * b; });
  add_packed<u64, u64, u64>(
      all, "fma", [](auto& a, auto& b, auto& c) { return std::fma(f32{a}, f32{b}, f32{c}); });
  add_all_mixed<half>(all, "f16"), add_all_mixed<bhalf>(all, "bf16");
}

/// A NaN is ignored, unless it is to be propagated; -0 is less than +0.
template <class T>
T chosen(T a, T b, bool largest, bool keeps_none) {
  if (std::isnan(a) || std::isnan(b)) return keeps_none ? a + b : std::isnan(a) ? b : a;
  if (a == b) return std::signbit(a) == largest ? b : a;
  return (a < b) == largest ? b : a;
}

template <class T>
void add_choices(std::vector<Sweep>& all) {
  const std::string t = sizeof(T) == 4 ? ".f32" : ".f64";
  for (const bool largest : {false, true}) {
    const std::string op = largest ? "max" : "min";
    all.push_back(sweep<T, T, T>(op + t, [=](T a, T b) { return chosen(a, b, largest, false); }));
    if (sizeof(T) == 8) continue;
    all.push_back(
        sweep<T, T, T>(op + ".NaN" + t, [=](T a, T b) { return chosen(a, b, largest, true); }));
    all.push_back(sweep<T, T, T>(
        op + ".ftz" + t, [=](T a, T b) { return chosen(flushed(a), flushed(b), largest, false); }));
    all.push_back(sweep<T, T, T>(op + ".xorsign.abs" + t, [=](T a, T b) {
      const T size = chosen(std::abs(a), std::abs(b), largest, false);
      return std::signbit(a) != std::signbit(b) ? -size : size;
    }));
  }
}

/// The least or largest of three: of all that are numbers, or none where .NaN asks for it.
void add_choices_of_three(std::vector<Sweep>& all) {
  for (const bool largest : {false, true})
    for (const bool keeps_none : {false, true})
      for (const bool sizes : {false, true}) {
        const std::string op = std::string(largest ? "max" : "min") + (keeps_none ? ".NaN" : "") +
                               (sizes ? ".abs" : "") + ".f32";
        all.push_back(sweep<f32, f32, f32, f32>(op, [=](f32 a, f32 b, f32 c) {
          std::vector<f32> left;
          for (const f32 one : {a, b, c}) {
            if (std::isnan(one) && keeps_none) return one;
            if (!std::isnan(one)) left.push_back(sizes ? std::abs(one) : one);
          }
          if (left.empty()) return a;
          const auto less = [](f32 x, f32 y) {
            return x < y || (x == y && std::signbit(x) && !std::signbit(y));
          };
          return largest ? *std::max_element(left.begin(), left.end(), less)
                         : *std::min_element(left.begin(), left.end(), less);
        }));
        all.back().target = 100;
      }
}

template <class T>
void add_signs(std::vector<Sweep>& all) {
  const std::string t = sizeof(T) == 4 ? ".f32" : ".f64";
  all.push_back(sweep<T, T>("neg" + t, [](T a) { return -a; }));
  all.push_back(sweep<T, T>("abs" + t, [](T a) { return std::abs(a); }));
  all.push_back(sweep<T, T, T>("copysign" + t, [](T a, T b) { return std::copysign(b, a); }));
  const std::pair<const char*, bool (*)(T)> kKinds[] = {
      {"finite", [](T a) { return std::isfinite(a); }},
      {"infinite", [](T a) { return std::isinf(a); }},
      {"number", [](T a) { return !std::isnan(a); }},
      {"notanumber", [](T a) { return std::isnan(a); }},
      {"normal", [](T a) { return std::isnormal(a) || a == 0; }},  // "As a special case".
      {"subnormal", [](T a) { return std::fpclassify(a) == FP_SUBNORMAL; }}};
  for (const auto& [kind, test] : kKinds)
    all.push_back(
        sweep<pred, T>(std::string("testp.") + kind + t, [=](T a) { return pred{u32{test(a)}}; }));
}

/// Returns an angle. The ISA has no bound for large ones; they are reduced to a turn like NVIDIA's
/// assembler does for sm_90: FMUL.RZ by 0.15915493667125701904, which counts turns.
f64 bounded_angle(f32 angle) {
  const f64 turn = 2 * std::acos(-1.0);
  if (std::abs(angle) <= 100 * std::acos(-1.0)) return angle;
  const auto mul = [](auto& a, auto& b) { return a * b; };
  const f64 turns = rounded<f32>(FE_TOWARDZERO, mul, angle, 0.15915493667125701904F);
  return std::fmod(turns, 1.0) * turn;
}

/// The bounds are those of the ISA's chapter on each instruction.
void add_approximations(std::vector<Sweep>& all) {
  constexpr double kUlp = 0x1p-23;
  constexpr double kLeast = 0x1p-149;
  const auto add = [&](const std::string& op, Tolerance bound, auto reference) {
    all.push_back(approximate<f32, f32>(op, bound, reference));
  };
  add("rcp.approx.f32", {kUlp, kLeast}, [](f32 a) { return 1 / f64{a}; });
  add("sqrt.approx.f32", {kUlp, kLeast}, [](f32 a) { return std::sqrt(f64{a}); });
  add("rsqrt.approx.f32", {kUlp, kLeast}, [](f32 a) { return 1 / std::sqrt(f64{a}); });
  add("lg2.approx.f32", {kUlp, 0x1p-22}, [](f32 a) { return std::log2(f64{a}); });
  add("ex2.approx.f32", {2 * kUlp, kLeast}, [](f32 a) { return std::exp2(f64{a}); });
  add("ex2.approx.ftz.f32", {2 * kUlp, kLeast},
      [](f32 a) { return flushed(static_cast<f32>(std::exp2(f64{flushed(a)}))); });
  add("tanh.approx.f32", {0x1p-11, 0}, [](f32 a) { return std::tanh(f64{a}); });
  // The bound is for two turns.
  add("sin.approx.f32", {0, 0x1p-20}, [](f32 a) { return std::sin(bounded_angle(a)); });
  add("cos.approx.f32", {0, 0x1p-20}, [](f32 a) { return std::cos(bounded_angle(a)); });
  all.push_back(approximate<f32, f32, f32>("div.full.f32", {2 * kUlp, kLeast},
                                           [](f32 a, f32 b) { return f64{a} / b; }));
  all.push_back(approximate<f32, f32, f32>("div.approx.f32", {2 * kUlp, kLeast}, [](f32 a, f32 b) {
    const bool beyond = std::abs(b) > 0x1p126f && std::isfinite(b);
    if (!beyond || a != a) return f64{a} / b;
    return std::isinf(a) ? std::numeric_limits<f64>::quiet_NaN() : 0.0;
  }));
  const auto top = [](f64 value) {
    value = std::isnormal(value) || value == 0 || !std::isfinite(value) ? value
                                                                        : std::copysign(0, value);
    return from_bits<f64>(to_bits(value) >> 32 << 32);
  };
  all.push_back(approximate<f64, f64>("rcp.approx.ftz.f64", {0x1p-19, 0},
                                      [=](f64 a) { return top(1 / top(a)); }));
  all.push_back(approximate<f64, f64>("rsqrt.approx.ftz.f64", {0x1p-19, 0},
                                      [=](f64 a) { return top(1 / std::sqrt(top(a))); }));
}

}  // namespace

std::vector<Sweep> floating_sweeps() {
  std::vector<Sweep> all;
  add_ieee<f32>(all), add_ieee<f64>(all);
  add_choices<f32>(all), add_choices<f64>(all);
  add_signs<f32>(all), add_signs<f64>(all);
  add_choices_of_three(all);
  add_two(all);
  add_approximations(all);
  all.push_back(sweep<f32, f32, f32>("fma.rn.ftz.f32 $d, $a, $b, 0f00000000;", [](f32 a, f32 b) {
    const auto fma = [](auto& x, auto& y) { return std::fma(f32{x}, f32{y}, 0.0F); };
    return flushing<f32>(fma, flushed(a), flushed(b));
  }));
  all.push_back(sweep<f32, f32, f32>("add.sat.f32", [](f32 a, f32 b) { return in_unit(a + b); }));
  all.push_back(sweep<f32, f32, f32>("mul.rz.ftz.sat.f32", [](f32 a, f32 b) {
    const auto mul = [](auto& x, auto& y) { return x * y; };
    return in_unit(flushed(rounded<f32>(FE_TOWARDZERO, mul, flushed(a), flushed(b))));
  }));
  all.push_back(sweep<f32, f32, f32, f32>(
      "fma.rn.sat.f32", [](f32 a, f32 b, f32 c) { return in_unit(std::fma(a, b, c)); }));
  return all;
}

}  // namespace harness::testing
