// Instructions that calculate: one call of device/ each, on values of registers.
#include "harness/ptx/instructions.h"

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
  if (bytes_of_type(std::string(type)) > 8) throw Unknown{"a type of 128 bits"};
  return fmt::format("ptx::{}", type);
}

std::string cpp_modifiers(const Instruction& instruction) {
  constexpr std::string_view kNumbered =
      "ftz sat rn rz rm rp rna rni rzi rmi rpi approx full hi lo wide relu noftz wrap clamp "
      "shiftamt "
      "f4e b4e rc8 ecl ecr rc16";
  std::string made = "ptx::plain";
  for (const std::string& modifier : instruction.modifiers()) {
    if (is_among(modifier, kNumbered)) made += " | ptx::" + modifier;
    if (modifier == "NaN") made += " | ptx::nan";
    if (modifier == "xorsign") made += " | ptx::abs_xorsign";
    if (instruction.name() == "shf" && modifier == "l") made += " | ptx::left";
  }
  return made;
}

// ---- one call -----------------------------------------------------------------------------------

/// The sources of an instruction, which has them behind its result.
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

/// From f32 to two halves, or to tf32, which is no type of registers.
static std::string convert_specially(FunctionWriter& writer, const Instruction& instruction) {
  const std::string& to = instruction.types().front();
  if (instruction.has("tf32"))
    return fmt::format("ptx::cvt_tf32<{}>({})", cpp_modifiers(instruction),
                       writer.value(instruction.operand(1), "f32"));
  if (to != "f16x2" && to != "bf16x2") return {};
  if (instruction.type() != "f32" || instruction.count() != 3) throw Unknown{};
  return fmt::format("ptx::cvt_pack<{}, {}, {}>({}, {})", cpp_type(to), "ptx::f32",
                     cpp_modifiers(instruction), writer.value(instruction.operand(1), "f32"),
                     writer.value(instruction.operand(2), "f32"));
}

std::string translate_convert(FunctionWriter& writer, const Instruction& instruction,
                              const Family& family) {
  constexpr std::string_view kKnown =
      "rn rz rm rp rna rni rzi rmi rpi ftz sat relu tf32 f16 bf16 f16x2 bf16x2";
  for (const std::string& modifier : instruction.modifiers())
    if (bytes_of_type(modifier) == 0 && !is_among(modifier, kKnown)) throw Unknown{};
  if (instruction.types().empty() || (instruction.types().size() != 2 && !instruction.has("tf32")))
    throw Unknown{"two types are missing"};
  const std::string& destination = instruction.operand(0).name;
  if (const std::string made = convert_specially(writer, instruction); !made.empty())
    return writer.put(destination, made);
  if (instruction.count() != 2) throw Unknown{"several sources"};
  const std::string& from = instruction.type();
  return writer.put(destination, fmt::format("ptx::{}<{}, {}, {}>({})", family.call,
                                             cpp_type(instruction.types()[0]), cpp_type(from),
                                             cpp_modifiers(instruction),
                                             writer.value(instruction.operand(1), from)));
}

// ---- comparison ---------------------------------------------------------------------------------

/// Names the comparison, by ptx::Order. Unsigned orders have names of their own.
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

/// The predicate that the answer is combined with, where there is one: " && p".
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

std::string translate_compare(FunctionWriter& writer, const Instruction& instruction,
                              const Family& family) {
  const std::string& type = instruction.type();
  const std::string answer = fmt::format(
      "ptx::compare<ptx::Order::{}, {}, {}>({}, {})", order(instruction), cpp_type(type),
      cpp_modifiers(instruction), writer.value(instruction.operand(1), type),
      writer.value(instruction.operand(2), type));
  const std::string combination = combined(writer, instruction);
  const Operand& to = instruction.operand(0);
  if (family.name == "set") {
    if (instruction.types().size() != 2) throw Unknown{"two types are missing"};
    return writer.put(to.name, fmt::format("ptx::truth<{}>({}{})", cpp_type(instruction.types()[0]),
                                           answer, combination));
  }
  std::string made = fmt::format("const bool answer = {};", answer);
  made += " const bool first = answer" + combination + ";";
  if (!to.second.empty()) made += " const bool second = !answer" + combination + ";";
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
