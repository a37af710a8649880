// SPDX-License-Identifier: Apache-2.0
// Instructions that move data: registers, memory of each space, and atomics.
//
// The driver checks global and generic memory, and local memory without a name. Accesses to shared
// memory are compared with the block's size of it here.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/device_code/ptx/instructions.h"

namespace harness::ptx {
namespace {

Space space_of(const Instruction& instruction) {
  constexpr std::pair<std::string_view, Space> kSpaces[] = {{"global", Space::global},
                                                            {"const", Space::constant},
                                                            {"shared", Space::shared},
                                                            {"local", Space::local},
                                                            {"param", Space::param}};
  for (const auto& [word, space] : kSpaces)
    if (instruction.has(word)) return space;
  return Space::generic;
}

/// Returns the registers of a vector, or the single one.
std::vector<Operand> registers(const Operand& operand) {
  return operand.kind == Operand::Kind::vector ? operand.parts : std::vector<Operand>{operand};
}

/// Declares `a`, the address of this many bytes, after the driver has allowed the access.
std::string place(FunctionWriter& writer, const Operand& at, Space space, std::uint32_t bytes,
                  const char* access) {
  const std::string address = writer.address(at);
  if (space == Space::shared)
    return fmt::format("const ptx::u64 a = ptx::in_shared<{}>(t, {});", bytes, address);
  std::string made = fmt::format("const ptx::u64 a = {};", address);
  const bool is_named = (space == Space::param && writer.is_in(at, Space::param)) ||
                        (space == Space::local && writer.is_in(at, Space::local));
  if (!is_named && access != nullptr)
    made += fmt::format(" {}ptx::{}<{}>(t, a, s);", kSite, access, bytes);
  return made;
}

/// Makes the lanes of a warp reach a volatile access to shared memory together, like lanes that
/// have not diverged. Warp-level reductions written before Volta rely on it.
std::string together(const Instruction& instruction) {
  const bool is_lockstep = instruction.has("volatile") && space_of(instruction) == Space::shared;
  return is_lockstep ? fmt::format("ptx::driver.active({}); ", instruction.line()) : "";
}

/// Makes a load that may poll for other blocks let them run first.
std::string look(const Instruction& instruction) {
  constexpr std::string_view kStrong[] = {"acquire", "relaxed", "volatile"};
  const Space space = space_of(instruction);
  const bool may_be = space == Space::global || space == Space::generic;
  return may_be && !instruction.first_of(kStrong).empty() ? " ptx::look(t, a);" : "";
}

}  // namespace

std::string translate_load(FunctionWriter& writer, const Instruction& instruction, const Family&) {
  const std::string& type = instruction.type();
  const std::vector<Operand> to = registers(instruction.operand(0));
  if (type == "b128" && to.size() > 1) throw Unknown{};
  const std::uint32_t bytes = bytes_of_type(type);
  const std::string cpp = cpp_type(type);
  std::string made = together(instruction) +
                     place(writer, instruction.operand(1), space_of(instruction),
                           bytes * static_cast<std::uint32_t>(to.size()), "may_load") +
                     look(instruction);
  for (std::size_t i = 0; i < to.size(); ++i)
    made += " " + writer.put(to[i].name, fmt::format("ptx::read<{}>(a + {})", cpp, i * bytes));
  return made;
}

std::string translate_store(FunctionWriter& writer, const Instruction& instruction, const Family&) {
  if (instruction.has("async") || instruction.has("bulk")) throw Unknown{};
  const std::string& type = instruction.type();
  const std::vector<Operand> from = registers(instruction.operand(1));
  if (type == "b128" && from.size() > 1) throw Unknown{};
  const std::uint32_t bytes = bytes_of_type(type);
  const std::string cpp = cpp_type(type);
  std::string made =
      together(instruction) + place(writer, instruction.operand(0), space_of(instruction),
                                    bytes * static_cast<std::uint32_t>(from.size()), "may_store");
  for (std::size_t i = 0; i < from.size(); ++i)
    made +=
        fmt::format(" ptx::write<{}>(a + {}, {});", cpp, i * bytes, writer.value(from[i], type));
  return made;
}

// ---- registers ----------------------------------------------------------------------------------

/// Returns the size of each of this many parts of a register.
static std::uint32_t part_bytes(const std::string& type, std::size_t count) {
  const std::uint32_t bytes = bytes_of_type(type);
  if (count == 0 || bytes % count != 0) throw Unknown{"another number of parts"};
  return bytes / static_cast<std::uint32_t>(count);
}

static std::string unpack(FunctionWriter& writer, const Instruction& instruction) {
  const std::vector<Operand>& to = instruction.operand(0).parts;
  const std::string& type = instruction.type();
  const std::uint32_t bytes = part_bytes(type, to.size());
  std::string made = fmt::format("const ptx::{} a = {};", type == "b128" ? "b128" : "u64",
                                 writer.value(instruction.operand(1), type));
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i].name != "_")
      made += " " + writer.put(to[i].name, fmt::format("ptx::get<ptx::b{}>(a >> {})", 8 * bytes,
                                                       8 * bytes * i));
  return made;
}

