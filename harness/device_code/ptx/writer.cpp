// SPDX-License-Identifier: Apache-2.0
#include "harness/device_code/ptx/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/device_code/ptx/instructions.h"
#include "harness/device_code/ptx/special_register.h"
#include "harness/device_code/ptx/translation.h"

namespace harness::ptx {
namespace {

/// The stack of a thread has space for arrays of this size, in addition to calls.
constexpr std::uint64_t kLocalLimit = 32 << 10;
/// Bytes of these that alloca may use: the size of Stack in device/stack.h.
constexpr std::uint64_t kAllocated = 16 << 10;

std::string cpp_register(const std::string& type) {
  if (type == "pred") return "bool";
  switch (bytes_of_type(type)) {
    case 1:
      return "ptx::u8";
    case 2:
      return "ptx::u16";
    case 4:
      return "ptx::u32";
    case 8:
      return "ptx::u64";
    case 16:
      return "ptx::b128";
    default:
      return {};
  }
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    made += c == '\n' || c == '\r' ? ' ' : c;
  }
  return made + "\"";
}

FunctionWriter::FunctionWriter(const Layout& layout, const Function& function)
    : layout_(layout), function_(function) {
  shared_bytes_ = layout.shared_begin(function);
}

std::string FunctionWriter::signature(const Function& function) {
  if (function.is_entry)
    return fmt::format(
        "static void {}([[maybe_unused]] const ptx::Thread& t, [[maybe_unused]] void* const* "
        "parameters)",
        function_name(function));
  std::string made =
      fmt::format("static void {}([[maybe_unused]] const ptx::Thread& t", function_name(function));
  for (std::size_t i = 0; i < function.results.size() + function.parameters.size(); ++i)
    made += fmt::format(", [[maybe_unused]] ptx::u8* a{}", i);
  return made + ")";
}

std::string FunctionWriter::write() {
  scopes_.emplace_back();
  scope_ids_.push_back(0);
  find_labels();
  declare_parameters();
  std::string statements = body();
  std::string made = signature(function_) + " {\n";
  if (memory_bytes_ > kLocalLimit)  // No stack has space for it, and the stack must not overflow in
                                    // a call.
    return made + fmt::format("ptx::stop({});\n}}\n",
                              quoted(fmt::format("{} bytes of local memory", memory_bytes_)));
  made += memory_;
  for (const auto& [name, type] : used_) made += fmt::format("{} {}{{}};\n", type, name);
  if (has_carry_) made += "bool carry = false;\n";
  if (has_stack_) made += "ptx::Stack stack;\n";
  return made + statements + "}\n";
}

// ---- declarations -------------------------------------------------------------------------------

void FunctionWriter::find_labels() {
  std::vector<int> open{0};
  int count = 0;
  for (const Statement& statement : function_.body) {
    if (statement.kind == Statement::Kind::begin) open.push_back(++count);
    if (statement.kind == Statement::Kind::end) open.pop_back();
    if (statement.kind == Statement::Kind::label) labels_[statement.name].insert(open.back());
  }
}

/// Returns whether a body takes the address of a variable, with mov or cvta.
static bool takes_address(const Function& function, const std::string& name) {
  return std::any_of(function.body.begin(), function.body.end(), [&](const Statement& statement) {
    return statement.operands.size() == 2 && statement.operands[1].name == name &&
           (statement.name == "mov" || statement.name == "cvta");
  });
}

/// A kernel's parameters are the driver's copy. It copies those whose address it takes.
void FunctionWriter::declare_parameters() {
  std::size_t index = 0;
  for (const std::vector<Variable>* list : {&function_.results, &function_.parameters})
    for (const Variable& variable : *list) {
      Symbol symbol{Kind::memory,
                    fmt::format("a{}", index),
                    variable.type,
                    0,
                    variable.element_bytes(),
                    Space::param,
                    {}};
      if (variable.space == Space::reg) symbol.space = Space::reg;
      if (function_.is_entry) {
        memory_ +=
            fmt::format("[[maybe_unused]] ptx::u8* {} = static_cast<ptx::u8*>(parameters[{}]);\n",
                        symbol.name, index);
        if (takes_address(function_, variable.name)) {
          memory_ +=
              fmt::format("alignas(16) ptx::u8 c{0}[{1}];\n__builtin_memcpy(c{0}, a{0}, {1});\n",
                          index, std::max<std::uint64_t>(variable.bytes(), 1));
          symbol.name = fmt::format("c{}", index);
        }
      }
      scopes_[0][variable.name] = symbol;
      ++index;
    }
}

void FunctionWriter::declare_registers(const Statement& statement) {
  for (const std::string& name : statement.names)
    scopes_.back()[name] = {Kind::reg,
                            fmt::format("r_{}_{}", identifier(name), scope_ids_.back()),
                            statement.name,
                            0,
                            1,
                            Space::reg,
                            {}};
}

void FunctionWriter::declare_memory(const Variable& variable) {
  Symbol symbol{Kind::memory,
                fmt::format("m_{}_{}", identifier(variable.name), scope_ids_.back()),
                variable.type,
                0,
                variable.element_bytes(),
                variable.space,
                {}};
  if (variable.space == Space::shared && variable.is_unsized) {
    symbol.kind = Kind::unsized;
  } else if (variable.space == Space::shared) {
    symbol.kind = Kind::shared;
    if (!function_.is_entry) {
      layout_.shared(function_.name + " " + variable.name, symbol.offset);
    } else {
      symbol.offset = aligned(shared_bytes_, variable.alignment);
      shared_bytes_ = symbol.offset + variable.bytes();
    }
  } else {
    const std::uint64_t bytes = std::max<std::uint64_t>(variable.bytes(), 1);
    if (variable.space == Space::param)  // Successive calls share the memory of their arguments.
      symbol.name = fmt::format("p_{}_{}_{}", identifier(variable.name), scopes_.size(), bytes);
    if (!declared_.insert(symbol.name).second) {
      scopes_.back()[variable.name] = std::move(symbol);
      return;
    }
    const std::uint64_t alignment = std::max<std::uint32_t>(variable.alignment, 8);
    memory_ += fmt::format("alignas({}) ptx::u8 {}[{}];\n", alignment, symbol.name, bytes);
    memory_bytes_ += bytes + alignment - 8;
  }
  scopes_.back()[variable.name] = std::move(symbol);
}

void FunctionWriter::declare(const Statement& statement) {
  switch (statement.kind) {
    case Statement::Kind::begin:
      scopes_.emplace_back();
      scope_ids_.push_back(++scope_count_);
      return;
    case Statement::Kind::end:
      scopes_.pop_back();
      scope_ids_.pop_back();
      return;
    case Statement::Kind::registers:
      return declare_registers(statement);
    case Statement::Kind::variable:
      return declare_memory(statement.variable);
    case Statement::Kind::targets:
      scopes_.back()[statement.name] = {Kind::targets, {}, {}, 0, 1, Space::reg, statement.names};
      return;
    default:
      return;
  }
}

const FunctionWriter::Symbol* FunctionWriter::find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  return nullptr;
}

