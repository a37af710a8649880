// SPDX-License-Identifier: Apache-2.0
// Reference for conversions, comparisons and selection.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <tuple>

#include "harness/device_code/tests/ptx/halves.h"

namespace harness::testing {
namespace {

template <class T>
std::string name() {
  if constexpr (std::is_same_v<T, half>) return "f16";
  if constexpr (std::is_same_v<T, bhalf>) return "bf16";
  if constexpr (std::is_floating_point_v<T>) return "f" + std::to_string(8 * sizeof(T));
  return (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T));
}

constexpr std::pair<const char*, int> kModes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

template <class D, class S>
D converted(int mode, S from) {
  if (from == 0 && std::is_integral_v<S>) return 0;  // The host may have -0, rounding down.
  std::fesetround(mode);
  volatile S source = from;
  volatile D result = static_cast<D>(source);
  std::fesetround(FE_TONEAREST);
  return result;
}
long double integral(int mode, long double value) {
  return mode == FE_TONEAREST    ? std::nearbyint(value)
         : mode == FE_TOWARDZERO ? std::trunc(value)
         : mode == FE_DOWNWARD   ? std::floor(value)
                                 : std::ceil(value);
}
/// A NaN is 0, or 1 << (bits - 1) for a source of f64 or a result of 64 bits.
template <class D, class S>
D clamped(long double value) {
  if (value != value && !std::is_same_v<S, f64> && sizeof(D) < 8) return 0;
  if (value != value) return static_cast<D>(u64{1} << (8 * sizeof(D) - 1));
  if (value <= static_cast<long double>(std::numeric_limits<D>::min()))
    return std::numeric_limits<D>::min();
  if (value >= static_cast<long double>(std::numeric_limits<D>::max()))
    return std::numeric_limits<D>::max();
  return static_cast<D>(value);
}

template <class D, class S>
void add_to_integer(std::vector<Sweep>& all) {
  for (const auto& [mode, number_of] : kModes)
    all.push_back(sweep<D, S>(std::string("cvt.") + mode + "i." + name<D>() + "." + name<S>(),
                              [=, m = number_of](S a) {
                                if constexpr (std::is_floating_point_v<S>)
                                  return clamped<D, S>(integral(m, a));
                                else
                                  return clamped<D, S>(integral(m, number(a)));
                              }));
}
template <class D, class S>
void add_from_integer(std::vector<Sweep>& all) {
  for (const auto& [mode, number_of] : kModes)
    all.push_back(sweep<D, S>(std::string("cvt.") + mode + "." + name<D>() + "." + name<S>(),
                              [m = number_of](S a) { return converted<D>(m, a); }));
}
template <class D, class S>
void add_integers(std::vector<Sweep>& all) {
  all.push_back(
      sweep<D, S>("cvt." + name<D>() + "." + name<S>(), [](S a) { return static_cast<D>(a); }));
  using To = std::numeric_limits<D>;
  using From = std::numeric_limits<S>;
  if (std::in_range<D>(From::min()) && std::in_range<D>(From::max())) return;  // No .sat there.
  all.push_back(sweep<D, S>("cvt.sat." + name<D>() + "." + name<S>(), [](S a) {
    const __int128 value = a;
    return std::clamp<__int128>(value, To::min(), To::max());
  }));
}

template <class S>
void add_all_integers(std::vector<Sweep>& all) {
  add_integers<u16, S>(all), add_integers<u32, S>(all), add_integers<u64, S>(all);
  add_integers<s16, S>(all), add_integers<s32, S>(all), add_integers<s64, S>(all);
  add_from_integer<f32, S>(all), add_from_integer<f64, S>(all);
}
template <class S>
void add_all_to_integers(std::vector<Sweep>& all) {
  add_to_integer<u16, S>(all), add_to_integer<u32, S>(all), add_to_integer<u64, S>(all);
  add_to_integer<s16, S>(all), add_to_integer<s32, S>(all), add_to_integer<s64, S>(all);
}

/// Rounds in the direction `mode`.
template <class H>
H directed(int mode, quad value, bool negative) {
  return rounded_half<H>(value, negative, [=](quad low, quad high, bool odd) {
    if (mode == FE_TONEAREST) return low > high || (low == high && odd);
    return mode == FE_DOWNWARD ? negative : mode == FE_UPWARD ? !negative : false;
  });
}

template <class H>
void add_halves(std::vector<Sweep>& all) {
  const std::string h = name<H>();
  for (const auto& [mode, number_of] : kModes) {
    const std::string op = std::string("cvt.") + mode + "." + h;
    all.push_back(half_sweep<H, f32>(op + ".f32", [m = number_of](f32 a) {
      // Beyond the largest, rounding towards zero stops there: infinity is not a neighbour.
      const H made = directed<H>(m, a, std::signbit(a));
      return made;
    }));
    all.push_back(half_sweep<H, f64>(
        op + ".f64", [m = number_of](f64 a) { return directed<H>(m, a, std::signbit(a)); }));
  }
  all.push_back(sweep<f32, H>("cvt.f32." + h, [](H a) { return static_cast<f32>(number(a)); }));
  all.push_back(sweep<f64, H>("cvt.f64." + h, [](H a) { return number(a); }));
  all.push_back(half_sweep<H, f32>("cvt.rn.relu." + h + ".f32",
                                   [](f32 a) { return a > 0 || a != a ? nearest<H>(a) : H{0}; }));
  Sweep pair = sweep<u32, f32, f32>("cvt.rn." + h + "x2.f32", [](f32 a, f32 b) {
    return u32{nearest<H>(b, std::signbit(b)).raw} | u32{nearest<H>(a, std::signbit(a)).raw} << 16;
  });
  pair.same = [](u64 a, u64 b) {
    return same_half<H>(a & 0xffff, b & 0xffff) && same_half<H>(a >> 16, b >> 16);
  };
  all.push_back(pair);
}

template <class T>
void add_comparisons(std::vector<Sweep>& all, const std::string& t) {
  using V = std::conditional_t<std::is_integral_v<T>, T, f64>;
  const auto value = [](T a) {
    if constexpr (std::is_arithmetic_v<T>)
      return static_cast<V>(a);
    else
      return number(a);
  };
  const std::pair<const char*, bool (*)(V, V)> kOrders[] = {
      {"eq", [](V a, V b) { return a == b; }}, {"ne", [](V a, V b) { return a < b || a > b; }},
      {"lt", [](V a, V b) { return a < b; }},  {"le", [](V a, V b) { return a <= b; }},
      {"gt", [](V a, V b) { return a > b; }},  {"ge", [](V a, V b) { return a >= b; }}};
  for (const auto& [order, test] : kOrders) {
    all.push_back(
        sweep<pred, T, T>(std::string("setp.") + order + "." + t,
                          [=, f = test](T a, T b) { return pred{u32{f(value(a), value(b))}}; }));
    if constexpr (!std::is_integral_v<T>)
      all.push_back(
          sweep<pred, T, T>(std::string("setp.") + order + "u." + t, [=, f = test](T a, T b) {
            const bool none = std::isnan(value(a)) || std::isnan(value(b));
            return pred{u32{none || f(value(a), value(b))}};
          }));
  }
  if constexpr (!std::is_integral_v<T>)
    for (const bool wanted : {false, true})
      all.push_back(
          sweep<pred, T, T>(std::string("setp.") + (wanted ? "nan." : "num.") + t, [=](T a, T b) {
            const bool none = std::isnan(value(a)) || std::isnan(value(b));
            return pred{u32{none == wanted}};
          }));
}

}  // namespace