static std::string pack(FunctionWriter& writer, const Instruction& instruction) {
  const std::vector<Operand>& from = instruction.operand(1).parts;
  const std::string& type = instruction.type();
  const std::uint32_t bytes = part_bytes(type, from.size());
  const std::string part = fmt::format("ptx::b{}", 8 * bytes);
  const std::string whole = type == "b128" ? "ptx::b128" : "ptx::u64";
  std::string sum = whole + "{0}";
  for (std::size_t i = 0; i < from.size(); ++i)
    sum += fmt::format(" | {}{{ptx::get<{}>({})}} << {}", whole, part,
                       writer.value(from[i], fmt::format("b{}", 8 * bytes)), 8 * bytes * i);
  return writer.put(instruction.operand(0).name,
                    fmt::format("ptx::get<{}>({})", cpp_type(type), sum));
}

std::string translate_move(FunctionWriter& writer, const Instruction& instruction, const Family&) {
  const std::string& type = instruction.type();
  const Operand& from = instruction.operand(1);
  if (instruction.operand(0).kind == Operand::Kind::vector) return unpack(writer, instruction);
  if (from.kind == Operand::Kind::vector) return pack(writer, instruction);
  const std::string value = type == "pred" ? writer.predicate(from) : writer.value(from, type);
  return writer.put(instruction.operand(0).name,
                    fmt::format("ptx::get<{}>({})", cpp_type(type), value));
}

std::string translate_address(FunctionWriter& writer, const Instruction& instruction,
                              const Family&) {
  const std::string value = writer.value(instruction.operand(1), "u64");
  const std::string& to = instruction.operand(0).name;
  if (space_of(instruction) != Space::shared) return writer.put(to, value);
  return writer.put(
      to, fmt::format("ptx::{}(t, {})",
                      instruction.has("to") ? "generic_to_shared" : "shared_to_generic", value));
}

/// Returns an expression for whether an address, in the variable `a`, is in one of the module's
/// constants.
static std::string is_constant(const Layout& layout) {
  std::string made = "(false";
  for (std::size_t i = 0; i < layout.variable_count(); ++i)
    if (const Variable& variable = layout.variable_at(i); variable.space == Space::constant)
      made += fmt::format(" || a - t.variables[{}] < {}", i, variable.bytes());
  return made + ")";
}

std::string translate_is_space(FunctionWriter& writer, const Instruction& instruction,
                               const Family&) {
  if (instruction.has("func") || instruction.has("cluster")) throw Unknown{};
  // Kernel parameters whose address is taken are a copy on the stack of the thread.
  const bool has_parameters = writer.function().is_entry;
  const std::string constant = is_constant(writer.layout());
  const std::string local =
      "ptx::is_local(a)" + (has_parameters ? " && !" + writer.is_parameter("a") : "");
  std::string made =
      fmt::format("const ptx::u64 a = {}; ", writer.value(instruction.operand(1), "u64"));
  const auto put = [&](const std::string& answer) {
    return made + writer.put(instruction.operand(0).name, answer);
  };
  switch (space_of(instruction)) {
    case Space::shared:
      return put("ptx::is_shared(t, a)");
    case Space::local:
      return put(local);
    case Space::global:
      return put("!ptx::is_shared(t, a) && !ptx::is_local(a) && !" + constant);
    case Space::constant:
      return put(constant);
    case Space::param:
      return put(writer.is_parameter("a"));
    default:
      throw Unknown{};
  }
}

