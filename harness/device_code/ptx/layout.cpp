// SPDX-License-Identifier: Apache-2.0
#include "harness/device_code/ptx/layout.h"

#include <algorithm>
#include <cctype>

namespace harness::ptx {

Layout::Layout(const Module& module) : module_(module) {
  for (const Variable& variable : module.variables) {
    if (variable.space == Space::global || variable.space == Space::constant) {
      if (variable.is_external) continue;
      variable_of_[variable.name] = static_cast<int>(variables_.size());
      variables_.push_back(&variable);
    } else if (variable.space == Space::shared) {
      if (variable.is_unsized) {
        shared_[variable.name] = {&variable, 0};
        continue;
      }
      shared_bytes_ = aligned(shared_bytes_, variable.alignment);
      shared_[variable.name] = {&variable, shared_bytes_};
      shared_bytes_ += variable.bytes();
    }
  }
  for (const Function& function : module.functions) {
    if (!function.is_defined) continue;
    functions_[function.name] = &function;
    if (function.is_entry) continue;
    for (const Statement& statement : function.body)  // Shared by all kernels that may call the
                                                      // function.
      if (statement.kind == Statement::Kind::variable &&
          statement.variable.space == Space::shared) {
        shared_bytes_ = aligned(shared_bytes_, statement.variable.alignment);
        shared_[function.name + " " + statement.variable.name] = {&statement.variable,
                                                                  shared_bytes_};
        shared_bytes_ += statement.variable.bytes();
      }
  }
}

int Layout::variable(const std::string& name) const {
  const auto found = variable_of_.find(name);
  return found == variable_of_.end() ? -1 : found->second;
}

const Variable* Layout::shared(const std::string& name, std::uint64_t& offset) const {
  const auto found = shared_.find(name);
  if (found == shared_.end()) return nullptr;
  offset = found->second.offset;
  return found->second.variable;
}

const Function* Layout::function(const std::string& name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second;
}

/// Returns whether an operand uses shared memory of the module. A kernel that neither calls
/// functions nor names such memory needs none of it.
static bool uses_module(const Layout& layout, const Operand& operand) {
  std::uint64_t offset = 0;
  const Variable* shared = layout.shared(operand.name, offset);
  if (shared != nullptr && !shared->is_unsized) return true;
  return std::any_of(operand.parts.begin(), operand.parts.end(),
                     [&](const Operand& part) { return uses_module(layout, part); });
}

std::uint64_t Layout::shared_begin(const Function& entry) const {
  bool needs_module = false;
  for (const Statement& statement : entry.body) {
    needs_module |= statement.name == "call";
    for (const Operand& operand : statement.operands) needs_module |= uses_module(*this, operand);
  }
  return needs_module ? shared_bytes_ : 0;
}

std::uint64_t Layout::shared_bytes(const Function& entry) const {
  std::uint64_t own = shared_begin(entry);
  for (const Statement& statement : entry.body) {
    if (statement.kind != Statement::Kind::variable || statement.variable.space != Space::shared ||
        statement.variable.is_unsized)
      continue;
    own = aligned(own, statement.variable.alignment) + statement.variable.bytes();
  }
  return own;
}

/// A "$" begins the replacement of a character. Clang allows it in names.
std::string identifier(const std::string& name) {
  std::string made;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
      made += c;
    else
      made += c == '%' ? "$p" : c == '$' ? "$$" : c == '.' ? "$d" : "$c";
  return made;
}

std::string function_name(const Function& function) { return "f_" + identifier(function.name); }

}  // namespace harness::ptx
