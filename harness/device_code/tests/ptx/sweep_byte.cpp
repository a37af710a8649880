// SPDX-License-Identifier: Apache-2.0
// Reference for conversions to types without registers of their width: 8-bit numbers, tf32, and
// packed integers of 2 to 16 bits.
#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/device_code/tests/ptx/halves.h"

namespace harness::testing {
namespace {

// ---- numbers of 8 bits --------------------------------------------------------------------------

/// A format of 8 bits by its exponent's, as the OCP's specification has it.
struct Format {
  const char* name;
  int exponent_bits;
  u32 largest;   ///< The bits of its largest finite number.
  bool is_ieee;  ///< Has infinities.
};
constexpr Format kFormats[] = {{"e4m3x2", 4, 0x7e, false}, {"e5m2x2", 5, 0x7b, true}};

/// The size of a number by its bits without the sign.
f64 size_of(const Format& format, u32 raw) {
  const int digits = 7 - format.exponent_bits;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(raw >> digits);
  const f64 fraction = std::ldexp(raw & ((1U << digits) - 1), -digits);
  if (raw > format.largest) return format.is_ieee && raw == 0x7c ? INFINITY : NAN;
  return exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
}

/// The nearest of all finite numbers, the even one of two.
u32 nearest_byte(const Format& format, f64 value, bool is_positive_only) {
  if (std::isnan(value)) return 0x7f;
  if (is_positive_only && value <= 0) return 0;
  const u32 sign = std::signbit(value) ? 0x80 : 0;
  if (std::abs(value) >= size_of(format, format.largest)) return sign | format.largest;
  u32 best = 0;
  for (u32 raw = 1; raw <= format.largest; ++raw) {
    const f64 near = std::abs(size_of(format, raw) - std::abs(value));
    const f64 before = std::abs(size_of(format, best) - std::abs(value));
    if (near < before || (near == before && raw % 2 == 0)) best = raw;
  }
  return sign | best;
}

/// Values around each number of the formats, and around the middles between two.
std::vector<u64> near_bytes() {
  std::vector<u64> made = edges<f32>();
  for (const Format& format : kFormats)
    for (u32 raw = 0; raw < format.largest; raw += 3) {
      const f64 middle = (size_of(format, raw) + size_of(format, raw + 1)) / 2;
      for (const f64 value : {middle, size_of(format, raw), -middle}) {
        const u32 bits = std::bit_cast<u32>(static_cast<f32>(value));
        made.insert(made.end(), {bits, bits + 1, bits - (value != 0 ? 1 : 0)});
      }
    }
  for (const f32 value : {448.0F, 464.0F, 465.0F, 480.0F, 57344.0F, 61440.0F, 65536.0F})
    made.push_back(std::bit_cast<u32>(value));
  return made;
}

void add_bytes(std::vector<Sweep>& all, const Format& format) {
  for (const bool relu : {false, true}) {
    const std::string clip = relu ? ".relu" : "";
    all.push_back(sweep<u16, f32, f32>(
        "cvt.rn.satfinite" + clip + "." + format.name + ".f32", [=](f32 a, f32 b) {
          return nearest_byte(format, a, relu) << 8 | nearest_byte(format, b, relu);
        }));
    all.back().values = {near_bytes(), {0, 0x43e00000, 0x7fc00000, 0xbf800000}};
    const auto low = [](u32 v) { return number(half{static_cast<u16>(v)}); };
    all.push_back(
        sweep<u16, u32>("cvt.rn.satfinite" + clip + "." + format.name + ".f16x2", [=](u32 v) {
          return nearest_byte(format, low(v >> 16), relu) << 8 | nearest_byte(format, low(v), relu);
        }));
    all.back().values = {pairs<half>()};
    for (u64 raw = 0; raw < 0x8000; raw += 37)
      all.back().values[0].push_back(raw | (0xffff - raw) << 16);
    all.push_back(sweep<u32, u16>("cvt.rn" + clip + ".f16x2." + format.name, [=](u16 v) {
      u32 made = 0;
      for (const u32 place : {0, 8}) {
        const u32 raw = v >> place & 0xff;
        const f64 size = size_of(format, raw & 0x7f);
        const bool negative = raw >= 0x80 && !std::isnan(size);
        made |= u32{negative && relu ? half{0}.raw : nearest<half>(size, negative).raw}
                << 2 * place;
      }
      return made;
    }));
    all.back().values = {{}};
    for (u64 raw = 0; raw < 256; ++raw) all.back().values[0].push_back(raw | (raw * 5 & 255) << 8);
    all.back().same = [](u64 a, u64 b) {
      return same_half<half>(a & 0xffff, b & 0xffff) && same_half<half>(a >> 16, b >> 16);
    };
  }
}

// ---- tf32 ---------------------------------------------------------------------------------------

/// The nearest of two neighbours of 10 digits, whose bits are next to each other; `away`: of two as
/// near the larger one, else the even one.
u32 nearest_tf32(f32 value, bool away, bool cuts, bool is_finite) {
  if (std::isnan(value)) return 0x7fffffff;
  const u32 raw = static_cast<u32>(to_bits(value));
  const u32 size = raw & 0x7fffffff;
  u32 made = size / 8192;
  const u32 rest = size % 8192;
  if (!cuts && (rest > 4096 || (rest == 4096 && (away || made % 2 == 1)))) ++made;
  made *= 8192;
  if (is_finite) made = std::min<u32>(made, 0x7f7fe000);
  return (raw & 0x80000000) | made;
}

void add_tf32(std::vector<Sweep>& all) {
  // The ISA does not specify NaNs; an H200 truncates their payload.
  all.push_back(sweep<u32, f32>("cvt.rna.tf32.f32", [](f32 a) {
    const u32 raw = static_cast<u32>(to_bits(a));
    return (raw & 0x7fffffff) >= 0x7f800000 ? raw / 8192 * 8192
                                            : nearest_tf32(a, true, false, false);
  }));
  const auto add = [&](const std::string& op, int target, auto reference) {
    all.push_back(sweep<u32, f32>(op + ".tf32.f32", reference));
    all.back().same = same_number<f32>;
    all.back().target = target;
    for (const u64 more : {0x3f801000U, 0x3f803000U, 0xbf801000U, 0x7f7fefffU, 0x7f7ff000U})
      all.back().values[0].push_back(more);
  };
  add("cvt.rna.satfinite", 90, [](f32 a) { return nearest_tf32(a, true, false, true); });
  for (const bool cuts : {false, true}) {
    const std::string op = cuts ? "cvt.rz" : "cvt.rn";
    add(op, 90, [=](f32 a) { return nearest_tf32(a, false, cuts, false); });
    add(op + ".relu", 90, [=](f32 a) { return a <= 0 ? 0 : nearest_tf32(a, false, cuts, false); });
    add(op + ".satfinite", 100, [=](f32 a) { return nearest_tf32(a, false, cuts, true); });
  }
}

// ---- integers -----------------------------------------------------------------------------------

void add_packed(std::vector<Sweep>& all) {
  for (const u32 bits : {2, 4, 8, 16})
    for (const bool has_sign : {false, true}) {
      const __int128 most = (__int128{1} << (has_sign ? bits - 1 : bits)) - 1;
      const __int128 least = has_sign ? -most - 1 : 0;
      const auto packed = [=](s32 a, s32 b, u32 c) {
        const auto cut = [=](s32 value) {
          const __int128 modulus = __int128{1} << bits;
          return static_cast<u64>((std::clamp<__int128>(value, least, most) + modulus) % modulus);
        };
        return static_cast<u32>(cut(b) + (cut(a) << bits) + (u64{c} << 2 * bits));
      };
      const std::string op =
          std::string("cvt.pack.sat.") + (has_sign ? "s" : "u") + std::to_string(bits) + ".s32";
      if (bits == 16)
        all.push_back(sweep<u32, s32, s32>(op, [=](s32 a, s32 b) { return packed(a, b, 0); }));
      else
        all.push_back(sweep<u32, s32, s32, u32>(op + ".b32", packed));
      for (std::size_t i = 0; i < 2; ++i)
        for (const s32 more : {-1, -2, -3, -8, -9, -128, -129, -32768, -32769, 32767, 32768, 65536})
          all.back().values[i].push_back(static_cast<u32>(more));
    }
}

}  // namespace

std::vector<Sweep> byte_sweeps() {
  std::vector<Sweep> all;
  for (const Format& format : kFormats) add_bytes(all, format);
  add_tf32(all);
  add_packed(all);
  for (const char* h : {"f16", "bf16"}) {
    const bool is_half = std::string(h) == "f16";
    all.push_back(sweep<u16, f32>(std::string("cvt.rn.satfinite.") + h + ".f32", [=](f32 a) {
      const u16 raw =
          is_half ? nearest<half>(a, std::signbit(a)).raw : nearest<bhalf>(a, std::signbit(a)).raw;
      const u16 over = is_half ? 0x7c00 : 0x7f80;
      return !std::isnan(a) && (raw & 0x7fff) == over ? raw - 1 : raw;
    }));
    all.back().same = is_half ? same_half<half> : same_half<bhalf>;
  }
  return all;
}

}  // namespace harness::testing
