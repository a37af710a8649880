// SPDX-License-Identifier: Apache-2.0
// Floating: arithmetic on f32, f64, f16 and bf16, and the approximating instructions.
//
// For approximations, the result is rounded from f64, so that it is the same on every machine.
#pragma once

#include "harness/device_code/ptx/device/driver.h"
#include "harness/device_code/ptx/device/integer.h"
#include "harness/device_code/ptx/device/rounding.h"

namespace ptx {

// ---- sums and products --------------------------------------------------------------------------

template <class T, u64 M>
PTX_OP T float_add(T a, T b) {
  a = flush<M>(a), b = flush<M>(b);
  T result;
  if constexpr ((M & kDirected) != 0) {
    const RoundingMode<M> mode;
    settle(a), settle(b);
    result = a + b;
    settle(result);
  } else {
    result = a + b;
  }
  return finish<M>(result);
}

/// With .ftz, replaces a result that is subnormal before rounding by zero. A GPU checks at that
/// point, so that rounding up never yields the least normal number.
template <u64 M, class T>
PTX_OP T flush_before_rounding(T result, f64 exact) {
  if constexpr ((M & ftz) != 0 && is_same<T, f32>)
    if (exact < 0x1p-126 && exact > -0x1p-126) return __builtin_copysignf(0, result);
  return result;
}

template <class T, u64 M>
PTX_OP T float_mul(T a, T b) {
  a = flush<M>(a), b = flush<M>(b);
  T result;
  if constexpr ((M & kDirected) != 0) {
    const RoundingMode<M> mode;
    settle(a), settle(b);
    result = a * b;
    settle(result);
  } else {
    result = a * b;
  }
  return finish<M>(flush_before_rounding<M>(result, f64{a} * f64{b}));
}

template <class T>
PTX_OP T fused(T a, T b, T c) {
#ifdef PTX_FMA  // The processor has an FMA instruction.
  if constexpr (is_same<T, f32>)
    return __builtin_fmaf(a, b, c);
  else
    return __builtin_fma(a, b, c);
#else
  if constexpr (is_same<T, f32>)
    return driver.fma32(a, b, c);
  else
    return driver.fma64(a, b, c);
#endif
}
template <class T, u64 M>
PTX_OP T float_fma(T a, T b, T c) {
  a = flush<M>(a), b = flush<M>(b), c = flush<M>(c);
  T result;
  if constexpr ((M & kDirected) != 0) {
    const RoundingMode<M> mode;
    settle(a), settle(b), settle(c);
    result = fused(a, b, c);
    settle(result);
  } else {
    result = fused(a, b, c);
  }
  return finish<M>(flush_before_rounding<M>(result, add_to_odd(f64{a} * f64{b}, f64{c})));
}

/// In the ISA, div.approx gives 0 for finite a and |b| beyond 2^126, and NaN for an infinite a.
template <class T, u64 M>
PTX_OP T float_div(T a, T b) {
  a = flush<M>(a), b = flush<M>(b);
  T result;
  if constexpr ((M & kDirected) != 0) {
    const RoundingMode<M> mode;
    settle(a), settle(b);
    result = a / b;
    settle(result);
  } else {
    result = a / b;
  }
  if constexpr ((M & approx) != 0 && is_same<T, f32>) {
    const f32 size = __builtin_fabsf(b);
    if (size > 0x1p126f && size < __builtin_inff())
      result = __builtin_isinf(a)               ? canonical_nan<f32>()
               : is_nan(a)                      ? a
               : (bits(a) ^ bits(b)) >> 31 != 0 ? -0.0f
                                                : 0.0f;
  }
  return finish<M>(result);
}

// ---- halves, computed in f64
// ---------------------------------------------------------------------

/// With .ftz, replaces a subnormal f16 by zero.
template <u64 M, class T>
PTX_OP T flush_half(T value) {
  if constexpr ((M & ftz) != 0 && is_same<T, f16>)
    if ((value.raw & 0x7c00) == 0) return {static_cast<u16>(value.raw & 0x8000)};
  return value;
}
template <class T, u64 M>
PTX_OP T finish_half(f64 value) {
  if constexpr ((M & sat) != 0) value = unit(value);
  if constexpr ((M & relu) != 0) value = value > 0 || is_nan(value) ? value : 0;
  return flush_half<M>(narrow<T, M>(value));
}
template <class T, u64 M>
PTX_OP T half_add(T a, T b) {
  return finish_half<T, M>(add_to_odd(widen(flush_half<M>(a)), widen(flush_half<M>(b))));
}
template <class T, u64 M>
PTX_OP T half_mul(T a, T b) {
  return finish_half<T, M>(widen(flush_half<M>(a)) * widen(flush_half<M>(b)));
}
template <class T, u64 M>
PTX_OP T half_fma(T a, T b, T c) {
  return finish_half<T, M>(
      add_to_odd(widen(flush_half<M>(a)) * widen(flush_half<M>(b)), widen(flush_half<M>(c))));
}
PTX_OP f16 negated(f16 value) { return {static_cast<u16>(value.raw ^ 0x8000)}; }
PTX_OP bf16 negated(bf16 value) { return {static_cast<u16>(value.raw ^ 0x8000)}; }

/// Applies a function to each part of registers, and packs the results as D.
template <class D, class Act, class... Raw>
PTX_OP D each_part(Act act, Raw... raw) {
  using Bits = Unsigned<Part<D>>;
  using Both = Unsigned<D>;
  const auto low = static_cast<Bits>(bits(act(static_cast<Bits>(get<Both>(raw))...)));
  const auto high =
      static_cast<Bits>(bits(act(static_cast<Bits>(get<Both>(raw) >> bits_of<Part<D>>)...)));
  return {static_cast<Both>(Both{low} | Both{high} << bits_of<Part<D>>)};
}

// ---- the instructions ---------------------------------------------------------------------------

#define PTX_EACH_PART(call, ...)                                                        \
  if constexpr (is_pair<T>)                                                             \
    return each_part<T>([](auto... x) { return call<Part<T>, M>(x...); }, __VA_ARGS__); \
  else

template <class T, u64 M, class A, class B>
PTX_OP auto add(A left, B right) {
  PTX_EACH_PART(add, left, right)
  if constexpr (is_half<T>)
    return half_add<T, M>(get<T>(left), get<T>(right));
  else if constexpr (is_float<T>)
    return float_add<T, M>(get<T>(left), get<T>(right));
  else
    return int_add<T, M>(get<T>(left), get<T>(right));
}
template <class T, u64 M>
PTX_OP T half_sub(T a, T b) {
  return half_add<T, M>(a, negated(b));
}
template <class T, u64 M, class A, class B>
PTX_OP auto sub(A left, B right) {
  PTX_EACH_PART(sub, left, right)
  if constexpr (is_half<T>)
    return half_sub<T, M>(get<T>(left), get<T>(right));
  else if constexpr (is_float<T>)
    return float_add<T, M>(get<T>(left), -get<T>(right));
  else
    return int_sub<T, M>(get<T>(left), get<T>(right));
}
template <class T, u64 M, class A, class B>
PTX_OP auto mul(A left, B right) {
  PTX_EACH_PART(mul, left, right)
  if constexpr (is_half<T>)
    return half_mul<T, M>(get<T>(left), get<T>(right));
  else if constexpr (is_float<T>)
    return float_mul<T, M>(get<T>(left), get<T>(right));
  else
    return int_mul<T, M>(get<T>(left), get<T>(right));
}
template <class T, u64 M, class A, class B, class C>
PTX_OP T fma(A left, B right, C more) {
  PTX_EACH_PART(fma, left, right, more)
  if constexpr (is_half<T>)
    return half_fma<T, M>(get<T>(left), get<T>(right), get<T>(more));
  else
    return float_fma<T, M>(get<T>(left), get<T>(right), get<T>(more));
}
template <class T, u64 M, class A, class B, class C>
PTX_OP auto mad(A left, B right, C more) {
  if constexpr (is_float<T>)
    return float_fma<T, M>(get<T>(left), get<T>(right), get<T>(more));
  else if constexpr ((M & wide) != 0)
    return int_mad<T, M>(get<T>(left), get<T>(right), get<Wide<T>>(more));
  else
    return int_mad<T, M>(get<T>(left), get<T>(right), get<T>(more));
}
template <class T, u64 M, class A, class B>
PTX_OP T div(A left, B right) {
  if constexpr (is_float<T>)
    return float_div<T, M>(get<T>(left), get<T>(right));
  else
    return int_div<T, M>(get<T>(left), get<T>(right));
}

template <class T, u64 M>
PTX_OP T half_neg(T value) {
  return negated(flush_half<M>(value));
}
template <class T, u64 M, class A>
PTX_OP T neg(A raw) {
  PTX_EACH_PART(neg, raw)
  if constexpr (is_half<T>)
    return half_neg<T, M>(get<T>(raw));
  else if constexpr (is_float<T>)
    return canonical(-flush<M>(get<T>(raw)));
  else
    return static_cast<T>(Unsigned<T>{0} - get<Unsigned<T>>(raw));
}
template <class T, u64 M>
PTX_OP T half_abs(T value) {
  return {static_cast<u16>(flush_half<M>(value).raw & 0x7fff)};
}
template <class T, u64 M, class A>
PTX_OP T abs(A raw) {
  PTX_EACH_PART(abs, raw)
  if constexpr (is_half<T>)
    return half_abs<T, M>(get<T>(raw));
  else if constexpr (is_float<T>)
    return canonical(get<T>(static_cast<Unsigned<T>>(bits(flush<M>(get<T>(raw))) << 1) >> 1));
  else
    return get<T>(raw) < 0 ? neg<T, M>(raw) : get<T>(raw);
}

// ---- minimum and maximum ------------------------------------------------------------------------

/// -0 is less than +0. Of a number and a NaN the number is taken, or the NaN with .NaN.
template <u64 M, bool largest, class T>
PTX_OP bool takes_first(T a, T b) {
  if (is_nan(a)) return (M & nan) != 0;
  if (is_nan(b)) return (M & nan) == 0;
  if (a == b) return (bits(a) >> (bits_of<T> - 1) != 0) != largest;
  return (a < b) != largest;
}
template <class T, u64 M, bool largest, class V>
PTX_OP V float_pick(V a, V b) {
  if constexpr ((M & absolute) != 0) a = __builtin_fabs(a), b = __builtin_fabs(b);
  const u64 sign = (bits(a) ^ bits(b)) >> (bits_of<V> - 1);
  if constexpr ((M & abs_xorsign) != 0) a = a < 0 ? -a : a, b = b < 0 ? -b : b;
  V result = canonical(takes_first<M, largest>(a, b) ? a : b);
  if constexpr ((M & abs_xorsign) != 0)
    result = sign != 0 ? -__builtin_fabs(result) : __builtin_fabs(result);
  return result;
}
template <class T, u64 M>
PTX_OP T half_min(T a, T b) {
  return finish_half<T, M>(
      float_pick<T, M, false>(widen(flush_half<M>(a)), widen(flush_half<M>(b))));
}
template <class T, u64 M>
PTX_OP T half_max(T a, T b) {
  return finish_half<T, M>(
      float_pick<T, M, true>(widen(flush_half<M>(a)), widen(flush_half<M>(b))));
}
/// With .relu, replaces a negative number by zero.
template <u64 M, class T>
PTX_OP T not_below_zero(T value) {
  return (M & relu) != 0 && value < 0 ? T{0} : value;
}
template <class T, u64 M, class A, class B>
PTX_OP T min(A left, B right) {
  PTX_EACH_PART(min, left, right)
  if constexpr (is_half<T>)
    return half_min<T, M>(get<T>(left), get<T>(right));
  else if constexpr (is_float<T>)
    return float_pick<T, M, false>(flush<M>(get<T>(left)), flush<M>(get<T>(right)));
  else
    return not_below_zero<M>(get<T>(right) < get<T>(left) ? get<T>(right) : get<T>(left));
}
template <class T, u64 M, class A, class B>
PTX_OP T max(A left, B right) {
  PTX_EACH_PART(max, left, right)
  if constexpr (is_half<T>)
    return half_max<T, M>(get<T>(left), get<T>(right));
  else if constexpr (is_float<T>)
    return float_pick<T, M, true>(flush<M>(get<T>(left)), flush<M>(get<T>(right)));
  else
    return not_below_zero<M>(get<T>(left) < get<T>(right) ? get<T>(right) : get<T>(left));
}

// ---- functions of one argument ------------------------------------------------------------------

template <class T, u64 M, class A>
PTX_OP T sqrt(A raw) {
  T value = flush<M>(get<T>(raw));
  T result;
  const auto root = [](T of) {
    if constexpr (is_same<T, f32>)
      return __builtin_sqrtf(of);
    else
      return __builtin_sqrt(of);
  };
  if constexpr ((M & kDirected) != 0) {
    const RoundingMode<M> mode;
    settle(value);
    result = root(value);
    settle(result);
  } else {
    result = root(value);
  }
  return finish<M>(result);
}

/// The approximations for f64 only use the high half of the argument.
PTX_OP f64 high_half(f64 value) { return get<f64>(bits(value) & 0xffffffff00000000); }

template <class T, u64 M, class A>
PTX_OP T rcp(A raw) {
  if constexpr (is_same<T, f64> && (M & approx) != 0) {
    const f64 value = high_half(get<f64>(raw));
    const bool tiny = (bits(value) & 0x7ff0000000000000) == 0;
    const f64 result = 1 / (tiny ? __builtin_copysign(0.0, value) : value);
    const bool gone = (bits(result) & 0x7ff0000000000000) == 0;
    return canonical(high_half(gone ? __builtin_copysign(0.0, result) : result));
  }
  return float_div < T, M & ~u64{approx} > (T(1), get<T>(raw));
}
template <class T, u64 M, class A>
PTX_OP T rsqrt(A raw) {
  if constexpr (is_same<T, f64> && (M & ftz) != 0) {
    const f64 value = high_half(get<f64>(raw));
    const bool tiny = (bits(value) & 0x7ff0000000000000) == 0;
    return canonical(high_half(1 / __builtin_sqrt(tiny ? __builtin_copysign(0.0, value) : value)));
  }
  const T value = flush<M>(get<T>(raw));
  return finish<M>(static_cast<T>(1 / __builtin_sqrt(static_cast<f64>(value))));
}

/// Applies a function of f64 to a number of any format.
template <class T, u64 M, class A>
PTX_OP T through_f64(A raw, f64 (*function)(f64)) {
  if constexpr (is_half<T>)
    return finish_half<T, M>(function(widen(flush_half<M>(get<T>(raw)))));
  else
    return finish<M>(static_cast<T>(function(flush<M>(get<T>(raw)))));
}
/// Reduces an angle to one turn. A GPU counts turns in f32, by a product that is rounded towards
/// zero, so that large angles lose nearly all digits. The ISA guarantees nothing there.
PTX_OP f64 within_turn(f32 angle) {
  constexpr f64 kRadians = 0x1.921fb54442d18p+2;
  const f64 turns = float_mul<f32, rz>(angle, 0x1.45f306p-3f);
  return (turns - __builtin_trunc(turns)) * kRadians;
}
template <class T, u64 M, class A>
PTX_OP T sin(A raw) {
  return finish<M>(static_cast<T>(driver.sin(within_turn(flush<M>(get<T>(raw))))));
}
template <class T, u64 M, class A>
PTX_OP T cos(A raw) {
  return finish<M>(static_cast<T>(driver.cos(within_turn(flush<M>(get<T>(raw))))));
}
template <class T, u64 M, class A>
PTX_OP T lg2(A raw) {
  return through_f64<T, M>(raw, driver.log2);
}
template <class T, u64 M>
PTX_OP T half_ex2(T value) {
  return finish_half<T, M>(driver.exp2(widen(flush_half<M>(value))));
}
template <class T, u64 M, class A>
PTX_OP T ex2(A raw) {
  PTX_EACH_PART(ex2, raw)
  return through_f64<T, M>(raw, driver.exp2);
}
template <class T, u64 M>
PTX_OP T half_tanh(T value) {
  return finish_half<T, M>(driver.tanh(widen(value)));
}
template <class T, u64 M, class A>
PTX_OP T tanh(A raw) {
  PTX_EACH_PART(tanh, raw)
  return through_f64<T, M>(raw, driver.tanh);
}
#undef PTX_EACH_PART

/// Returns the sign of the first argument with the magnitude of the second.
template <class T, u64 M, class A, class B>
PTX_OP T copysign(A sign, B size) {
  constexpr Unsigned<T> kSign = Unsigned<T>{1} << (bits_of<T> - 1);
  return get<T>((get<Unsigned<T>>(sign) & kSign) | (get<Unsigned<T>>(size) & ~kSign));
}

}  // namespace ptx
