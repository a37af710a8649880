// SPDX-License-Identifier: Apache-2.0
// How it works. A body is flat: a scope is everything between a `begin` and an `end`. An expression
// is a number, or a symbol with an offset.
#include <fmt/format.h>

#include <algorithm>

#include "harness/device_code/ptx/parser.h"

namespace harness::ptx {

// ---- bodies -------------------------------------------------------------------------------------

void Parser::body(Function& function) {
  lexer_.expect("{");
  for (int depth = 1; depth != 0;)
    if (!scope(function, depth)) statement(function);
}

bool Parser::scope(Function& function, int& depth) {
  Statement made;
  made.line = lexer_.peek().line;
  if (lexer_.accept("{")) {
    require_depth(++depth);
    made.kind = Statement::Kind::begin;
  } else if (lexer_.accept("}")) {
    --depth;
    made.kind = Statement::Kind::end;
  } else {
    return lexer_.accept(";");
  }
  if (depth != 0) function.body.push_back(std::move(made));
  return true;
}

void Parser::statement(Function& function) {
  Statement made;
  if (lexer_.accept("@")) {
    made.is_guard_negated = lexer_.accept("!");
    made.guard = word();
  }
  const Token token = lexer_.take();
  made.line = token.line;
  made.source = token.source;
  if (token.kind == Token::Kind::directive) return directive(function, made, token.text);
  if (token.kind != Token::Kind::word)
    throw Malformed{fmt::format("line {}: no instruction: '{}'", token.line, token.text)};
  if (lexer_.accept(":")) return label(function, std::string(token.text), token.line);
  instruction(made, token.text);
  function.body.push_back(std::move(made));
}

void Parser::label(Function& function, std::string name, int line) {
  Statement made;
  made.line = line;
  made.name = std::move(name);
  made.kind = Statement::Kind::label;
  if (lexer_.accept(".branchtargets")) {
    made.kind = Statement::Kind::targets;
    do made.names.push_back(word());
    while (lexer_.accept(","));
    lexer_.expect(";");
  } else if (lexer_.accept(".callprototype") || lexer_.accept(".calltargets")) {
    while (!lexer_.accept(";")) lexer_.take();
    return;
  }
  function.body.push_back(std::move(made));
}

void Parser::directive(Function& function, Statement& made, std::string_view word) {
  Space space{};
  if (word == ".reg") {
    made.kind = Statement::Kind::registers;
    registers(made);
  } else if (is_space(word, space)) {
    made.kind = Statement::Kind::variable;
    made.variable = variable(space);
  } else {  // A hint, such as .pragma.
    while (!lexer_.accept(";")) lexer_.take();
    return;
  }
  lexer_.expect(";");
  function.body.push_back(std::move(made));
}

/// Maximum number of registers of a module.
static constexpr std::uint64_t kRegisterLimit = 1 << 20;

/// Parses registers: %r<10> are ten registers, from %r0 on.
void Parser::registers(Statement& made) {
  while (lexer_.peek().kind == Token::Kind::directive) made.name = lexer_.take().text.substr(1);
  do {
    const std::string name = word();
    if (!lexer_.accept("<")) {
      made.names.push_back(name);
      continue;
    }
    const std::uint64_t count = integer();
    if (count > kRegisterLimit - register_count_)
      lexer_.fail(fmt::format("more than {} registers", kRegisterLimit));
    register_count_ += count;
    for (std::uint64_t i = 0; i < count; ++i) made.names.push_back(fmt::format("{}{}", name, i));
    lexer_.expect(">");
  } while (lexer_.accept(","));
}

// ---- instructions -------------------------------------------------------------------------------

void Parser::instruction(Statement& made, std::string_view word) {
  std::size_t begin = 0;
  while (begin <= word.size()) {
    const std::size_t colon = word.find("::", begin);
    std::size_t end = std::min(word.find('.', begin), colon);
    end = std::min(end, word.size());
    const std::string part(word.substr(begin, end - begin));
    if (made.name.empty())
      made.name = part;
    else
      made.modifiers.push_back(part);
    begin = end + (end == colon ? 2 : 1);
  }
  if (lexer_.accept(";")) return;
  do made.operands.push_back(operand());
  while (lexer_.accept(","));
  lexer_.expect(";");
}

Operand Parser::group(Operand::Kind kind, std::string_view end) {
  Operand made;
  made.kind = kind;
  if (lexer_.accept(end)) return made;
  do made.parts.push_back(operand());
  while (lexer_.accept(","));
  lexer_.expect(end);
  return made;
}

/// Reads the offset of a symbol, if there is one.
void Parser::symbol_sum(Operand& made) {
  if (lexer_.accept("+"))
    made.bits += negated_integer();
  else if (lexer_.accept("-"))
    made.bits -= integer();
}

Operand Parser::operand() {
  const Nested nested(*this);
  if (lexer_.accept("{")) return group(Operand::Kind::vector, "}");
  if (lexer_.accept("(")) return group(Operand::Kind::list, ")");
  Operand made;
  if (lexer_.accept("[")) {
    made.kind = Operand::Kind::address;
    const Operand base = operand();
    if (base.kind == Operand::Kind::real || !base.parts.empty()) lexer_.fail("no address");
    made.name = base.name;
    made.bits = base.bits;
    while (lexer_.accept(",")) made.parts.push_back(operand());
    lexer_.expect("]");
    return made;
  }
  made.is_negated = lexer_.accept("!");
  const bool is_minus = lexer_.accept("-");
  const Token token = lexer_.take();
  if (token.kind == Token::Kind::integer || token.kind == Token::Kind::real) {
    made.kind = token.kind == Token::Kind::real ? Operand::Kind::real : Operand::Kind::number;
    made.real_bytes = token.kind == Token::Kind::real ? token.real_bytes : 0;
    made.bits = token.bits;
    if (is_minus && made.kind == Operand::Kind::number) made.bits = 0 - made.bits;
    if (is_minus && made.kind == Operand::Kind::real)
      made.bits ^= std::uint64_t{1} << (8 * made.real_bytes - 1);
    return made;
  }
  if (token.kind != Token::Kind::word)
    throw Malformed{fmt::format("line {}: no operand: '{}'", token.line, token.text)};
  made.name = token.text;
  made.is_minus = is_minus;
  if (lexer_.accept("|")) made.second = word();
  if (lexer_.accept("[")) {  // An element of an array.
    made.bits += integer();
    made.second = "[]";
    lexer_.expect("]");
  }
  symbol_sum(made);
  return made;
}

}  // namespace harness::ptx
