// SPDX-License-Identifier: Apache-2.0
// Functions: mathematics in f64, by series, and in f32, by rounding the result. The error is a few
// units in the last place of f64 (trigonometry below 1e6); f32 is nearly always rounded correctly.
#pragma once

#include "harness/device_code/nvrtc/device/warps.cuh"

/// Long functions are called instead of inlined.
#define AFTERLIFE_CALLED static __device__ __attribute__((noinline, nodebug, unused))

namespace afterlife {

AFTERLIFE_DEVICE double bits(unsigned long long value) { return __builtin_bit_cast(double, value); }
AFTERLIFE_DEVICE double infinity() { return bits(0x7ff0000000000000); }
AFTERLIFE_DEVICE double nan() { return bits(0x7ff8000000000000); }
AFTERLIFE_DEVICE double absolute(double x) { return __builtin_fabs(x); }
AFTERLIFE_DEVICE double nearest(double x) { return __builtin_rint(x); }

AFTERLIFE_CALLED double scaled(double x, int power) {
  for (; power > 1023; power -= 1023) x *= bits(0x7fe0000000000000);
  for (; power < -1022; power += 1022) x *= bits(0x0010000000000000);
  return x * bits(static_cast<unsigned long long>(power + 1023) << 52);
}

/// Sums 1 + x + x^2/2! + ... for |x| <= ln 2 / 2, and scales by a power of two.
AFTERLIFE_CALLED double exponential(double x) {
  if (x != x) return x;
  if (x > 709.79) return infinity();
  if (x < -745.2) return 0;
  const double power = nearest(x * 0x1.71547652b82fep+0);
  const double rest =
      __builtin_fma(-power, 0x1.abc9e3b39803fp-56, __builtin_fma(-power, 0x1.62e42fefa39efp-1, x));
  double sum = 1;
  for (int n = 15; n > 0; --n) sum = __builtin_fma(sum, rest / n, 1);
  return scaled(sum, static_cast<int>(power));
}

/// Sums 2 (s + s^3/3 + s^5/5 + ...) with s = (m - 1) / (m + 1), and adds the exponent's part.
AFTERLIFE_CALLED double logarithm(double x) {
  if (x != x || x == infinity()) return x;
  if (x <= 0) return x == 0 ? -infinity() : nan();
  int exponent = 0;
  if (x < bits(0x0010000000000000)) x *= 0x1p54, exponent = -54;
  const auto all = __builtin_bit_cast(unsigned long long, x);
  exponent += static_cast<int>(all >> 52) - 1023;
  double mantissa = bits((all & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (mantissa > 0x1.6a09e667f3bcdp+0) mantissa /= 2, ++exponent;
  const double s = (mantissa - 1) / (mantissa + 1);
  double sum = 0;
  for (int n = 23; n > 1; n -= 2) sum = __builtin_fma(sum, s * s, 1.0 / n);
  sum = __builtin_fma(2 * s, s * s * sum, 2 * s);
  return __builtin_fma(exponent, 0x1.62e42fefa39efp-1,
                       __builtin_fma(exponent, 0x1.abc9e3b39803fp-56, sum));
}

/// Returns the sine of x + `quarter` * pi / 2: x is reduced by multiples of pi / 2, then a series.
AFTERLIFE_CALLED double sine(double x, int quarter) {
  if (x != x || absolute(x) == infinity()) return nan();
  const double turns = nearest(x * 0x1.45f306dc9c883p-1);
  double rest = __builtin_fma(-turns, 0x1.921fb54442d18p+0, x);
  rest = __builtin_fma(-turns, 0x1.1a62633145c07p-54, rest);
  quarter += static_cast<int>(static_cast<long long>(turns) & 3);
  double sum = 0;
  const double square = rest * rest;
  const bool is_odd = (quarter & 1) != 0;  // Then the series is that of the cosine.
  for (int n = is_odd ? 20 : 21; n > 1; n -= 2) sum = (1 - sum) * square / (n * (n - 1));
  const double value = is_odd ? 1 - sum : __builtin_fma(-rest, sum, rest);
  return (quarter & 2) != 0 ? -value : value;
}

/// Sums x - x^3/3 + ..., after halving the angle twice.
AFTERLIFE_CALLED double arc_tangent(double x) {
  if (x != x) return x;
  const bool is_inverted = absolute(x) > 1;
  double t = is_inverted ? 1 / absolute(x) : absolute(x);
  for (int i = 0; i < 2; ++i) t /= 1 + __builtin_sqrt(__builtin_fma(t, t, 1));
  double sum = 0;
  for (int n = 33; n > 1; n -= 2) sum = __builtin_fma(-sum, t * t, 1.0 / n);
  double angle = 4 * __builtin_fma(-t * t * t, sum, t);
  if (is_inverted) angle = 0x1.921fb54442d18p+0 - angle;
  return __builtin_copysign(angle, x);
}

AFTERLIFE_CALLED double arc_tangent(double y, double x) {
  constexpr double kPi = 0x1.921fb54442d18p+1;
  if (x != x || y != y) return nan();
  if (x == 0 && y == 0) return __builtin_copysign(__builtin_signbit(x) ? kPi : 0.0, y);
  if (absolute(x) == infinity() && absolute(y) == infinity())
    return __builtin_copysign(x > 0 ? kPi / 4 : 3 * kPi / 4, y);
  if (absolute(y) > absolute(x)) return __builtin_copysign(kPi / 2, y) - arc_tangent(x / y);
  const double angle = arc_tangent(y / x);
  return x > 0 ? angle : angle + __builtin_copysign(kPi, y);
}

/// Computes e^x - 1 and ln(1 + x), corrected for the rounding of 1 + x (Kahan).
AFTERLIFE_CALLED double exponential_less_one(double x) {
  const double power = exponential(x);
  if (power == 1) return x;
  if (x > 40) return power;
  if (power - 1 == -1 || power == infinity()) return power - 1;
  return (power - 1) * x / logarithm(power);
}
AFTERLIFE_CALLED double logarithm_of_one_more(double x) {
  const double sum = 1 + x;
  return sum == 1 || sum == infinity() ? x : logarithm(sum) * x / (sum - 1);
}

/// Returns half of e^x, which may be finite if e^x is not.
AFTERLIFE_DEVICE double half_exponential(double x) {
  const double root = exponential(x / 2);
  return root / 2 * root;
}
AFTERLIFE_CALLED double hyperbolic_sine(double x) {
  const double size = absolute(x);
  if (size > 40) return __builtin_copysign(half_exponential(size), x);
  return (exponential_less_one(x) - exponential_less_one(-x)) / 2;
}
AFTERLIFE_CALLED double hyperbolic_cosine(double x) {
  return half_exponential(x) + half_exponential(-x);
}

AFTERLIFE_CALLED double hypotenuse(double x, double y) {
  const double longer = __builtin_fmax(absolute(x), absolute(y));
  const double shorter = __builtin_fmin(absolute(x), absolute(y));
  if (longer == infinity() || x != x || y != y) return longer == infinity() ? longer : nan();
  if (shorter == 0) return longer;
  const double ratio = shorter / longer;
  return longer * __builtin_sqrt(__builtin_fma(ratio, ratio, 1));
}

AFTERLIFE_CALLED double hyperbolic_tangent(double x) {
  if (absolute(x) > 22) return __builtin_copysign(1.0, x);
  const double power = exponential_less_one(2 * x);
  return power / (power + 2);
}

AFTERLIFE_CALLED double power(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return nan();
  const bool is_whole = __builtin_trunc(y) == y;
  const bool is_odd = is_whole && absolute(y) < 0x1p53 && (static_cast<long long>(y) & 1) != 0;
  if (x < 0 && !is_whole && absolute(x) != infinity()) return nan();
  if (x == -1 && absolute(y) == infinity()) return 1;
  const bool is_small = is_whole && absolute(y) <= 64;
  double value = 1;
  for (int n = 0; is_small && n < absolute(y); ++n) value *= absolute(x);
  if (is_small && y < 0) value = 1 / value;
  if (!is_small) value = exponential(y * logarithm(absolute(x)));
  return is_odd && __builtin_signbit(x) ? -value : value;
}

/// Returns the exact remainder of x divided by y, with the sign of x.
AFTERLIFE_CALLED double rest_of(double x, double y) {
  const double divisor = absolute(y);
  double rest = absolute(x);
  if (x != x || y != y || rest == infinity() || divisor == 0) return nan();
  if (divisor == infinity()) return x;
  while (rest >= divisor) {
    double part = divisor;
    while (part <= rest / 2) part *= 2;
    rest -= part;
  }
  return __builtin_copysign(rest, x);
}

}  // namespace afterlife

#define AFTERLIFE_F1(name, expression)                          \
  AFTERLIFE_DEVICE double name(double x) { return expression; } \
  AFTERLIFE_DEVICE float name(float given) {                    \
    const double x = given;                                     \
    return static_cast<float>(expression);                      \
  }                                                             \
  AFTERLIFE_DEVICE float name##f(float given) { return name(given); }
#define AFTERLIFE_F2(name, expression)                                    \
  AFTERLIFE_DEVICE double name(double x, double y) { return expression; } \
  AFTERLIFE_DEVICE float name(float first, float second) {                \
    const double x = first, y = second;                                   \
    return static_cast<float>(expression);                                \
  }                                                                       \
  AFTERLIFE_DEVICE float name##f(float first, float second) { return name(first, second); }

AFTERLIFE_F1(exp, afterlife::exponential(x))
AFTERLIFE_F1(exp2, afterlife::exponential(x * 0x1.62e42fefa39efp-1))
AFTERLIFE_F1(exp10, afterlife::exponential(x * 0x1.26bb1bbb55516p+1))
AFTERLIFE_F1(expm1, afterlife::exponential_less_one(x))
AFTERLIFE_F1(log, afterlife::logarithm(x))
AFTERLIFE_F1(log2, afterlife::logarithm(x) * 0x1.71547652b82fep+0)
AFTERLIFE_F1(log10, afterlife::logarithm(x) * 0x1.bcb7b1526e50ep-2)
AFTERLIFE_F1(log1p, afterlife::logarithm_of_one_more(x))
AFTERLIFE_F1(sin, afterlife::sine(x, 0))
AFTERLIFE_F1(cos, afterlife::sine(x, 1))
AFTERLIFE_F1(tan, afterlife::sine(x, 0) / afterlife::sine(x, 1))
AFTERLIFE_F1(atan, afterlife::arc_tangent(x))
AFTERLIFE_F1(asin, afterlife::arc_tangent(x, __builtin_sqrt((1 - x) * (1 + x))))
AFTERLIFE_F1(acos, afterlife::arc_tangent(__builtin_sqrt((1 - x) * (1 + x)), x))
AFTERLIFE_F1(sinh, afterlife::hyperbolic_sine(x))
AFTERLIFE_F1(cosh, afterlife::hyperbolic_cosine(x))
AFTERLIFE_F1(tanh, afterlife::hyperbolic_tangent(x))
AFTERLIFE_F1(cbrt,
             __builtin_copysign(
                 x == 0 ? 0
                        : afterlife::exponential(afterlife::logarithm(afterlife::absolute(x)) / 3),
                 x))
AFTERLIFE_F1(sqrt, __builtin_sqrt(x))
AFTERLIFE_F1(rsqrt, 1 / __builtin_sqrt(x))
AFTERLIFE_F1(fabs, __builtin_fabs(x))
AFTERLIFE_F1(floor, __builtin_floor(x))
AFTERLIFE_F1(ceil, __builtin_ceil(x))
AFTERLIFE_F1(trunc, __builtin_trunc(x))
AFTERLIFE_F1(rint, __builtin_rint(x))
AFTERLIFE_F1(nearbyint, __builtin_rint(x))
AFTERLIFE_F1(round, __builtin_copysign(__builtin_floor(afterlife::absolute(x) + 0.5), x))
AFTERLIFE_F2(pow, afterlife::power(x, y))
AFTERLIFE_F2(atan2, afterlife::arc_tangent(x, y))
AFTERLIFE_F2(hypot, afterlife::hypotenuse(x, y))
AFTERLIFE_F2(fmod, afterlife::rest_of(x, y))
AFTERLIFE_F2(fmin, __builtin_fmin(x, y))
AFTERLIFE_F2(fmax, __builtin_fmax(x, y))
AFTERLIFE_F2(fdim, x > y ? x - y : 0 * (x + y))
AFTERLIFE_F2(copysign, __builtin_copysign(x, y))

AFTERLIFE_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
AFTERLIFE_DEVICE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
AFTERLIFE_DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
AFTERLIFE_DEVICE double ldexp(double x, int power) { return afterlife::scaled(x, power); }
AFTERLIFE_DEVICE void sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x), *cosine = cosf(x);
}
AFTERLIFE_DEVICE void sincos(double x, double* sine, double* cosine) {
  *sine = sin(x), *cosine = cos(x);
}
template <class T>
AFTERLIFE_DEVICE bool isnan(T x) {
  return __builtin_isnan(x);
}
template <class T>
AFTERLIFE_DEVICE bool isinf(T x) {
  return __builtin_isinf(x);
}
template <class T>
AFTERLIFE_DEVICE bool isfinite(T x) {
  return __builtin_isfinite(x);
}
AFTERLIFE_DEVICE int abs(int x) { return x < 0 ? -x : x; }
AFTERLIFE_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
AFTERLIFE_DEVICE float abs(float x) { return __builtin_fabsf(x); }
AFTERLIFE_DEVICE double abs(double x) { return __builtin_fabs(x); }

