// SPDX-License-Identifier: Apache-2.0
// FunctionWriter: translates a function of a module to C++, statement by statement.
//
// A register becomes a variable of its width, a label a label, and scoped memory an array. All are
// declared at the top, so that no jump crosses a declaration. An unknown instruction stops the
// kernel that executes it; other kernels are not affected.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/device_code/ptx/layout.h"

namespace harness::ptx {

/// The reason why an instruction is not translated.
struct Unknown {
  std::string words;
};

/// Lifetime: borrows the layout and the function.
class FunctionWriter {
 public:
  FunctionWriter(const Layout& layout, const Function& function);

  /// Returns the definition.
  std::string write();
  /// Returns the first line of a function's definition.
  static std::string signature(const Function& function);

  // ---- parts of instructions. Errors: Unknown ---------------------------------------------------

  const Layout& layout() const { return layout_; }
  const Function& function() const { return function_; }
  /// Returns a source operand as an expression of any width.
  std::string value(const Operand& from, const std::string& type);
  /// Returns a predicate, negated if the operand is.
  std::string predicate(const Operand& from);
  /// Returns the statement that assigns an expression to a register. "_" discards it.
  std::string put(const std::string& to, const std::string& expression);
  /// Returns whether an operand is a predicate.
  bool is_predicate(const Operand& from) const;
  /// Returns the address in an operand, relative to its state space.
  std::string address(const Operand& from);
  /// Returns whether an address is based on a variable of that space.
  bool is_in(const Operand& from, Space space);
  /// Returns the jump target for a label.
  std::string label(const std::string& name);
  /// Returns the labels of a .branchtargets.
  const std::vector<std::string>& targets(const std::string& name);
  /// Returns a pointer to a .param variable, to be passed to a function.
  std::string pointer(const std::string& name);
  /// Makes the function reserve memory for alloca.
  std::string stack();
  /// Returns an expression for whether an address points at a parameter of the kernel.
  std::string is_parameter(const std::string& address) const;
  /// Makes the function reserve a carry flag.
  std::string carry();

 private:
  enum class Kind : std::uint8_t { reg, memory, shared, unsized, targets };
  struct Symbol {
    Kind kind = Kind::reg;
    std::string name;  ///< Name in C++.
    std::string type;
    std::uint64_t offset = 0;         ///< Offset in shared memory.
    std::uint32_t element_bytes = 1;  ///< Size of an array's element.
    Space space = Space::reg;
    std::vector<std::string> labels;
  };

  void find_labels();
  void declare(const Statement& statement);
  void declare_parameters();
  void declare_memory(const Variable& variable);
  void declare_registers(const Statement& statement);
  const Symbol* find(const std::string& name) const;
  const Symbol& use_register(const std::string& name);
  std::string symbol_address(const std::string& name, std::uint64_t offset, bool element);
  std::string number(const Operand& from, const std::string& type) const;
  std::string special(const std::string& name) const;
  std::string line(const Statement& statement);
  std::string instruction(const Statement& statement);
  std::string body();

  const Layout& layout_;
  const Function& function_;
  std::vector<std::map<std::string, Symbol>> scopes_;
  std::vector<int> scope_ids_;
  int scope_count_ = 0;
  std::map<std::string, std::set<int>> labels_;  ///< The scopes that have a label with this name.
  std::set<std::string> declared_;
  std::map<std::string, std::string> used_;  ///< Used registers: C++ name and type.
  std::string memory_;                       ///< Declarations of arrays.
  std::uint64_t memory_bytes_ = 0;
  std::uint64_t shared_bytes_ = 0;
  bool has_carry_ = false;
  bool has_stack_ = false;
  std::string file_;  ///< The current file in the compiler's line information.
  int line_ = 0;
};

/// Returns a text as a literal of C++.
std::string quoted(const std::string& text);

}  // namespace harness::ptx
