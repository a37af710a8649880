// SPDX-License-Identifier: Apache-2.0
// Layout: the places of a module's variables and functions, which all of its functions share.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "harness/device_code/ptx/module.h"

namespace harness::ptx {

/// Lifetime: borrows the module.
class Layout {
 public:
  explicit Layout(const Module& module);

  const Module& module() const { return module_; }

  /// Returns the index of a variable in the list of global and constant variables; -1 if it is not
  /// there.
  int variable(const std::string& name) const;
  /// Returns the variable at an index.
  const Variable& variable_at(std::size_t index) const { return *variables_[index]; }
  std::size_t variable_count() const { return variables_.size(); }

  /// Returns a shared variable of the module, with its offset in the block's memory; or null.
  const Variable* shared(const std::string& name, std::uint64_t& offset) const;

  /// Returns a function that has a body, or null.
  const Function* function(const std::string& name) const;
  /// Returns the offset of a kernel's static shared memory. It comes after the module's, if the
  /// kernel may use that.
  std::uint64_t shared_begin(const Function& entry) const;
  /// Returns the static shared memory that a kernel needs.
  std::uint64_t shared_bytes(const Function& entry) const;

 private:
  struct Shared {
    const Variable* variable;
    std::uint64_t offset;
  };

  const Module& module_;
  std::vector<const Variable*> variables_;
  std::map<std::string, int> variable_of_;
  std::map<std::string, Shared> shared_;
  std::map<std::string, const Function*> functions_;
  std::uint64_t shared_bytes_ = 0;
};

/// Rounds `bytes` up to a multiple of `alignment`.
constexpr std::uint64_t aligned(std::uint64_t bytes, std::uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Returns a name of PTX as a part of a C++ name, after a letter and "_", because it may be a
/// keyword. Different names stay different.
std::string identifier(const std::string& name);

/// Returns the name of a function in C++.
std::string function_name(const Function& function);

}  // namespace harness::ptx
