// SPDX-License-Identifier: Apache-2.0
// Module: a PTX text, parsed: its variables, its functions, and the statements of these.
//
// Source: PTX ISA 9.0. Names are kept as they are written; nothing is looked up yet.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace harness::ptx {

/// A text that is not PTX, or none that can be translated: "line 12: ...".
struct Malformed {
  std::string words;
};

/// A line of the source that a text was compiled from; 0 if the text does not say.
struct SourceLine {
  int file = 0;  ///< By the module's `files`.
  int line = 0;
  /// The line of the call in whose place the function stands; null if it stands in no call's.
  std::shared_ptr<const SourceLine> caller;
  int depth = 0;  ///< How many callers there are.
};

enum class Space : std::uint8_t { generic, global, constant, shared, local, param, reg };

/// One number or address of an initializer.
struct Initial {
  std::uint64_t bits = 0;  ///< A number, or what is added to the address of `symbol`.
  bool is_double = false;  ///< `bits` are those of an f64, whatever the variable's type.
  std::string symbol;      ///< Empty for a number.
};

struct Variable {
  Space space = Space::global;
  std::string type;  ///< "u32"; of an element.
  std::string name;
  std::uint64_t count = 1;  ///< Elements; of vectors, all of theirs.
  std::uint32_t alignment = 0;
  bool is_array = false;
  bool is_unsized = false;  ///< An array whose size comes with the launch.
  bool is_external = false;
  bool is_managed = false;
  std::vector<Initial> initial;
  int line = 0;

  std::uint32_t element_bytes() const;
  std::uint64_t bytes() const { return count * element_bytes(); }
};

struct Operand {
  enum class Kind : std::uint8_t { name, number, real, address, vector, list };
  Kind kind = Kind::name;
  std::string name;              ///< A register, a symbol, or the base of an address.
  std::string second;            ///< In "p|q".
  std::uint64_t bits = 0;        ///< A number, the bits of a real one, or the offset of an address.
  std::uint32_t real_bytes = 0;  ///< 4 or 8: in which format the bits of a real number are.
  bool is_negated = false;       ///< Has "!" before it.
  bool is_minus = false;         ///< Has "-" before it, and is a register.
  std::vector<Operand> parts;
};

/// An instruction of a function's body, or what stands between them.
struct Statement {
  enum class Kind : std::uint8_t { instruction, label, registers, variable, begin, end, targets };
  Kind kind = Kind::instruction;
  int line = 0;
  SourceLine source;

  std::string name;  ///< The opcode, the label, or a type of registers.
  std::vector<std::string> modifiers;
  std::string guard;  ///< The predicate's register; empty for none.
  bool is_guard_negated = false;
  std::vector<Operand> operands;

  Variable variable;
  std::vector<std::string> names;  ///< Registers, or labels to branch to.
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_defined = false;
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  std::vector<Statement> body;
  std::uint64_t max_threads = 0;    ///< Product of .maxntid or .reqntid; 0 if nothing is said.
  std::uint32_t max_registers = 0;  ///< By .maxnreg.
  int line = 0;
};

struct Module {
  std::uint32_t version = 0;  ///< 83 for 8.3.
  std::string target;         ///< "sm_80".
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::map<int, std::string> files;  ///< Sources, by number.
};

/// Returns the bytes of a type, 0 for one that is none: "b32" has 4. A predicate has 1.
std::uint32_t bytes_of_type(const std::string& type);

/// Parses a text. Errors: Malformed.
Module parse(const std::string& text);

}  // namespace harness::ptx
