// SPDX-License-Identifier: Apache-2.0
// Module: a parsed PTX text: its variables, its functions, and their statements.
//
// Source: PTX ISA 9.0. Names are kept as written and are not resolved.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace harness::ptx {

/// The message for a text that is not PTX, or cannot be translated: "line 12: ...".
struct Malformed {
  std::string words;
};

/// A line of the source from which a text was compiled; 0 if unknown.
struct SourceLine {
  int file = 0;  ///< Index into the module's `files`.
  int line = 0;
  /// The line of the call into which the function was inlined; null if it was not inlined.
  std::shared_ptr<const SourceLine> caller;
  int depth = 0;  ///< Number of callers.
};

enum class Space : std::uint8_t { generic, global, constant, shared, local, param, reg };

/// One number or address of an initializer.
struct Initial {
  std::uint64_t bits = 0;  ///< A number, or an offset added to the address of `symbol`.
  bool is_double = false;  ///< `bits` are those of an f64, whatever the type of the variable.
  std::string symbol;      ///< Empty for a number.
};

struct Variable {
  Space space = Space::global;
  std::string type;  ///< Type of an element: "u32".
  std::string name;
  std::uint64_t count = 1;  ///< Number of elements. For vectors: of all their components.
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
  std::uint32_t real_bytes = 0;  ///< Size of a real number: 4 or 8.
  bool is_negated = false;       ///< Has "!" before it.
  bool is_minus = false;         ///< Has "-" before it, and is a register.
  std::vector<Operand> parts;
};

/// An instruction in a function's body, or another element of it.
struct Statement {
  enum class Kind : std::uint8_t { instruction, label, registers, variable, begin, end, targets };
  Kind kind = Kind::instruction;
  int line = 0;
  SourceLine source;

  std::string name;  ///< The opcode, the label, or a type of registers.
  std::vector<std::string> modifiers;
  std::string guard;  ///< The register of the predicate; empty if none.
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
  std::uint64_t max_threads = 0;    ///< Product of .maxntid or .reqntid; 0 if not specified.
  std::uint32_t max_registers = 0;  ///< From .maxnreg.
  int line = 0;
};

struct Module {
  std::uint32_t version = 0;  ///< 83 for 8.3.
  std::string target;         ///< "sm_80".
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::map<int, std::string> files;  ///< Sources, by number.
};

/// Returns the size of a type, 0 if it is not a type: "b32" has 4. A predicate has 1.
std::uint32_t bytes_of_type(const std::string& type);

/// Parses a text. Errors: Malformed.
Module parse(const std::string& text);

}  // namespace harness::ptx
