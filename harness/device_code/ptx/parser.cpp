// SPDX-License-Identifier: Apache-2.0
// How it works. A module is a list of directives. .entry and .func have a body. Debug information
// (.section) is skipped.
#include "harness/device_code/ptx/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <limits>

namespace harness::ptx {

bool is_space(std::string_view word, Space& space) {
  constexpr std::pair<std::string_view, Space> kSpaces[] = {
      {".global", Space::global}, {".const", Space::constant}, {".shared", Space::shared},
      {".local", Space::local},   {".param", Space::param},    {".reg", Space::reg}};
  for (const auto& [name, value] : kSpaces)
    if (name == word) return space = value, true;
  return false;
}

void Parser::require_depth(int depth) const {
  if (depth > kDepthLimit)
    lexer_.fail(fmt::format("more than {} brackets or blocks in each other", kDepthLimit));
}

std::uint64_t Parser::integer() {
  if (lexer_.peek().kind != Token::Kind::integer) lexer_.fail("a number is missing");
  return lexer_.take().bits;
}

std::uint64_t Parser::negated_integer() {
  const bool negative = lexer_.accept("-");
  const std::uint64_t value = integer();
  return negative ? 0 - value : value;
}

std::string Parser::word() {
  if (lexer_.peek().kind != Token::Kind::word) lexer_.fail("a name is missing");
  return std::string(lexer_.take().text);
}

// ---- modules ------------------------------------------------------------------------------------

Module Parser::run() {
  Module module;
  parse_version(module);
  while (lexer_.peek().kind != Token::Kind::end) parse_directive(module);
  module.files = lexer_.files();
  return module;
}

void Parser::parse_version(Module& module) {
  lexer_.expect(".version");
  const Token number = lexer_.take();
  int major = 0;
  int minor = 0;
  if (std::sscanf(std::string(number.text.substr(0, 8)).c_str(), "%d.%d", &major, &minor) != 2)
    lexer_.fail("no version");
  module.version = static_cast<std::uint32_t>(10 * major + minor);
}

void Parser::parse_directive(Module& module) {
  bool is_external = false;
  for (;;) {
    const Token token = lexer_.take();
    Space space{};
    if (token.text == ".extern") {
      is_external = true;
    } else if (token.text == ".visible" || token.text == ".weak" || token.text == ".common") {
      continue;
    } else if (token.text == ".target") {
      module.target = word();
      while (lexer_.accept(",")) word();
      return;
    } else if (token.text == ".address_size") {
      if (integer() != 64) lexer_.fail("addresses of 64 bits are all that is translated;");
      return;
    } else if (token.text == ".section") {
      lexer_.take();
      return lexer_.skip_braces();
    } else if (token.text == ".entry" || token.text == ".func") {
      module.functions.push_back(function(token.text == ".entry"));
      return;
    } else if (token.text == ".alias" || token.text == ".pragma") {
      while (!lexer_.accept(";")) lexer_.take();
      return;
    } else if (is_space(token.text, space)) {
      Variable made = variable(space);
      made.is_external = is_external;
      module.variables.push_back(std::move(made));
      while (lexer_.accept(",")) lexer_.fail("one variable at a time;");
      return lexer_.expect(";");
    } else if (token.text == ";") {
      return;
    } else {
      throw Malformed{fmt::format("line {}: no directive: '{}'", token.line, token.text)};
    }
  }
}

// ---- functions ----------------------------------------------------------------------------------

Function Parser::function(bool is_entry) {
  Function made;
  made.is_entry = is_entry;
  made.line = lexer_.peek().line;
  skip_attribute();
  if (lexer_.accept("(")) made.results = parameters();
  made.name = word();
  if (lexer_.accept("(")) made.parameters = parameters();
  limits(made);
  if (lexer_.accept(";")) return made;
  made.is_defined = true;
  lexer_.forget_source();
  body(made);
  return made;
}

/// Skips .attribute(.managed), before a name.
void Parser::skip_attribute() {
  if (!lexer_.accept(".attribute")) return;
  while (!lexer_.accept(")")) lexer_.take();
}

std::vector<Variable> Parser::parameters() {
  std::vector<Variable> made;
  if (lexer_.accept(")")) return made;
  do {
    Space space{};
    const Token token = lexer_.take();
    if (!is_space(token.text, space)) lexer_.fail("a parameter is missing");
    made.push_back(variable(space));
  } while (lexer_.accept(","));
  lexer_.expect(")");
  return made;
}

/// Maximum number of threads or registers that a text may request.
static constexpr std::uint64_t kLaunchLimit = std::numeric_limits<std::int32_t>::max();

void Parser::limits(Function& function) {
  while (lexer_.peek().kind == Token::Kind::directive) {
    const Token token = lexer_.take();
    std::uint64_t product = 1;
    while (lexer_.peek().kind == Token::Kind::integer) {
      product = product_of(product, integer(), kLaunchLimit);
      if (!lexer_.accept(",")) break;
    }
    if (token.text == ".maxntid" || token.text == ".reqntid") function.max_threads = product;
    if (token.text == ".maxnreg") function.max_registers = static_cast<std::uint32_t>(product);
    if (token.text == ".pragma") {
      while (!lexer_.accept(";")) lexer_.take();
    }
  }
}

// ---- variables ----------------------------------------------------------------------------------

/// Larger than any memory, but small enough that sizes in bytes do not overflow.
static constexpr std::uint64_t kElementLimit = std::uint64_t{1} << 40;
static constexpr std::uint64_t kAlignmentLimit = 1 << 16;

std::uint64_t Parser::product_of(std::uint64_t a, std::uint64_t b, std::uint64_t limit) const {
  if (b != 0 && a > limit / b) lexer_.fail(fmt::format("a size beyond {};", limit));
  return a * b;
}

std::uint32_t Parser::alignment() {
  const std::uint64_t bytes = integer();
  if (!std::has_single_bit(bytes) || bytes > kAlignmentLimit)
    lexer_.fail(fmt::format("an alignment that is no power of two up to {};", kAlignmentLimit));
  return static_cast<std::uint32_t>(bytes);
}

Variable Parser::variable(Space space) {
  Variable made;
  made.space = space;
  made.line = lexer_.peek().line;
  std::uint64_t lanes = 1;
  while (lexer_.peek().kind == Token::Kind::directive) {
    const Token token = lexer_.take();
    const std::string type(token.text.substr(1));
    Space ignored{};
    if (token.text == ".align") {
      made.alignment = alignment();
    } else if (token.text == ".attribute") {
      while (!lexer_.accept(")"))
        if (lexer_.take().text == ".managed") made.is_managed = true;
    } else if (token.text == ".v2" || token.text == ".v4") {
      lanes = token.text == ".v2" ? 2 : 4;
    } else if (token.text == ".ptr") {
      while (is_space(lexer_.peek().text, ignored)) lexer_.take();
      if (lexer_.accept(".align")) integer();
    } else if (bytes_of_type(type) != 0) {
      made.type = type;
    } else if (type == "texref" || type == "samplerref" || type == "surfref") {
      made.type = "u64";
    } else {
      lexer_.fail(fmt::format("no type: '{}';", token.text));
    }
  }
  if (made.type.empty()) lexer_.fail("a type is missing");
  made.name = word();
  made.count = lanes;
  dimensions(made);
  made.alignment = std::max(made.alignment, made.element_bytes());
  if (lexer_.accept("=")) initial(made);
  return made;
}

void Parser::dimensions(Variable& made) {
  while (lexer_.accept("[")) {
    made.is_array = true;
    if (lexer_.accept("]")) {
      made.is_unsized = true;
      made.count = 0;
      continue;
    }
    made.count = product_of(made.count, integer(), kElementLimit);
    lexer_.expect("]");
  }
}

void Parser::initial(Variable& made) {
  int depth = 0;
  do {
    while (lexer_.accept("{")) require_depth(++depth);
    if (lexer_.peek().text != "}") made.initial.push_back(initial_value());
    while (depth > 0 && lexer_.accept("}")) --depth;
  } while (lexer_.accept(","));
  if (made.is_unsized) made.count = made.initial.size(), made.is_unsized = false;
  if (made.initial.size() > made.count) lexer_.fail("more values than elements;");
}

Initial Parser::initial_value() {
  const Nested nested(*this);
  Initial made;
  const bool negative = lexer_.accept("-");
  const Token token = lexer_.take();
  if (token.kind == Token::Kind::integer) {
    made.bits = negative ? 0 - token.bits : token.bits;
  } else if (token.kind == Token::Kind::real) {
    made.bits = token.bits ^ (negative ? std::uint64_t{1} << (8 * token.real_bytes - 1) : 0);
    made.is_double = token.real_bytes == 8;
  } else if (token.text == "generic" || token.text == "mask" || token.text == "(") {
    if (token.text == "mask") lexer_.fail("masks of addresses are not translated;");
    if (token.text != "(") lexer_.expect("(");
    made = initial_value();
    lexer_.expect(")");
  } else if (token.kind == Token::Kind::word) {
    made.symbol = token.text;
  } else {
    lexer_.fail("a value is missing");
  }
  if (lexer_.accept("+"))
    made.bits += negated_integer();
  else if (lexer_.accept("-"))
    made.bits -= integer();
  return made;
}

std::uint32_t bytes_of_type(const std::string& type) {
  if (type == "pred") return 1;
  if (type == "f16" || type == "bf16") return 2;
  if (type == "e4m3x2" || type == "e5m2x2") return 2;
  if (type == "f16x2" || type == "bf16x2" || type == "u16x2" || type == "s16x2") return 4;
  if (type == "f32x2") return 8;
  if (type.size() < 2 || std::string_view("busf").find(type[0]) == std::string_view::npos) return 0;
  const std::string_view bits = std::string_view(type).substr(1);
  return bits == "8"     ? 1
         : bits == "16"  ? 2
         : bits == "32"  ? 4
         : bits == "64"  ? 8
         : bits == "128" ? 16
                         : 0;
}

std::uint32_t Variable::element_bytes() const { return bytes_of_type(type); }

Module parse(const std::string& text) { return Parser(text).run(); }

}  // namespace harness::ptx
