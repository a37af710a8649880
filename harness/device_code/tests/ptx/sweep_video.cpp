// SPDX-License-Identifier: Apache-2.0
// Reference for video instructions, in 128 bits: registers as arrays of bytes and halves.
#include <algorithm>
#include <limits>

#include "harness/device_code/tests/ptx/sweep.h"

namespace harness::testing {
namespace {

using wide = __int128;

/// The word, or the byte or half that a selector names, as a number.
wide selected(u32 raw, const std::string& part, bool has_sign) {
  if (part.empty()) return has_sign ? wide{static_cast<s32>(raw)} : wide{raw};
  const auto index = static_cast<std::size_t>(part[1] - '0');
  if (part[0] == 'h') {
    const u16 half = std::bit_cast<std::array<u16, 2>>(raw)[index];
    return has_sign ? wide{static_cast<s16>(half)} : wide{half};
  }
  const u8 byte = std::bit_cast<std::array<u8, 4>>(raw)[index];
  return has_sign ? wide{static_cast<s8>(byte)} : wide{byte};
}
wide clamped(wide value, u32 bits, bool has_sign) {
  const wide count = wide{1} << bits;
  return has_sign ? std::clamp<wide>(value, -count / 2, count / 2 - 1)
                  : std::clamp<wide>(value, 0, count - 1);
}
u32 bits_of(const std::string& part) { return part.empty() ? 32 : part[0] == 'b' ? 8 : 16; }
/// Puts the low bits of a value where a selector says.
u32 merged(wide value, const std::string& part, u32 rest) {
  if (part.empty()) return static_cast<u32>(value);
  const auto index = static_cast<std::size_t>(part[1] - '0');
  if (part[0] == 'h') {
    auto halves = std::bit_cast<std::array<u16, 2>>(rest);
    halves[index] = static_cast<u16>(value);
    return std::bit_cast<u32>(halves);
  }
  auto bytes = std::bit_cast<std::array<u8, 4>>(rest);
  bytes[index] = static_cast<u8>(value);
  return std::bit_cast<u32>(bytes);
}

struct Operation {
  const char* name;
  wide (*act)(wide a, wide b);
};
constexpr Operation kOperations[] = {
    {"vadd", [](wide a, wide b) { return a + b; }},
    {"vsub", [](wide a, wide b) { return a - b; }},
    {"vabsdiff", [](wide a, wide b) { return std::max(a, b) - std::min(a, b); }},
    {"vmin", [](wide a, wide b) { return std::min(a, b); }},
    {"vmax", [](wide a, wide b) { return std::max(a, b); }},
};

std::string type(bool has_sign) { return has_sign ? ".s32" : ".u32"; }

/// A form: types of the result and of both sources, and selectors.
struct Form {
  bool sign, sign_a, sign_b;
  const char *to, *a, *b;
};
constexpr Form kForms[] = {
    {true, true, true, "", "", ""},      {false, false, false, "", "", ""},
    {true, false, true, "", "", ""},     {false, true, true, "", "b0", "h1"},
    {true, true, false, "", "b3", ""},   {true, true, true, "h1", "h0", "b2"},
    {false, true, false, "b2", "", "b1"}};

std::string operand(const char* name, const char* part) {
  return std::string(name) + (*part != 0 ? "." : "") + part;
}

/// Reports an exact result that an H200 ends differently than the ISA says: the upper half of d
/// gets the upper half of the result, for which `.sat` leaves nothing; a result below 0 is clamped
/// to the greatest byte; an unsigned sum of 33 bits is not clamped.
bool departs(const Form& form, bool clamps, wide exact) {
  const std::string to = form.to;
  if (to == "h1") return true;
  if (!clamps || form.sign) return false;
  return to.empty() ? !form.sign_a && !form.sign_b && exact >= wide{1} << 32 : exact < 0;
}

void add_scalar(std::vector<Sweep>& all, const Operation& one, const Form& form, bool clamps,
                const std::string& second) {
  const std::string text = one.name + type(form.sign) + type(form.sign_a) + type(form.sign_b) +
                           (clamps ? ".sat" : "") + (second.empty() ? "" : "." + second) + " " +
                           operand("$d", form.to) + ", " + operand("$a", form.a) + ", " +
                           operand("$b", form.b) +
                           (*form.to != 0 || !second.empty() ? ", $c;" : ";");
  const auto exact = [=](u32 a, u32 b) {
    return one.act(selected(a, form.a, form.sign_a), selected(b, form.b, form.sign_b));
  };
  all.push_back(sweep<u32, u32, u32, u32>(text, [=](u32 a, u32 b, u32 c) {
    wide made = exact(a, b);
    if (clamps) made = clamped(made, bits_of(form.to), form.sign);
    const wide third = selected(c, "", form.sign);
    if (second == "add") made += third;
    if (second == "min") made = std::min(made, third);
    if (second == "max") made = std::max(made, third);
    return merged(made, form.to, c);
  }));
  all.back().departs = [=](const u64* sources) {
    return departs(form, clamps, exact(static_cast<u32>(sources[0]), static_cast<u32>(sources[1])));
  };
}

void add_scalars(std::vector<Sweep>& all) {
  for (const Operation& one : kOperations) {
    for (const Form& form : kForms)
      for (const bool clamps : {false, true}) add_scalar(all, one, form, clamps, "");
    for (const char* second : {"add", "min", "max"})
      for (const bool clamps : {false, true}) {
        // Without saturation a result may exceed 32 bits: the ISA's result has 33.
        if (!clamps && std::string(second) != "add") continue;
        add_scalar(all, one, kForms[0], clamps, second);
        add_scalar(all, one, kForms[3], clamps, second);
      }
  }
  for (const bool wraps : {false, true})
    for (const bool has_sign : {false, true}) {
      const std::string types =
          type(has_sign) + type(has_sign) + ".u32" + (wraps ? ".wrap" : ".clamp");
      const auto by = [=](u32 b) { return wraps ? b % 32 : std::min<u32>(b, 32); };
      all.push_back(sweep<u32, u32, u32>("vshl" + types, [=](u32 a, u32 b) {
        return static_cast<u32>(selected(a, "", has_sign) * (wide{1} << by(b)));
      }));
      all.push_back(sweep<u32, u32, u32>("vshr" + types + " $d, $a, $b.b0;", [=](u32 a, u32 b) {
        const wide value = selected(a, "", has_sign);
        const wide divisor = wide{1} << by(b % 256);
        return static_cast<u32>((value - ((value % divisor) + divisor) % divisor) / divisor);
      }));
    }
}

void add_products(std::vector<Sweep>& all) {
  struct Product {
    const char *modifiers, *a, *b, *c;
    bool sign_a, sign_b;
  };
  constexpr Product kProducts[] = {
      {"", "$a", "$b", "$c", true, true},          {"", "$a", "$b", "$c", false, false},
      {".sat", "$a", "$b", "$c", true, false},     {".sat", "$a", "$b", "$c", false, false},
      {".shr7", "$a", "$b", "$c", true, true},     {".sat.shr15", "$a", "$b", "$c", true, true},
      {".sat", "-$a", "$b", "$c", true, true},     {".shr15", "$a", "-$b", "$c", true, true},
      {".sat", "$a", "$b", "-$c", true, true},     {".po.sat", "$a", "$b", "$c", true, true},
      {".po", "$a.h1", "$b.b3", "$c", true, false}};
  for (const Product& one : kProducts) {
    const std::string modifiers = one.modifiers;
    const std::string a = one.a, b = one.b, c = one.c;
    const bool has_sign = one.sign_a || one.sign_b;
    const auto part = [](const std::string& text) {
      const std::size_t dot = text.find('.');
      return dot == std::string::npos ? "" : text.substr(dot + 1);
    };
    all.push_back(sweep<u32, u32, u32, u32>(
        "vmad" + type(has_sign) + type(one.sign_a) + type(one.sign_b) + modifiers + " $d, " + a +
            ", " + b + ", " + c + ";",
        [=, sign_a = one.sign_a, sign_b = one.sign_b](u32 x, u32 y, u32 z) {
          wide made = selected(x, part(a), sign_a) * selected(y, part(b), sign_b);
          if ((a[0] == '-') != (b[0] == '-')) made = -made;
          const wide more = selected(z, "", has_sign);
          made += c[0] == '-' ? -more : more;
          if (modifiers.find("po") != std::string::npos) made += 1;
          const wide divisor = modifiers.find("shr7") != std::string::npos    ? 128
                               : modifiers.find("shr15") != std::string::npos ? 32768
                                                                              : 1;
          made = (made - (made % divisor + divisor) % divisor) / divisor;
          const bool clamps = modifiers.find("sat") != std::string::npos;
          return static_cast<u32>(clamps ? clamped(made, 32, has_sign) : made);
        }));
    // An H200 takes each whole source of a sum that is clamped as one with a sign.
    if (modifiers.find("sat") != std::string::npos)
      all.back().departs = [=, sign_a = one.sign_a, sign_b = one.sign_b](const u64* sources) {
        const auto is_high = [&](int i) { return (sources[i] >> 31 & 1) != 0; };
        return (!sign_a && is_high(0)) || (!sign_b && is_high(1)) || (!has_sign && is_high(2));
      };
  }
}

// ---- all bytes or halves ------------------------------------------------------------------------

/// Returns part `index` of two registers. Parts of `b` follow those of `a`.
wide part_of(u32 a, u32 b, u32 index, u32 count, bool has_sign) {
  const u32 raw = index < count ? a : b;
  const std::string name = (count == 2 ? "h" : "b") + std::to_string(index % count);
  return selected(raw, name, has_sign);
}

struct Choice {
  const char *to, *a, *b;  ///< Selectors, the highest part first.
};

void add_parts(std::vector<Sweep>& all, const std::string& name, u32 count, bool sign, bool sources,
               const std::string& modifiers, const Choice& choice, wide (*act)(wide, wide)) {
  const std::string kind = count == 2 ? "h" : "b";
  const auto with = [&](const char* reg, const char* parts) {
    return std::string(reg) + (*parts != 0 ? "." + kind + parts : "");
  };
  const bool is_set = name == "vset";
  const std::string text = name + std::to_string(count) + (is_set ? "" : type(sign)) +
                           type(sources) + type(sources) + modifiers + " " + with("$d", choice.to) +
                           ", " + with("$a", choice.a) + ", " + with("$b", choice.b) + ", $c;";
  const auto place = [=](const char* parts, u32 i, u32 first) {
    return *parts != 0 ? static_cast<u32>(parts[count - 1 - i] - '0') : first + i;
  };
  all.push_back(sweep<u32, u32, u32, u32>(text, [=](u32 a, u32 b, u32 c) {
    const bool sums = modifiers.find("add") != std::string::npos;
    u32 made = c;
    for (u32 i = 0; i < count; ++i) {
      if (*choice.to != 0 &&
          std::string(choice.to).find(static_cast<char>('0' + i)) == std::string::npos)
        continue;
      wide value = act(part_of(a, b, place(choice.a, i, 0), count, sources),
                       part_of(a, b, place(choice.b, i, count), count, sources));
      if (modifiers.find("sat") != std::string::npos) value = clamped(value, 32 / count, sign);
      made = sums ? static_cast<u32>(made + value) : merged(value, kind + std::to_string(i), made);
    }
    return made;
  }));
}

void add_simd(std::vector<Sweep>& all) {
  constexpr Choice kWhole{"", "", ""};
  constexpr Choice kOther[] = {{"1", "30", "21"}, {"320", "7012", "4563"}};
  std::vector<Operation> operations(std::begin(kOperations), std::end(kOperations));
  operations.push_back({"vavrg", [](wide a, wide b) {
                          const wide sum = a + b;
                          return sum >= 0 ? (sum + 1) / 2 : (sum - (sum % 2 != 0 ? 1 : 0)) / 2;
                        }});
  for (const u32 count : {2, 4}) {
    for (const Operation& one : operations)
      for (const bool has_sign : {false, true}) {
        for (const char* modifiers : {"", ".sat", ".add"})
          add_parts(all, one.name, count, has_sign, has_sign, modifiers, kWhole, one.act);
        add_parts(all, one.name, count, has_sign, !has_sign, ".sat", kOther[count / 4], one.act);
      }
    const Operation kOrders[] = {{".eq", [](wide a, wide b) { return wide{a == b}; }},
                                 {".ne", [](wide a, wide b) { return wide{a != b}; }},
                                 {".lt", [](wide a, wide b) { return wide{a < b}; }},
                                 {".le", [](wide a, wide b) { return wide{a <= b}; }},
                                 {".gt", [](wide a, wide b) { return wide{a > b}; }},
                                 {".ge", [](wide a, wide b) { return wide{a >= b}; }}};
    for (const Operation& order : kOrders)
      for (const bool has_sign : {false, true})
        for (const char* second : {"", ".add"})
          add_parts(all, "vset", count, false, has_sign, std::string(order.name) + second, kWhole,
                    order.act);
  }
  for (const bool has_sign : {false, true})
    all.push_back(sweep<u32, u32, u32, u32>(
        "vset" + type(has_sign) + type(has_sign) + ".lt.add $d, $a.h1, $b.b0, $c;",
        [=](u32 a, u32 b, u32 c) {
          return c + (selected(a, "h1", has_sign) < selected(b, "b0", has_sign) ? 1 : 0);
        }));
}

}  // namespace

std::vector<Sweep> video_sweeps() {
  std::vector<Sweep> all;
  add_scalars(all);
  add_products(all);
  add_simd(all);
  return all;
}

}  // namespace harness::testing
