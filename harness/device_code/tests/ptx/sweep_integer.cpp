// SPDX-License-Identifier: Apache-2.0
// Reference for integer instructions, in 128 bits or bit by bit.
#include <algorithm>
#include <limits>
#include <tuple>

#include "harness/device_code/tests/ptx/sweep.h"

namespace harness::testing {
namespace {

using wide = __int128;

template <class T>
constexpr u32 kBits = 8 * sizeof(T);

template <class T>
std::string name() {
  return (std::is_signed_v<T> ? "s" : "u") + std::to_string(kBits<T>);
}
template <class T>
T clamped(wide value) {
  return static_cast<T>(
      std::clamp<wide>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

/// Cuts a place or a length to what counts. The ISA has no more than 255; an H200 cuts those of 32
/// bits to a byte, and shifts 64 bits by all of it.
template <class T>
u32 field_bits(u32 asked) {
  return kBits<T> == 32 ? asked % 256 : std::min(asked, u32{64});
}

/// Bit by bit: the k-th of an extracted field.
template <class T>
T field(T a, u32 place, u32 count) {
  using U = std::make_unsigned_t<T>;
  const auto bit = [&](u32 k) { return k < kBits<T> && (static_cast<U>(a) >> k & 1) != 0; };
  const u32 last = std::min(place + count - 1, kBits<T> - 1);
  const bool fill = std::is_signed_v<T> && count != 0 && bit(last);
  U made = 0;
  for (u32 k = 0; k < kBits<T>; ++k) {
    const bool inside = k < count && place + k <= kBits<T> - 1;
    if (inside ? bit(place + k) : fill) made |= static_cast<U>(U{1} << k);
  }
  return static_cast<T>(made);
}

template <class T>
u32 top_bit(T a) {
  for (u32 k = kBits<T>; k-- > 0;)
    if (((a >> k & 1) != 0) != (a < 0)) return k;
  return 0xffffffff;
}

/// The ISA leaves division by zero open. An H200 gives all ones, and as the remainder, too.
template <class T>
void add_arithmetic(std::vector<Sweep>& all) {
  const std::string t = name<T>();
  const auto two = [&](const std::string& op, auto reference) {
    all.push_back(sweep<T, T, T>(op + "." + t, reference));
  };
  two("add", [](T a, T b) { return wide{a} + b; });
  two("sub", [](T a, T b) { return wide{a} - b; });
  two("mul.lo", [](T a, T b) { return static_cast<T>(static_cast<unsigned __int128>(a) * b); });
  two("mul.hi", [](T a, T b) {
    if constexpr (std::is_signed_v<T>)
      return wide{a} * b >> kBits<T>;
    else
      return static_cast<unsigned __int128>(a) * b >> kBits<T>;
  });
  two("div", [](T a, T b) { return b == 0 ? wide{-1} : wide{a} / b; });
  two("rem", [](T a, T b) { return b == 0 ? wide{-1} : wide{a} % b; });
  two("min", [](T a, T b) { return std::min(a, b); });
  two("max", [](T a, T b) { return std::max(a, b); });
  all.push_back(sweep<T, T, T, T>("mad.lo." + t, [](T a, T b, T c) {
    return static_cast<T>(static_cast<unsigned __int128>(a) * b + c);
  }));
  all.push_back(sweep<T, T, T, T>("sad." + t, [](T a, T b, T c) {
    const wide distance = wide{a} - b;
    return static_cast<T>((distance < 0 ? -distance : distance) + c);
  }));
}

template <class T>
void add_signed(std::vector<Sweep>& all) {
  const std::string t = name<T>();
  all.push_back(sweep<T, T>("neg." + t, [](T a) { return -wide{a}; }));
  all.push_back(sweep<T, T>("abs." + t, [](T a) { return a < 0 ? -wide{a} : wide{a}; }));
}

template <class T>
void add_bits(std::vector<Sweep>& all) {
  const std::string t = name<T>();
  all.push_back(sweep<u32, T>("bfind." + t, [](T a) { return top_bit(a); }));
  all.push_back(sweep<u32, T>("bfind.shiftamt." + t, [](T a) {
    return top_bit(a) == 0xffffffff ? 0xffffffff : kBits<T> - 1 - top_bit(a);
  }));
  all.push_back(sweep<T, T, u32, u32>(
      "bfe." + t, [](T a, u32 b, u32 c) { return field(a, field_bits<T>(b), field_bits<T>(c)); }));
}

template <class T>
void add_carried(std::vector<Sweep>& all) {
  const std::string u = name<T>();
  const std::string s = "s" + std::to_string(kBits<T>);
  using U = unsigned __int128;
  // The low words give a carry to the high ones: c and e hold the high words of a and b.
  for (const std::string& t : {u, s}) {
    all.push_back(sweep<T, T, T, T, T>(
        "add.cc." + t + " $d, $a, $b; addc." + t + " $d, $c, $e;",
        [](T a, T b, T c, T e) { return U{c} + e + ((U{a} + b) >> kBits<T>); }));
    all.push_back(
        sweep<T, T, T, T, T>("sub.cc." + t + " $d, $a, $b; subc.cc." + t + " $d, $c, $e;",
                             [](T a, T b, T c, T e) { return U{c} - e - (a < b ? 1 : 0); }));
    all.push_back(sweep<T, T, T, T, T>(
        "add.cc." + t + " $d, $a, $b; addc.cc." + t + " $d, $a, $b; addc." + t + " $d, $c, $e;",
        [](T a, T b, T c, T e) {
          return U{c} + e + ((U{a} + b + ((U{a} + b) >> kBits<T>)) >> kBits<T>);
        }));
  }
  all.push_back(
      sweep<T, T, T, T, T>("mad.lo.cc." + u + " $d, $a, $b, $c; madc.hi." + u + " $d, $a, $b, $e;",
                           [](T a, T b, T c, T e) {
                             const U low = static_cast<T>(U{a} * b);
                             return (U{a} * b >> kBits<T>)+e + ((low + c) >> kBits<T>);
                           }));
}

template <class A, class B>
void add_dot(std::vector<Sweep>& all) {
  const std::string types = std::string(std::is_signed_v<A> ? "s" : "u") + "32." +
                            (std::is_signed_v<B> ? "s" : "u") + "32";
  all.push_back(sweep<u32, u32, u32, u32>("dp4a." + types, [](u32 a, u32 b, u32 c) {
    const auto x = std::bit_cast<std::array<A, 4>>(a);
    const auto y = std::bit_cast<std::array<B, 4>>(b);
    s64 sum = c;
    for (int i = 0; i < 4; ++i) sum += s64{x[i]} * y[i];
    return static_cast<u32>(sum);
  }));
  using Half = std::conditional_t<std::is_signed_v<A>, s16, u16>;
  for (const int high : {0, 1})
    all.push_back(sweep<u32, u32, u32, u32>(
        std::string("dp2a.") + (high != 0 ? "hi." : "lo.") + types, [high](u32 a, u32 b, u32 c) {
          const auto x = std::bit_cast<std::array<Half, 2>>(a);
          const auto y = std::bit_cast<std::array<B, 4>>(b);
          return static_cast<u32>(s64{c} + s64{x[0]} * y[2 * high] + s64{x[1]} * y[2 * high + 1]);
        }));
}

template <class T, class W>
void add_wide(std::vector<Sweep>& all) {
  all.push_back(sweep<W, T, T>("mul.wide." + name<T>(), [](T a, T b) { return wide{a} * b; }));
  all.push_back(sweep<W, T, T, W>("mad.wide." + name<T>(), [](T a, T b, W c) {
    return static_cast<W>(static_cast<unsigned __int128>(wide{a} * b) + c);
  }));
}

template <class T>
void add_24(std::vector<Sweep>& all) {
  const auto low = [](T a) { return wide{static_cast<T>(static_cast<u32>(a) << 8) >> 8}; };
  const std::string t = name<T>();
  all.push_back(
      sweep<T, T, T>("mul24.lo." + t, [=](T a, T b) { return static_cast<T>(low(a) * low(b)); }));
  all.push_back(sweep<T, T, T>("mul24.hi." + t,
                               [=](T a, T b) { return static_cast<T>(low(a) * low(b) >> 16); }));
  all.push_back(sweep<T, T, T, T>(
      "mad24.lo." + t, [=](T a, T b, T c) { return static_cast<T>(low(a) * low(b) + c); }));
}

/// Two halves of a register, each for itself.
template <class T>
void add_halves(std::vector<Sweep>& all) {
  const std::string t = name<T>() + "x2";
  const auto two = [&](const std::string& op, auto reference) {
    all.push_back(sweep<u32, u32, u32>(
        op + "." + t, [=](u32 a, u32 b) { return of_parts<T, u32>(reference, a, b); }));
    all.back().values = {pairs<T>(), pairs<T>()};
  };
  two("add", [](T a, T b) { return static_cast<T>(wide{a} + b); });
  two("min", [](T a, T b) { return std::min(a, b); });
  two("max", [](T a, T b) { return std::max(a, b); });
  if (!std::is_signed_v<T>) return;
  two("min.relu", [](T a, T b) { return std::max(T{0}, std::min(a, b)); });
  two("max.relu", [](T a, T b) { return std::max({T{0}, a, b}); });
}

/// Each one of the mask is visited in turn: `fns` wants the |c|-th from bit b on.
u32 nth_one(u32 mask, u32 base, s32 offset) {
  std::vector<u32> found;
  for (u32 k = 0; k < 32; ++k)
    if ((mask >> k & 1) != 0 && (offset == 0 ? k == base : offset > 0 ? k >= base : k <= base))
      found.push_back(k);
  if (offset < 0) std::reverse(found.begin(), found.end());
  const u64 wanted = offset == 0 ? 1 : static_cast<u64>(std::abs(s64{offset}));
  return wanted <= found.size() ? found[wanted - 1] : 0xffffffff;
}

}  // namespace

std::vector<Sweep> integer_sweeps() {
  std::vector<Sweep> all;
  add_halves<u16>(all), add_halves<s16>(all);
  all.push_back(sweep<s32, s32, s32>("min.relu.s32",
                                     [](s32 a, s32 b) { return std::max(0, std::min(a, b)); }));
  all.push_back(
      sweep<s32, s32, s32>("max.relu.s32", [](s32 a, s32 b) { return std::max({0, a, b}); }));
  Sweep nth = sweep<u32, u32, u32, s32>("fns.b32", nth_one);
  nth.values[1] = {0, 1, 4, 5, 15, 16, 30, 31};  // Beyond 31 the ISA says nothing.
  for (const s64 more : {-1, -2, -4, -15, -31, -32, 4, 5, 6})
    nth.values[2].push_back(static_cast<u32>(more));
  // An offset that has no absolute value finds nothing, by the ISA, and bit 0 on an H200.
  nth.departs = [](const u64* sources) { return static_cast<u32>(sources[2]) == 0x80000000; };
  all.push_back(nth);
  [&]<class... T>(std::tuple<T...>*) {
    (add_arithmetic<T>(all), ...);
  }(static_cast<std::tuple<u16, u32, u64, s16, s32, s64>*>(nullptr));
  add_signed<s16>(all), add_signed<s32>(all), add_signed<s64>(all);
  add_bits<u32>(all), add_bits<s32>(all), add_bits<u64>(all), add_bits<s64>(all);
  add_carried<u32>(all), add_carried<u64>(all);
  add_wide<u16, u32>(all), add_wide<s16, s32>(all), add_wide<u32, u64>(all);
  add_wide<s32, s64>(all);
  add_24<u32>(all), add_24<s32>(all);
  add_dot<u8, u8>(all), add_dot<s8, s8>(all), add_dot<u8, s8>(all), add_dot<s8, u8>(all);
  all.push_back(
      sweep<s32, s32, s32>("add.sat.s32", [](s32 a, s32 b) { return clamped<s32>(wide{a} + b); }));
  all.push_back(
      sweep<s32, s32, s32>("sub.sat.s32", [](s32 a, s32 b) { return clamped<s32>(wide{a} - b); }));
  all.push_back(sweep<s32, s32, s32, s32>(
      "mad.hi.sat.s32", [](s32 a, s32 b, s32 c) { return clamped<s32>((wide{a} * b >> 32) + c); }));
  return all;
}

}  // namespace harness::testing