std::vector<Sweep> convert_sweeps() {
  std::vector<Sweep> all;
  add_all_integers<u16>(all), add_all_integers<u32>(all), add_all_integers<u64>(all);
  add_all_integers<s16>(all), add_all_integers<s32>(all), add_all_integers<s64>(all);
  add_all_to_integers<f32>(all), add_all_to_integers<f64>(all), add_all_to_integers<half>(all);
  add_halves<half>(all), add_halves<bhalf>(all);
  add_from_integer<f32, f64>(all);
  all.push_back(sweep<f64, f32>("cvt.f64.f32", [](f32 a) { return f64{a}; }));
  for (const auto& [mode, number_of] : kModes) {
    all.push_back(sweep<f32, f32>(std::string("cvt.") + mode + "i.f32.f32",
                                  [m = number_of](f32 a) { return integral(m, a); }));
    all.push_back(sweep<f64, f64>(std::string("cvt.") + mode + "i.f64.f64",
                                  [m = number_of](f64 a) { return integral(m, a); }));
  }
  all.push_back(sweep<f32, f32>("cvt.sat.f32.f32", [](f32 a) {
    return a >= 1 ? 1 : a > 0 ? a : 0;
  }));
  all.push_back(
      sweep<s32, u32>("cvt.s8.u32 $d, $a;", [](u32 a) { return s32{static_cast<s8>(a)}; }));
  return all;
}

std::vector<Sweep> compare_sweeps() {
  std::vector<Sweep> all;
  add_comparisons<u16>(all, "u16"), add_comparisons<s16>(all, "s16");
  add_comparisons<u32>(all, "u32"), add_comparisons<s32>(all, "s32");
  add_comparisons<u64>(all, "u64"), add_comparisons<s64>(all, "s64");
  add_comparisons<f32>(all, "f32"), add_comparisons<f64>(all, "f64");
  add_comparisons<half>(all, "f16"), add_comparisons<bhalf>(all, "bf16");
  for (const auto& [order, least] : {std::pair{"lo", true}, {"hs", false}})
    all.push_back(sweep<pred, u32, u32>(std::string("setp.") + order + ".u32",
                                        [=](u32 a, u32 b) { return pred{u32{(a < b) == least}}; }));
  all.push_back(sweep<pred, s32, s32, pred>(
      "setp.lt.and.s32", [](s32 a, s32 b, pred c) { return pred{u32{a < b && c.raw != 0}}; }));
  all.push_back(sweep<pred, s32, s32, pred>(
      "setp.lt.xor.s32", [](s32 a, s32 b, pred c) { return pred{u32{(a < b) != (c.raw != 0)}}; }));
  all.push_back(
      sweep<u32, f32, f32>("set.lt.u32.f32", [](f32 a, f32 b) { return a < b ? ~u32{0} : 0; }));
  all.push_back(
      sweep<f32, s32, s32>("set.ge.f32.s32", [](s32 a, s32 b) { return a >= b ? 1 : 0; }));
  all.push_back(sweep<u32, u32, u32, pred>(
      "selp.b32", [](u32 a, u32 b, pred c) { return c.raw != 0 ? a : b; }));
  all.push_back(sweep<f64, f64, f64, pred>(
      "selp.f64", [](f64 a, f64 b, pred c) { return c.raw != 0 ? a : b; }));
  all.push_back(sweep<u32, u32, u32, s32>("slct.u32.s32",
                                          [](u32 a, u32 b, s32 c) { return c >= 0 ? a : b; }));
  all.push_back(sweep<u64, u64, u64, f32>("slct.u64.f32",
                                          [](u64 a, u64 b, f32 c) { return c >= 0 ? a : b; }));
  return all;
}

}  // namespace harness::testing