// ---- statements ---------------------------------------------------------------------------------

std::string FunctionWriter::body() {
  std::string made;
  for (const Statement& statement : function_.body) {
    if (statement.kind == Statement::Kind::instruction) {
      made += line(statement) + instruction(statement);
    } else if (statement.kind == Statement::Kind::label) {
      made += label(statement.name) + ":;\n";
      ++line_;
    } else {
      declare(statement);
    }
  }
  return made;
}

/// Returns whether a file contains the toolkit's texture and surface functions. Each is a single
/// instruction, so the line of its call is more useful.
static bool is_wrapper(const std::map<int, std::string>& files, int file) {
  const auto found = files.find(file);
  return found != files.end() && (found->second.ends_with("texture_indirect_functions.h") ||
                                  found->second.ends_with("surface_indirect_functions.h"));
}

/// Returns a line directive for the source line, if the text has one, else for the text's own line.
std::string FunctionWriter::line(const Statement& statement) {
  const std::map<int, std::string>& files = layout_.module().files;
  const SourceLine* source = &statement.source;
  while (source->caller != nullptr && is_wrapper(files, source->file))
    source = source->caller.get();
  const auto file = files.find(source->file);
  const bool has_source = source->line > 0 && file != files.end();
  const std::string& name = has_source ? file->second : kModuleFile;
  const int line = has_source ? source->line : statement.line;
  if (line == line_ && name == file_) return {};
  const std::string words = name == file_ ? "" : " " + quoted(name);
  line_ = line;
  file_ = name;
  return fmt::format("#line {}{}\n", line, words);
}

