// SPDX-License-Identifier: Apache-2.0
// Instructions that branch, call, or wait for other threads.
#include <fmt/format.h>

#include <algorithm>

#include "harness/device_code/ptx/instructions.h"

namespace harness::ptx {

std::string translate_nothing(FunctionWriter&, const Instruction& instruction, const Family&) {
  if (instruction.has("tensor") || instruction.has("bulk")) throw Unknown{};
  return ";";
}

std::string translate_sleep(FunctionWriter& writer, const Instruction& instruction, const Family&) {
  return fmt::format("ptx::sleep({});", writer.value(instruction.operand(0), "u32"));
}

std::string translate_branch(FunctionWriter& writer, const Instruction& instruction,
                             const Family& family) {
  if (family.name == "bra")
    return fmt::format("goto {};", writer.label(instruction.operand(0).name));
  std::string made = fmt::format("switch (ptx::get<ptx::u32>({})) {{ ",
                                 writer.value(instruction.operand(0), "u32"));
  int index = 0;
  for (const std::string& target : writer.targets(instruction.operand(1).name))
    made += fmt::format("case {}: goto {}; ", index++, writer.label(target));
  return made + "}";
}

std::string translate_end(FunctionWriter& writer, const Instruction& instruction, const Family&) {
  if (instruction.name() == "trap" || instruction.name() == "brkpt") return "ptx::trap();";
  return instruction.name() == "exit" && !writer.function().is_entry ? "ptx::exit();" : "return;";
}

// ---- calls --------------------------------------------------------------------------------------

namespace {

std::vector<Operand> names_of(const Operand& list) { return list.parts; }

/// The parts of a call.
struct Call {
  std::vector<Operand> results;
  Operand function;
  std::vector<Operand> arguments;
};

Call read_call(const Instruction& instruction) {
  Call made;
  std::size_t next = 0;
  if (instruction.operand(0).kind == Operand::Kind::list)
    made.results = names_of(instruction.operand(next++));
  made.function = instruction.operand(next++);
  if (next < instruction.count() && instruction.operand(next).kind == Operand::Kind::list)
    made.arguments = names_of(instruction.operand(next));
  return made;
}

std::string number_at(FunctionWriter& writer, const Call& call, std::size_t index,
                      const char* type) {
  if (index >= call.arguments.size()) throw Unknown{"too few arguments"};
  return fmt::format("ptx::read<ptx::{}>(reinterpret_cast<ptx::u64>({}))", type,
                     writer.pointer(call.arguments[index].name));
}

/// Translates calls of functions that the driver defines, not a module.
std::string call_driver(FunctionWriter& writer, const Call& call) {
  const std::string& name = call.function.name;
  if (name == "vprintf") {
    const std::string print =
        fmt::format("ptx::driver.print({}, {})", number_at(writer, call, 0, "u64"),
                    number_at(writer, call, 1, "u64"));
    if (call.results.empty()) return print + ";";
    return fmt::format("ptx::write<ptx::u32>(reinterpret_cast<ptx::u64>({}), {});",
                       writer.pointer(call.results[0].name), print);
  }
  if (name == "malloc" && !call.results.empty())
    return fmt::format(
        "ptx::write<ptx::u64>(reinterpret_cast<ptx::u64>({}), ptx::driver.malloc({}));",
        writer.pointer(call.results[0].name), number_at(writer, call, 0, "u64"));
  if (name == "free")
    return fmt::format("ptx::driver.free({});", number_at(writer, call, 0, "u64"));
  if (name == "__assertfail")
    return fmt::format("ptx::driver.fail_assertion({}, {}, {}, {});",
                       number_at(writer, call, 0, "u64"), number_at(writer, call, 1, "u64"),
                       number_at(writer, call, 2, "u32"), number_at(writer, call, 3, "u64"));
  if (name == "cudaGraphSetConditional")
    return fmt::format("ptx::driver.set_conditional({}, {});", number_at(writer, call, 0, "u64"),
                       number_at(writer, call, 1, "u32"));
  throw Unknown{name + " is not in the module"};
}

}  // namespace

std::string translate_call_function(FunctionWriter& writer, const Instruction& instruction,
                                    const Family&) {
  const Call call = read_call(instruction);
  const Function* function = writer.layout().function(call.function.name);
  const bool is_pointer = call.function.name[0] == '%';
  if (function == nullptr && !is_pointer) return call_driver(writer, call);
  std::string arguments = "t";
  std::string types = "const ptx::Thread&";
  for (const std::vector<Operand>* list : {&call.results, &call.arguments})
    for (const Operand& operand : *list) {
      arguments += ", " + writer.pointer(operand.name);
      types += ", ptx::u8*";
    }
  if (!is_pointer) {
    if (function->results.size() + function->parameters.size() !=
        call.results.size() + call.arguments.size())
      throw Unknown{"another number of arguments"};
    return fmt::format("{}({});", function_name(*function), arguments);
  }
  return fmt::format("reinterpret_cast<void (*)({})>(ptx_function({}))({});", types,
                     writer.value(call.function, "u64"), arguments);
}

// ---- other threads ------------------------------------------------------------------------------

std::string translate_barrier(FunctionWriter& writer, const Instruction& instruction,
                              const Family&) {
  if (instruction.has("warp"))
    return fmt::format("ptx::driver.ballot(ptx::get<ptx::u32>({}), 0);",
                       writer.value(instruction.operand(0), "u32"));
  if (instruction.has("cluster")) return ";";  // A cluster is one block here.
  // The result comes first, the predicate last. Between them are the barrier and its number of
  // threads.
  const bool reduces = instruction.has("red");
  const std::size_t first = reduces ? 1 : 0;
  const std::size_t end = instruction.count() - first;
  std::string at;
  for (std::size_t i = first; i < end; ++i)
    at += fmt::format("ptx::get<ptx::u32>({}), ", writer.value(instruction.operand(i), "u32"));
  if (end == first + 1) at += "0, ";
  if (instruction.has("arrive"))
    return fmt::format("ptx::arrive_at({});", at.substr(0, at.size() - 2));
  if (!reduces && instruction.has("sync")) return fmt::format("ptx::wait_at({}false);", at);
  if (!reduces) throw Unknown{};
  const std::string value = writer.predicate(instruction.operand(instruction.count() - 1));
  const std::string& to = instruction.operand(0).name;
  if (instruction.has("popc")) return writer.put(to, fmt::format("ptx::wait_at({}{})", at, value));
  if (instruction.has("or"))
    return writer.put(to, fmt::format("ptx::wait_at({}{}) != 0", at, value));
  return writer.put(to, fmt::format("ptx::wait_at({}!({})) == 0", at, value));
}

namespace {

/// Returns the mask of an instruction. Without .sync, the whole warp waits.
std::string mask_of(FunctionWriter& writer, const Instruction& instruction, std::size_t index) {
  return instruction.has("sync") ? writer.value(instruction.operand(index), "b32")
                                 : "ptx::lanes_there(t)";
}

std::string shuffle(FunctionWriter& writer, const Instruction& instruction) {
  constexpr std::string_view kWays[] = {"up", "down", "bfly", "idx"};
  const Operand& to = instruction.operand(0);
  std::string made = fmt::format(
      "bool inside = false; const ptx::u32 value = ptx::shfl<ptx::Shuffle::{}>(t, {}, {}, {}, {}, "
      "inside);",
      instruction.first_of(kWays), writer.value(instruction.operand(1), "b32"),
      writer.value(instruction.operand(2), "b32"), writer.value(instruction.operand(3), "b32"),
      mask_of(writer, instruction, 4));
  made += writer.put(to.name, "value");
  if (!to.second.empty()) made += writer.put(to.second, "inside");
  return made;
}

std::string vote(FunctionWriter& writer, const Instruction& instruction) {
  const std::string mask = mask_of(writer, instruction, 2);
  const std::string value = writer.predicate(instruction.operand(1));
  const std::string& to = instruction.operand(0).name;
  if (instruction.has("ballot"))
    return writer.put(to,
                      fmt::format("ptx::driver.ballot(ptx::get<ptx::u32>({}), {})", mask, value));
  for (const char* word : {"any", "all", "uni"})
    if (instruction.has(word))
      return writer.put(to, fmt::format("ptx::vote_{}({}, {})", word, mask, value));
  throw Unknown{};
}

std::string reduce(FunctionWriter& writer, const Instruction& instruction) {
  constexpr std::pair<std::string_view, std::string_view> kActs[] = {
      {"add", "x + y"}, {"min", "y < x ? y : x"}, {"max", "x < y ? y : x"},
      {"and", "x & y"}, {"or", "x | y"},          {"xor", "x ^ y"}};
  const std::string& type = instruction.type();
  if (type == "f32") throw Unknown{};
  for (const auto& [word, act] : kActs)
    if (instruction.has(word))
      return writer.put(instruction.operand(0).name,
                        fmt::format("ptx::redux<{0}>({1}, {2}, []({0} x, {0} y) {{ return {3}; }})",
                                    cpp_type(type), writer.value(instruction.operand(1), type),
                                    writer.value(instruction.operand(2), "b32"), act));
  throw Unknown{};
}

std::string match(FunctionWriter& writer, const Instruction& instruction) {
  const Operand& to = instruction.operand(0);
  const std::string& type = instruction.type();
  std::string made =
      fmt::format("const ptx::u32 lanes = ptx::match<{}>({}, {}, {});", cpp_type(type),
                  writer.value(instruction.operand(1), type),
                  writer.value(instruction.operand(2), "b32"), instruction.has("all"));
  made += writer.put(to.name, "lanes");
  if (!to.second.empty()) made += writer.put(to.second, "lanes != 0");
  return made;
}

}  // namespace

std::string translate_warp(FunctionWriter& writer, const Instruction& instruction,
                           const Family& family) {
  if (family.name == "shfl") return shuffle(writer, instruction);
  if (family.name == "vote") return vote(writer, instruction);
  if (family.name == "redux") return reduce(writer, instruction);
  if (family.name == "match") return match(writer, instruction);
  if (family.name == "activemask")
    return writer.put(instruction.operand(0).name,
                      fmt::format("ptx::driver.active({})", instruction.line()));
  const Operand& to = instruction.operand(0);
  std::string made = fmt::format(
      "const ptx::u32 mask = ptx::get<ptx::u32>({}); ptx::driver.ballot(mask, 0); "
      "const ptx::u32 chosen = static_cast<ptx::u32>(__builtin_ctz(mask));",
      writer.value(instruction.operand(1), "b32"));
  if (to.name != "_") made += writer.put(to.name, "chosen");
  if (!to.second.empty()) made += writer.put(to.second, "chosen == ptx::lane(t)");
  return made;
}

}  // namespace harness::ptx