// ---- stack memory, and hints --------------------------------------------------------------------

std::string translate_stack(FunctionWriter& writer, const Instruction& instruction,
                            const Family& family) {
  const Operand& first = instruction.operand(0);
  const std::string& type = instruction.type();
  if (family.name == "stackrestore")
    return fmt::format("{}.restore({});", writer.stack(), writer.value(first, type));
  if (family.name == "stacksave")
    return writer.put(first.name, fmt::format("{}({}.used)", cpp_type(type), writer.stack()));
  if (type != "u64") throw Unknown{"an address of 32 bits"};
  std::uint64_t alignment = 8;
  if (instruction.count() > 2) alignment = instruction.operand(2).bits;
  if (instruction.count() > 2 &&
      (instruction.operand(2).kind != Operand::Kind::number || !std::has_single_bit(alignment)))
    throw Unknown{"another alignment"};
  return writer.put(first.name, fmt::format("{}.allocate({}, {})", writer.stack(),
                                            writer.value(instruction.operand(1), type), alignment));
}

/// The bits of a cache policy are not visible to programs.
std::string translate_policy(FunctionWriter& writer, const Instruction& instruction,
                             const Family&) {
  constexpr std::string_view kKinds[] = {"fractional", "range", "cvt"};
  const std::string_view kind = instruction.first_of(kKinds);
  if (kind.empty() || !instruction.has("L2") || instruction.type() != "b64") throw Unknown{};
  constexpr std::string_view kPriorities[] = {"evict_last", "evict_normal", "evict_first",
                                              "evict_unchanged"};
  if (instruction.first_of(kPriorities).empty() != (kind == "cvt")) throw Unknown{};
  return writer.put(instruction.operand(0).name, "0UL");
}

// ---- atomics ------------------------------------------------------------------------------------

/// Returns the function of device/ for the operation.
static std::string atomic_function(const Instruction& instruction) {
  constexpr std::string_view kOperations[] = {"and", "or",  "xor", "cas", "exch",
                                              "add", "inc", "dec", "min", "max"};
  const std::string_view word = instruction.first_of(kOperations);
  const std::string& type = instruction.type();
  const std::string cpp = cpp_type(type);
  const bool is_half = is_among(type, "f16 bf16 f16x2 bf16x2");
  if (word == "add" && is_half) return fmt::format("atomic_add_half<{}>", cpp);
  const std::uint32_t bytes = bytes_of_type(type);
  const bool is_wide_enough = bytes >= 4 || (word == "cas" && type == "b16");
  if (word.empty() || is_half || !is_wide_enough || bytes > 8 || instruction.types().size() != 1)
    throw Unknown{};
  if (word == "inc" || word == "dec") return fmt::format("atomic_{}<{}>", word, cpp);
  if (word == "cas") return fmt::format("atomic_compare<{}>", cpp);
  std::string name = word == "exch" ? "exchange" : std::string(word);
  if (word == "add" && type[0] == 'f') name = "add_float";
  if (word == "min" || word == "max") {
    if (type[0] == 'f') throw Unknown{};
    name += type[0] == 's' ? "_signed" : "_unsigned";
  }
  return fmt::format("atomic<ptx::atomic_{}, {}>", name, cpp);
}

std::string translate_atomic(FunctionWriter& writer, const Instruction& instruction,
                             const Family& family) {
  const std::size_t first = family.name == "red" ? 0 : 1;
  const bool has_two = instruction.has("cas");
  const Operand& at = instruction.operand(first);
  if (instruction.operand(first + 1).kind == Operand::Kind::vector || instruction.has("async") ||
      (has_two && instruction.has("cache_hint")))
    throw Unknown{};
  const std::string& type = instruction.type();
  const Space space = space_of(instruction);
  std::string call = fmt::format("ptx::{}(a, {}", atomic_function(instruction),
                                 writer.value(instruction.operand(first + 1), type));
  if (has_two) call += ", " + writer.value(instruction.operand(first + 2), type);
  return place(writer, at, space, bytes_of_type(type), nullptr) + " " +
         writer.put(first == 0 ? "_" : instruction.operand(0).name, call + ")");
}

}  // namespace harness::ptx