std::string FunctionWriter::instruction(const Statement& statement) {
  std::string made;
  try {
    if (!statement.guard.empty())
      made = fmt::format("if ({}{}) ", statement.is_guard_negated ? "!" : "",
                         use_register(statement.guard).name);
    made += "{ " + translate(*this, Instruction(statement)) + " }";
  } catch (const Unknown& unknown) {
    std::string words = statement.name;
    for (const std::string& modifier : statement.modifiers) words += "." + modifier;
    words += unknown.words.empty() ? "" : " (" + unknown.words + ")";
    made +=
        fmt::format("ptx::stop({});",
                    quoted(fmt::format("line {}: {} is not translated", statement.line, words)));
  }
  ++line_;
  return made + "\n";
}

// ---- operands -----------------------------------------------------------------------------------

const FunctionWriter::Symbol& FunctionWriter::use_register(const std::string& name) {
  const Symbol* symbol = find(name);
  if (symbol == nullptr || symbol->kind != Kind::reg) throw Unknown{name};
  const std::string type = cpp_register(symbol->type);
  if (type.empty()) throw Unknown{"a register of type " + symbol->type};
  used_[symbol->name] = type;
  return *symbol;
}

std::string FunctionWriter::number(const Operand& from, const std::string& type) const {
  if (from.kind != Operand::Kind::real || bytes_of_type(type) == from.real_bytes)
    return fmt::format("{:#x}UL", from.bits);
  if (from.real_bytes == 8) {
    const auto narrow = static_cast<float>(std::bit_cast<double>(from.bits));
    if (type != "f32" && type != "b32") throw Unknown{"a constant of that type"};
    return fmt::format("{:#x}UL", std::bit_cast<std::uint32_t>(narrow));
  }
  const double value = std::bit_cast<float>(static_cast<std::uint32_t>(from.bits));
  if (type != "f64" && type != "b64") throw Unknown{"a constant of that type"};
  return fmt::format("{:#x}UL", std::bit_cast<std::uint64_t>(value));
}

std::string FunctionWriter::value(const Operand& from, const std::string& type) {
  if (from.is_minus) throw Unknown{"a register with a minus"};
  if (from.is_negated) return predicate(from);
  if (from.kind == Operand::Kind::number || from.kind == Operand::Kind::real)
    return number(from, type);
  if (from.kind != Operand::Kind::name) throw Unknown{"an operand of that form"};
  const Symbol* symbol = find(from.name);
  if (symbol != nullptr && symbol->kind == Kind::reg) return use_register(from.name).name;
  if (symbol == nullptr && (from.name[0] == '%' || from.name == "WARP_SZ"))
    return special(from.name);
  return symbol_address(from.name, from.bits, from.second == "[]");
}

std::string FunctionWriter::predicate(const Operand& from) {
  if (from.kind == Operand::Kind::number)
    return (from.bits != 0) != from.is_negated ? "true" : "false";
  return (from.is_negated ? "!" : "") + use_register(from.name).name;
}

bool FunctionWriter::is_predicate(const Operand& from) const {
  const Symbol* symbol = from.kind == Operand::Kind::name ? find(from.name) : nullptr;
  return symbol != nullptr && symbol->kind == Kind::reg && symbol->type == "pred";
}

std::string FunctionWriter::put(const std::string& to, const std::string& expression) {
  if (to == "_") return fmt::format("static_cast<void>({});", expression);
  return fmt::format("ptx::set({}, {});", use_register(to).name, expression);
}

