// SPDX-License-Identifier: Apache-2.0
// Parser: parses a PTX text into a Module.
#pragma once

#include "harness/device_code/ptx/lexer.h"
#include "harness/device_code/ptx/module.h"

namespace harness::ptx {

/// Maximum nesting depth of brackets and of blocks.
inline constexpr int kDepthLimit = 256;

/// Returns whether a word names a state space, and sets `space` to it.
bool is_space(std::string_view word, Space& space);

class Parser {
 public:
  explicit Parser(const std::string& text) : lexer_(text) {}
  Module run();

 private:
  /// Counts the nesting depth of operands or values while it exists.
  class Nested {
   public:
    explicit Nested(Parser& parser) : parser_(parser) { parser.require_depth(++parser.depth_); }
    ~Nested() { --parser_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& parser_;
  };

  void require_depth(int depth) const;
  std::uint64_t integer();
  std::uint64_t negated_integer();
  std::string word();
  void parse_version(Module& module);
  void parse_directive(Module& module);
  void skip_attribute();
  Function function(bool is_entry);
  std::vector<Variable> parameters();
  void limits(Function& function);
  /// Returns a * b. Fails if the product exceeds `limit`.
  std::uint64_t product_of(std::uint64_t a, std::uint64_t b, std::uint64_t limit) const;
  std::uint32_t alignment();
  Variable variable(Space space);
  void dimensions(Variable& made);
  void initial(Variable& made);
  Initial initial_value();
  void body(Function& function);
  bool scope(Function& function, int& depth);
  void statement(Function& function);
  void directive(Function& function, Statement& made, std::string_view word);
  void registers(Statement& made);
  void label(Function& function, std::string name, int line);
  void instruction(Statement& made, std::string_view word);
  void symbol_sum(Operand& made);
  Operand operand();
  Operand group(Operand::Kind kind, std::string_view end);

  Lexer lexer_;
  int depth_ = 0;                     ///< Depth of the operands or values being parsed.
  std::uint64_t register_count_ = 0;  ///< Number of registers in all functions.
};

}  // namespace harness::ptx
