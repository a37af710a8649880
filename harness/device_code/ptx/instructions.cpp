// SPDX-License-Identifier: Apache-2.0
// Instructions that calculate: each becomes one call of device/, on values of registers.
#include "harness/device_code/ptx/instructions.h"

#include <fmt/format.h>

#include <algorithm>

namespace harness::ptx {

// ---- an instruction -----------------------------------------------------------------------------

Instruction::Instruction(const Statement& statement) : statement_(statement) {
  for (const std::string& modifier : statement.modifiers)
    if (bytes_of_type(modifier) != 0) types_.push_back(modifier);
}

bool Instruction::has(std::string_view modifier) const {
  return std::find(modifiers().begin(), modifiers().end(), modifier) != modifiers().end();
}

std::string_view Instruction::first_of(std::span<const std::string_view> words) const {
  for (const std::string& modifier : modifiers())
    for (const std::string_view word : words)
      if (modifier == word) return word;
  return {};
}

const std::string& Instruction::type() const {
  if (types_.empty()) throw Unknown{"no type"};
  return types_.back();
}

const Operand& Instruction::operand(std::size_t index) const {
  if (index >= statement_.operands.size()) throw Unknown{"too few operands"};
  return statement_.operands[index];
}

std::string cpp_type(std::string_view type) {
  if (bytes_of_type(std::string(type)) > 8 && type != "b128") throw Unknown{"a type of 128 bits"};
  return fmt::format("ptx::{}", type);
}

std::string cpp_modifiers(const Instruction& instruction) {
  constexpr std::string_view kNumbered =
      "ftz sat satfinite rn rz rm rp rna rni rzi rmi rpi approx full hi lo wide relu noftz wrap "
      "clamp shiftamt "
      "f4e b4e rc8 ecl ecr rc16";
  std::string made = "ptx::plain";
  for (const std::string& modifier : instruction.modifiers()) {
    if (is_among(modifier, kNumbered)) made += " | ptx::" + modifier;
    if (modifier == "NaN") made += " | ptx::nan";
    if (modifier == "xorsign") made += " | ptx::abs_xorsign";
    if (modifier == "abs" && !instruction.has("xorsign")) made += " | ptx::absolute";
    if (instruction.name() == "shf" && modifier == "l") made += " | ptx::left";
  }
  return made;
}

// ---- one call -----------------------------------------------------------------------------------

/// Returns the sources of an instruction, which follow its result.
static std::string sources(FunctionWriter& writer, const Instruction& instruction, int count) {
  std::string made;
  for (int i = 1; i <= count; ++i)
    made += fmt::format(
        "{}{}", i == 1 ? "" : ", ",
        writer.value(instruction.operand(static_cast<std::size_t>(i)), instruction.type()));
  return made;
}

std::string translate_call(FunctionWriter& writer, const Instruction& instruction,
                           const Family& family) {
  if (instruction.types().size() != 1) throw Unknown{"several types"};
  if (instruction.count() != static_cast<std::size_t>(family.sources) + 1)
    throw Unknown{"another number of operands"};
  return writer.put(
      instruction.operand(0).name,
      fmt::format("ptx::{}<{}, {}>({})", family.call, cpp_type(instruction.type()),
                  cpp_modifiers(instruction), sources(writer, instruction, family.sources)));
}

/// Translates the minimum or maximum of two or three operands.
std::string translate_choice(FunctionWriter& writer, const Instruction& instruction,
                             const Family& family) {
  if (instruction.count() != 4) return translate_call(writer, instruction, family);
  if (instruction.types().size() != 1 || instruction.type() != "f32")
    throw Unknown{"three of them"};
  const std::string call =
      fmt::format("ptx::{}<ptx::f32, {}>", family.call, cpp_modifiers(instruction));
  return writer.put(
      instruction.operand(0).name,
      fmt::format("{0}(ptx::bits({0}({1})), {2})", call, sources(writer, instruction, 2),
                  writer.value(instruction.operand(3), "f32")));
}

/// Translates mixed operations: halves are converted to f32 first, and the last operand is an f32.
std::string translate_mixed(FunctionWriter& writer, const Instruction& instruction,
                            const Family& family) {
  const auto count = static_cast<std::size_t>(family.sources);
  if (instruction.count() != count + 1) throw Unknown{"another number of operands"};
  std::string values;
  for (std::size_t i = 1; i < count; ++i)
    values += fmt::format("ptx::bits(static_cast<ptx::f32>(ptx::widen(ptx::get<{}>({})))), ",
                          cpp_type(instruction.type()),
                          writer.value(instruction.operand(i), instruction.type()));
  return writer.put(
      instruction.operand(0).name,
      fmt::format("ptx::{}<ptx::f32, {}>({}{})", family.call, cpp_modifiers(instruction), values,
                  writer.value(instruction.operand(count), "f32")));
}

/// Translates lop3. A predicate result is whether the result is not 0, combined with another
/// predicate.
std::string translate_lop3(FunctionWriter& writer, const Instruction& instruction,
                           const Family& family) {
  const bool is_and = instruction.has("and");
  if (!is_and && !instruction.has("or")) return translate_call(writer, instruction, family);
  if (instruction.count() != 6) throw Unknown{"another number of operands"};
  const Operand& to = instruction.operand(0);
  std::string made = fmt::format(
      "const ptx::u32 result = ptx::{}<ptx::b32, ptx::plain>({}); const bool answer = (result != "
      "0) "
      "{} {};",
      family.call, sources(writer, instruction, 4), is_and ? "&" : "|",
      writer.predicate(instruction.operand(5)));
  if (to.name != "_") made += " " + writer.put(to.name, "result");
  return made + " " + writer.put(to.second, "answer");
}

std::string translate_carried(FunctionWriter& writer, const Instruction& instruction,
                              const Family& family) {
  return writer.put(instruction.operand(0).name,
                    fmt::format("ptx::{}<{}, {}, {}, {}>({}, {})", family.call,
                                cpp_type(instruction.type()), cpp_modifiers(instruction),
                                instruction.name() == family.name, instruction.has("cc"),
                                sources(writer, instruction, family.sources), writer.carry()));
}

std::string translate_dot_product(FunctionWriter& writer, const Instruction& instruction,
                                  const Family& family) {
  if (instruction.types().size() != 2) throw Unknown{"two types are missing"};
  return writer.put(
      instruction.operand(0).name,
      fmt::format("ptx::{}<{}, {}, {}>({})", family.call, cpp_type(instruction.types()[0]),
                  cpp_type(instruction.types()[1]), cpp_modifiers(instruction),
                  sources(writer, instruction, family.sources)));
}

std::string translate_property(FunctionWriter& writer, const Instruction& instruction,
                               const Family& family) {
  constexpr std::string_view kProperties[] = {"finite",     "infinite", "number",
                                              "notanumber", "normal",   "subnormal"};
  return writer.put(instruction.operand(0).name,
                    fmt::format("ptx::{}<ptx::Property::{}, {}>({})", family.call,
                                instruction.first_of(kProperties), cpp_type(instruction.type()),
                                sources(writer, instruction, 1)));
}

// ---- conversion ---------------------------------------------------------------------------------

/// Converts two f32 to two halves.
static std::string convert_two(FunctionWriter& writer, const Instruction& instruction) {
  const std::string& to = instruction.types().front();
  if (instruction.type() != "f32" || instruction.count() != 3) throw Unknown{};
  return fmt::format("ptx::cvt_pack<{}, {}, {}>({}, {})", cpp_type(to), "ptx::f32",
                     cpp_modifiers(instruction), writer.value(instruction.operand(1), "f32"),
                     writer.value(instruction.operand(2), "f32"));
}

/// Reports a modifier that conversions do not have.
static void want_known(const Instruction& instruction, std::string_view known) {
  for (const std::string& modifier : instruction.modifiers())
    if (bytes_of_type(modifier) == 0 && !is_among(modifier, known)) throw Unknown{};
}

/// tf32 is not a type of registers, so it is not among the types of an instruction.
std::string translate_convert_tf32(FunctionWriter& writer, const Instruction& instruction,
                                   const Family& family) {
  want_known(instruction, "rn rz rna relu satfinite tf32");
  return writer.put(instruction.operand(0).name,
                    fmt::format("ptx::{}<{}>({})", family.call, cpp_modifiers(instruction),
                                writer.value(instruction.operand(1), "f32")));
}

std::string translate_convert_pack(FunctionWriter& writer, const Instruction& instruction,
                                   const Family& family) {
  constexpr std::string_view kTypes[] = {"u2", "s2", "u4", "s4", "u8", "s8", "u16", "s16"};
  const std::string to(instruction.first_of(kTypes));
  const bool has_rest = instruction.type() == "b32";
  if (to.empty() || !instruction.has("sat") || !instruction.has("s32") ||
      has_rest == to.ends_with("16") || instruction.count() != (has_rest ? 4U : 3U))
    throw Unknown{};
  const auto value = [&](std::size_t index) {
    return fmt::format("ptx::get<ptx::u32>({})", writer.value(instruction.operand(index), "u32"));
  };
  return writer.put(instruction.operand(0).name,
                    fmt::format("ptx::{}<{}, {}>({}, {}, {})", family.call, to.substr(1),
                                to[0] == 's', value(1), value(2), has_rest ? value(3) : "0U"));
}

/// Converts two f32, or the halves of a register, to two 8-bit numbers, and back to halves.
std::string translate_convert_byte(FunctionWriter& writer, const Instruction& instruction,
                                   const Family&) {
  want_known(instruction, "rn relu satfinite");
  if (instruction.types().size() != 2) throw Unknown{"two types are missing"};
  const std::string& to = instruction.types().front();
  const std::string& from = instruction.type();
  const std::string modifiers = cpp_modifiers(instruction);
  const std::string first = writer.value(instruction.operand(1), from);
  const std::string& destination = instruction.operand(0).name;
  if (to == "f16x2")
    return writer.put(destination, fmt::format("ptx::cvt_from_bytes<{}, {}>({})", cpp_type(from),
                                               modifiers, first));
  if (!instruction.has("satfinite")) throw Unknown{};
  if (from == "f16x2")
    return writer.put(destination,
                      fmt::format("ptx::cvt_bytes<{}, {}>({})", cpp_type(to), modifiers, first));
  return writer.put(destination,
                    fmt::format("ptx::cvt_bytes<{}, ptx::f32, {}>({}, {})", cpp_type(to), modifiers,
                                first, writer.value(instruction.operand(2), from)));
}

std::string translate_convert(FunctionWriter& writer, const Instruction& instruction,
                              const Family& family) {
  want_known(instruction, "rn rz rm rp rni rzi rmi rpi ftz sat satfinite relu");
  if (instruction.types().size() != 2) throw Unknown{"two types are missing"};
  const std::string& destination = instruction.operand(0).name;
  if (is_among(instruction.types().front(), "f16x2 bf16x2"))
    return writer.put(destination, convert_two(writer, instruction));
  if (instruction.count() != 2) throw Unknown{"several sources"};
  const std::string& from = instruction.type();
  return writer.put(destination, fmt::format("ptx::{}<{}, {}, {}>({})", family.call,
                                             cpp_type(instruction.types()[0]), cpp_type(from),
                                             cpp_modifiers(instruction),
                                             writer.value(instruction.operand(1), from)));
}

// ---- comparison ---------------------------------------------------------------------------------

/// Returns the comparison's name in ptx::Order. Unsigned comparisons have names of their own in
/// PTX.
static std::string order(const Instruction& instruction) {
  constexpr std::string_view kOrders[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                          "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                          "ltu", "leu", "gtu", "geu", "num", "nan"};
  const std::string_view word = instruction.first_of(kOrders);
  if (word.empty()) throw Unknown{"no comparison"};
  return std::string(word == "lo"   ? "lt"
                     : word == "ls" ? "le"
                     : word == "hi" ? "gt"
                     : word == "hs" ? "ge"
                                    : word);
}

/// Returns the predicate with which the result is combined, if there is one: " && p".
static std::string combined(FunctionWriter& writer, const Instruction& instruction) {
  constexpr std::string_view kCombinations[] = {"and", "or", "xor"};
  const std::string_view how = instruction.first_of(kCombinations);
  if (how.empty()) return {};
  return fmt::format(" {} {}",
                     how == "and"  ? "&"
                     : how == "or" ? "|"
                                   : "^",
                     writer.predicate(instruction.operand(3)));
}

/// Returns a comparison of the operands, or of a part of them; `more` is a third argument.
static std::string comparison(FunctionWriter& writer, const Instruction& instruction,
                              const char* call, const char* more) {
  const std::string& type = instruction.type();
  return fmt::format(
      "ptx::{}<ptx::Order::{}, {}, {}>({}, {}{}){}", call, order(instruction), cpp_type(type),
      cpp_modifiers(instruction), writer.value(instruction.operand(1), type),
      writer.value(instruction.operand(2), type), more, combined(writer, instruction));
}

/// Compares both numbers of pairs. setp has a predicate for each.
static std::string compare_pairs(FunctionWriter& writer, const Instruction& instruction,
                                 const Family& family) {
  const Operand& to = instruction.operand(0);
  std::string made = fmt::format("const bool first = {}; const bool second = {};",
                                 comparison(writer, instruction, "compare_part", ", 0"),
                                 comparison(writer, instruction, "compare_part", ", 1"));
  if (family.name == "set")
    return made + writer.put(to.name, fmt::format("ptx::truth_of_two<{}>(first, second)",
                                                  cpp_type(instruction.types()[0])));
  made += writer.put(to.name, "first");
  return to.second.empty() ? made : made + writer.put(to.second, "second");
}

std::string translate_compare(FunctionWriter& writer, const Instruction& instruction,
                              const Family& family) {
  if (instruction.types().size() != (family.name == "set" ? 2 : 1)) throw Unknown{"other types"};
  if (is_among(instruction.type(), "f16x2 bf16x2"))
    return compare_pairs(writer, instruction, family);
  const std::string answer = comparison(writer, instruction, "compare", "");
  const Operand& to = instruction.operand(0);
  if (family.name == "set")
    return writer.put(to.name,
                      fmt::format("ptx::truth<{}>({})", cpp_type(instruction.types()[0]), answer));
  std::string made = fmt::format("const bool first = {};", answer);
  if (!to.second.empty()) {
    const std::string contrary = "!" + answer;
    made += " const bool second = " + contrary + ";";
  }
  made += writer.put(to.name, "first");
  if (!to.second.empty()) made += writer.put(to.second, "second");
  return made;
}

std::string translate_select(FunctionWriter& writer, const Instruction& instruction,
                             const Family& family) {
  if (family.name == "slct") {
    if (instruction.types().size() != 2) throw Unknown{"two types are missing"};
    const std::string& type = instruction.types()[0];
    return writer.put(instruction.operand(0).name,
                      fmt::format("ptx::slct<{}, {}, {}>({}, {}, {})", cpp_type(type),
                                  cpp_type(instruction.type()), cpp_modifiers(instruction),
                                  writer.value(instruction.operand(1), type),
                                  writer.value(instruction.operand(2), type),
                                  writer.value(instruction.operand(3), instruction.type())));
  }
  const std::string& type = instruction.type();
  return writer.put(instruction.operand(0).name,
                    fmt::format("{} ? ptx::get<{}>({}) : ptx::get<{}>({})",
                                writer.predicate(instruction.operand(3)), cpp_type(type),
                                writer.value(instruction.operand(1), type), cpp_type(type),
                                writer.value(instruction.operand(2), type)));
}

}  // namespace harness::ptx
