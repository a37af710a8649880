// SPDX-License-Identifier: Apache-2.0
// Video instructions: operands that are a byte or a half of a register, and results inserted into
// one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/device_code/ptx/instructions.h"

namespace harness::ptx {
namespace {

/// A register, and the selector after its dot: "b1", or empty.
struct Selected {
  Operand whole;
  std::string part;
};

Selected selected(Operand operand) {
  Selected made;
  const std::size_t dot = operand.name.find('.');
  if (dot != std::string::npos && operand.name[0] != '.') {
    const std::string part = operand.name.substr(dot + 1);
    if (part.size() > 1 && (part[0] == 'b' || part[0] == 'h') &&
        part.find_first_not_of("01234567", 1) == std::string::npos) {
      made.part = part;
      operand.name.resize(dot);
    }
  }
  made.whole = std::move(operand);
  return made;
}

/// Returns the field of a selector in a scalar instruction.
std::string field(const std::string& part) {
  if (part.empty()) return "ptx::Field{0, 32}";
  const int bits = part[0] == 'b' ? 8 : 16;
  const int index = part[1] - '0';
  if (part.size() != 2 || index * bits >= 32) throw Unknown{"another selector"};
  return fmt::format("ptx::Field{{{}, {}}}", index * bits, bits);
}

bool has_sign(const std::string& type) {
  if (!is_among(type, "u32 s32")) throw Unknown{"another type"};
  return type[0] == 's';
}

/// Returns an extended source of a scalar instruction.
std::string source(FunctionWriter& writer, const Operand& operand, const std::string& type) {
  Selected from = selected(operand);
  from.whole.is_minus = false;
  return fmt::format("ptx::field_of(ptx::get<ptx::u32>({}), {}, {})",
                     writer.value(from.whole, type), field(from.part), has_sign(type));
}

std::string whole(FunctionWriter& writer, const Operand& operand) {
  return fmt::format("ptx::get<ptx::u32>({})", writer.value(operand, "u32"));
}

/// Returns the operation (the opcode without "v" and the number of parts), and the comparison of
/// vset.
std::string operation(const Instruction& instruction) {
  std::string name = instruction.name().substr(1);
  if (name.back() == '2' || name.back() == '4') name.pop_back();
  constexpr std::string_view kOrders[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  const std::string_view how = instruction.first_of(kOrders);
  if (name == "set" && how.empty()) throw Unknown{"no comparison"};
  return fmt::format("ptx::Video::{}, ptx::Order::{}", name, how.empty() ? "eq" : how);
}

/// Returns the types of the result and of both sources. vset specifies none for the result.
std::array<std::string, 3> video_types(const Instruction& instruction) {
  const std::vector<std::string>& types = instruction.types();
  const bool is_set = instruction.name().starts_with("vset");
  if (types.size() != (is_set ? 2 : 3)) throw Unknown{"other types"};
  if (is_set) return {"u32", types[0], types[1]};
  return {types[0], types[1], types[2]};
}

/// Returns the parts that a selector of several names, the lowest first.
std::string choice(const std::string& part, char kind, std::uint32_t count, std::uint32_t first) {
  std::vector<int> chosen;
  for (std::size_t i = part.size(); i-- > 1;) chosen.push_back(part[i] - '0');
  if (part.empty())
    for (std::uint32_t i = 0; i < count; ++i) chosen.push_back(static_cast<int>(first + i));
  const bool fits = part.empty() || part[0] == kind;
  if (!fits || chosen.size() != count ||
      *std::max_element(chosen.begin(), chosen.end()) >= static_cast<int>(2 * count))
    throw Unknown{"another selector"};
  return fmt::format("{{{}}}", fmt::join(chosen, ", "));
}

/// Returns the parts of the result as a mask.
std::uint32_t parts_mask(const std::string& part, char kind, std::uint32_t count) {
  if (part.empty()) return (1U << count) - 1;
  std::uint32_t made = 0;
  for (std::size_t i = 1; i < part.size(); ++i) made |= 1U << (part[i] - '0');
  if (part[0] != kind || made >> count != 0) throw Unknown{"another mask"};
  return made;
}

}  // namespace

std::string translate_video(FunctionWriter& writer, const Instruction& instruction, const Family&) {
  const auto [to_type, a_type, b_type] = video_types(instruction);
  const Selected to = selected(instruction.operand(0));
  constexpr std::string_view kSeconds[] = {"add", "min", "max"};
  const std::string_view second = instruction.first_of(kSeconds);
  const bool has_third = !to.part.empty() || !second.empty();
  if (instruction.count() != (has_third ? 4U : 3U)) throw Unknown{"another number of operands"};
  return writer.put(to.whole.name,
                    fmt::format("ptx::video_scalar<{}, ptx::Video::{}, {}, {}>({}, {}, {}, {})",
                                operation(instruction), second.empty() ? "set" : second,
                                cpp_modifiers(instruction), has_sign(to_type),
                                source(writer, instruction.operand(1), a_type),
                                source(writer, instruction.operand(2), b_type), field(to.part),
                                has_third ? whole(writer, instruction.operand(3)) : "0U"));
}

std::string translate_video_mad(FunctionWriter& writer, const Instruction& instruction,
                                const Family&) {
  const auto [to_type, a_type, b_type] = video_types(instruction);
  if (instruction.count() != 4) throw Unknown{"another number of operands"};
  const bool minus = instruction.operand(1).is_minus != instruction.operand(2).is_minus;
  Operand more = instruction.operand(3);
  const bool minus_more = more.is_minus;
  more.is_minus = false;
  const bool is_signed = has_sign(a_type) || has_sign(b_type) || minus || minus_more;
  return writer.put(
      instruction.operand(0).name,
      fmt::format("ptx::video_mad<{}, {}>({}, {}, {}, {}, {}, {}, {})", cpp_modifiers(instruction),
                  is_signed, source(writer, instruction.operand(1), a_type),
                  source(writer, instruction.operand(2), b_type), minus, whole(writer, more),
                  minus_more, instruction.has("po"),
                  instruction.has("shr7")    ? 7
                  : instruction.has("shr15") ? 15
                                             : 0));
}

std::string translate_video_parts(FunctionWriter& writer, const Instruction& instruction,
                                  const Family&) {
  const auto [to_type, a_type, b_type] = video_types(instruction);
  if (instruction.count() != 4) throw Unknown{"another number of operands"};
  const std::uint32_t count = instruction.name().back() == '2' ? 2 : 4;
  const char kind = count == 2 ? 'h' : 'b';
  const Selected to = selected(instruction.operand(0));
  const Selected a = selected(instruction.operand(1));
  const Selected b = selected(instruction.operand(2));
  return writer.put(
      to.whole.name,
      fmt::format("ptx::video_parts<{}, {}, {}, {}, {}, {}, {}>({}, {}, {}, {{{}, {}, {}}})",
                  operation(instruction), cpp_modifiers(instruction), count, has_sign(a_type),
                  has_sign(b_type), has_sign(to_type), instruction.has("add"),
                  whole(writer, a.whole), whole(writer, b.whole),
                  whole(writer, instruction.operand(3)), choice(a.part, kind, count, 0),
                  choice(b.part, kind, count, count), parts_mask(to.part, kind, count)));
}

}  // namespace harness::ptx
