// SPDX-License-Identifier: Apache-2.0
#include "harness/device_code/ptx/check.h"

#include <fmt/format.h>

#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace harness::ptx {
namespace {

[[noreturn]] void refuse(int line, const std::string& why) {
  throw Malformed{fmt::format("line {}: {}", line, why)};
}

/// Bytes of a memory that several variables share. The sum cannot overflow, because the size of
/// each variable is limited.
class Used {
 public:
  Used(const char* memory, std::uint64_t limit) : memory_(memory), limit_(limit) {}

  void add(const Variable& variable) {
    bytes_ = aligned(bytes_, variable.alignment) + variable.bytes();
    if (bytes_ > limit_)
      refuse(variable.line,
             fmt::format("'{}' is beyond the {} bytes of {}", variable.name, limit_, memory_));
  }

 private:
  const char* memory_;
  std::uint64_t limit_;
  std::uint64_t bytes_ = 0;
};

void check_variables(const Module& module) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  Used constant("constant memory", kConstantLimit);
  Used shared("shared memory", kMost);  // Whether a kernel needs too much is checked after layout.
  std::uint64_t all = 0;
  for (const Variable& variable : module.variables) {
    if (variable.is_external) continue;
    if (variable.space == Space::shared) shared.add(variable);
    if (variable.space == Space::constant) constant.add(variable);
    if (variable.space != Space::global && variable.space != Space::constant) continue;
    all += variable.bytes();
    if (all > kVariablesLimit)
      throw TooLarge{fmt::format("line {}: '{}' is beyond the {} bytes for a module's variables",
                                 variable.line, variable.name, kVariablesLimit)};
  }
}

void check_labels(const Function& function) {
  std::vector<int> open{0};
  int count = 0;
  std::set<std::pair<int, std::string>> labels;
  for (const Statement& statement : function.body) {
    if (statement.kind == Statement::Kind::begin) open.push_back(++count);
    if (statement.kind == Statement::Kind::end) open.pop_back();
    if (statement.kind == Statement::Kind::label &&
        !labels.insert({open.back(), statement.name}).second)
      refuse(statement.line, fmt::format("the label '{}' is defined twice", statement.name));
  }
}

void check_function(const Function& function) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  Used parameters("parameters", function.is_entry ? kParameterLimit : kMost);
  for (const Variable& variable : function.parameters) parameters.add(variable);
  Used results("results", kMost);
  for (const Variable& variable : function.results) results.add(variable);
  Used local("local memory", kMost);
  Used shared("shared memory", kMost);
  for (const Statement& statement : function.body) {
    if (statement.kind != Statement::Kind::variable) continue;
    (statement.variable.space == Space::shared ? shared : local).add(statement.variable);
  }
  check_labels(function);
}

}  // namespace

void require_valid(const Module& module) {
  check_variables(module);
  std::set<std::string> defined;
  for (const Function& function : module.functions) {
    if (function.is_defined && !defined.insert(function.name).second)
      refuse(function.line, fmt::format("'{}' is defined twice", function.name));
    check_function(function);
  }
}

void require_valid(const Layout& layout) {
  for (const Function& function : layout.module().functions) {
    if (!function.is_defined || !function.is_entry) continue;
    const std::uint64_t bytes = layout.shared_bytes(function);
    if (bytes > kSharedLimit)
      refuse(function.line, fmt::format("'{}' needs {} bytes of shared memory; a block has {}",
                                        function.name, bytes, kSharedLimit));
  }
}

}  // namespace harness::ptx