#define AFTERLIFE_EXTREMES(type)                                      \
  AFTERLIFE_DEVICE type min(type x, type y) { return x < y ? x : y; } \
  AFTERLIFE_DEVICE type max(type x, type y) { return x > y ? x : y; }
AFTERLIFE_EXTREMES(int)
AFTERLIFE_EXTREMES(unsigned)
AFTERLIFE_EXTREMES(long)
AFTERLIFE_EXTREMES(unsigned long)
AFTERLIFE_EXTREMES(long long)
AFTERLIFE_EXTREMES(unsigned long long)
AFTERLIFE_DEVICE float min(float x, float y) { return __builtin_fminf(x, y); }
AFTERLIFE_DEVICE float max(float x, float y) { return __builtin_fmaxf(x, y); }
AFTERLIFE_DEVICE double min(double x, double y) { return __builtin_fmin(x, y); }
AFTERLIFE_DEVICE double max(double x, double y) { return __builtin_fmax(x, y); }

// The fast functions of a device. On the simulated device they are as exact as the others.
AFTERLIFE_DEVICE float __expf(float x) { return expf(x); }
AFTERLIFE_DEVICE float __logf(float x) { return logf(x); }
AFTERLIFE_DEVICE float __log2f(float x) { return log2f(x); }
AFTERLIFE_DEVICE float __sinf(float x) { return sinf(x); }
AFTERLIFE_DEVICE float __cosf(float x) { return cosf(x); }
AFTERLIFE_DEVICE float __powf(float x, float y) { return powf(x, y); }
AFTERLIFE_DEVICE float __fdividef(float x, float y) { return x / y; }
AFTERLIFE_DEVICE float __fadd_rn(float x, float y) { return __nvvm_add_rn_f(x, y); }
AFTERLIFE_DEVICE float __fmul_rn(float x, float y) { return __nvvm_mul_rn_f(x, y); }
AFTERLIFE_DEVICE float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