/// Returns the address of a symbol within its space. With `element`, the offset counts elements.
std::string FunctionWriter::symbol_address(const std::string& name, std::uint64_t offset,
                                           bool element) {
  const auto sum = [&](const std::string& base, std::uint32_t element_bytes) {
    return fmt::format("({} + {:#x}UL)", base, offset * (element ? element_bytes : 1));
  };
  const Symbol* symbol = find(name);
  std::uint64_t place = 0;
  if (symbol != nullptr) {
    if (symbol->kind == Kind::shared)
      return sum(fmt::format("{}UL", symbol->offset), symbol->element_bytes);
    if (symbol->kind == Kind::unsized) return sum("t.dynamic_shared", symbol->element_bytes);
    if (symbol->kind == Kind::memory && symbol->space != Space::reg)
      return sum(fmt::format("reinterpret_cast<ptx::u64>({})", symbol->name),
                 symbol->element_bytes);
    throw Unknown{name};
  }
  if (const Variable* shared = layout_.shared(name, place); shared != nullptr)
    return shared->is_unsized ? sum("t.dynamic_shared", shared->element_bytes())
                              : sum(fmt::format("{}UL", place), shared->element_bytes());
  if (const int index = layout_.variable(name); index >= 0)
    return sum(fmt::format("t.variables[{}]", index),
               layout_.variable_at(static_cast<std::size_t>(index)).element_bytes());
  if (const Function* found = layout_.function(name); found != nullptr)
    return fmt::format("reinterpret_cast<ptx::u64>(&{})", function_name(*found));
  throw Unknown{name + " is not in the module"};
}

std::string FunctionWriter::address(const Operand& from) {
  if (from.kind != Operand::Kind::address) throw Unknown{"no address"};
  if (from.name.empty()) return fmt::format("{:#x}UL", from.bits);
  const Symbol* symbol = find(from.name);
  if (symbol == nullptr || symbol->kind != Kind::reg)
    return symbol_address(from.name, from.bits, false);
  return fmt::format("(ptx::u64{{{}}} + {:#x}UL)", use_register(from.name).name, from.bits);
}

bool FunctionWriter::is_in(const Operand& from, Space space) {
  const Symbol* symbol = find(from.name);
  return symbol != nullptr && symbol->kind == Kind::memory && symbol->space == space;
}

std::string FunctionWriter::label(const std::string& name) {
  const auto found = labels_.find(name);
  if (found == labels_.end()) throw Unknown{"no label " + name};
  for (auto scope = scope_ids_.rbegin(); scope != scope_ids_.rend(); ++scope)
    if (found->second.contains(*scope)) return fmt::format("l_{}_{}", identifier(name), *scope);
  throw Unknown{"no label " + name};
}

const std::vector<std::string>& FunctionWriter::targets(const std::string& name) {
  const Symbol* symbol = find(name);
  if (symbol == nullptr || symbol->kind != Kind::targets) throw Unknown{"no targets"};
  return symbol->labels;
}

std::string FunctionWriter::pointer(const std::string& name) {
  const Symbol* symbol = find(name);
  if (symbol == nullptr || symbol->kind != Kind::memory || symbol->space != Space::param)
    throw Unknown{name + " is no .param"};
  return symbol->name;
}

std::string FunctionWriter::stack() {
  if (!has_stack_) memory_bytes_ += kAllocated;
  has_stack_ = true;
  return "stack";
}

std::string FunctionWriter::is_parameter(const std::string& address) const {
  if (!function_.is_entry) throw Unknown{"in a function"};
  std::string made = "(false";
  std::size_t index = 0;
  for (const Variable& variable : function_.parameters) {
    if (takes_address(function_, variable.name))
      made += fmt::format(" || {} - reinterpret_cast<ptx::u64>(c{}) < {}", address, index,
                          variable.bytes());
    ++index;
  }
  return made + ")";
}

std::string FunctionWriter::carry() {
  has_carry_ = true;
  return "carry";
}

std::string FunctionWriter::special(const std::string& name) const {
  const std::string expression = special_register(name);
  if (expression.empty()) throw Unknown{"register " + name};
  return expression;
}

}  // namespace harness::ptx
