// Parser: a PTX text, word by word, as a Module.
#pragma once

#include "harness/ptx/lexer.h"
#include "harness/ptx/module.h"

namespace harness::ptx {

/// Tells whether a word names a state space, and which.
bool is_space(std::string_view word, Space& space);

class Parser {
 public:
  explicit Parser(const std::string& text) : lexer_(text) {}
  Module run();

 private:
  std::uint64_t integer();
  std::uint64_t negated_integer();
  std::string word();
  void parse_version(Module& module);
  void parse_directive(Module& module);
  void skip_attribute();
  Function function(bool is_entry);
  std::vector<Variable> parameters();
  void limits(Function& function);
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
};

}  // namespace harness::ptx
