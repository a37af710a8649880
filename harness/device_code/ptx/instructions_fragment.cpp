// SPDX-License-Identifier: Apache-2.0
// Instructions of wmma: matrices that a warp loads, multiplies and stores as a whole. Programs do
// not know which lane has which element.
#include <fmt/format.h>

#include <algorithm>

#include "harness/device_code/ptx/instructions.h"

namespace harness::ptx {
namespace {

struct Shape {
  std::string_view name;
  int rows;
  int columns;
  int depth;
  std::string_view factors;  ///< Types of A and of B.
  std::string_view sums;     ///< Types of C and of D.
};
constexpr Shape kShapes[] = {{"m16n16k16", 16, 16, 16, "f16 bf16 s8 u8", "f16 f32 s32"},
                             {"m32n8k16", 32, 8, 16, "f16 bf16 s8 u8", "f16 f32 s32"},
                             {"m8n32k16", 8, 32, 16, "f16 bf16 s8 u8", "f16 f32 s32"},
                             {"m16n16k8", 16, 16, 8, "tf32", "f32"},
                             {"m8n8k32", 8, 8, 32, "s4 u4", "f32 s32"},
                             {"m8n8k128", 8, 8, 128, "b1", "f32 s32"},
                             {"m8n8k4", 8, 8, 4, "f64", "f64"}};

const Shape& shape_of(const Instruction& instruction) {
  for (const Shape& shape : kShapes)
    if (instruction.has(shape.name) && instruction.has("sync") && instruction.has("aligned"))
      return shape;
  throw Unknown{"another shape"};
}

/// Returns the types of the elements, in order. Some are not types of registers.
std::vector<std::string> element_types(const Instruction& instruction) {
  std::vector<std::string> types;
  for (const std::string& word : instruction.modifiers())
    if (is_among(word, "f16 bf16 tf32 f32 f64 s8 u8 s4 u4 b1 s32")) types.push_back(word);
  return types;
}

/// One of A, B, C and D.
struct Matrix {
  char name;
  int rows;
  int columns;
  std::string type;

  bool is_factor() const { return name == 'a' || name == 'b'; }
  std::size_t bits() const {
    return type == "b1"                 ? 1
           : is_among(type, "s4 u4")    ? 4
           : is_among(type, "s8 u8")    ? 8
           : is_among(type, "f16 bf16") ? 16
           : type == "f64"              ? 64
                                        : 32;
  }
  /// Returns the number of registers of a lane. Factors of f16 have 8 in each shape.
  std::size_t registers() const {
    if (is_factor() && type == "f16") return 8;
    return static_cast<std::size_t>(rows * columns) / 32 * bits() / (type == "f64" ? 64 : 32);
  }
  /// Returns the type as which registers are read and written.
  std::string held() const { return type == "f64" ? "f64" : "b32"; }
};

Matrix matrix_of(const Shape& shape, char name, const std::string& type) {
  Matrix made{name, name == 'b' ? shape.depth : shape.rows,
              name == 'a' ? shape.depth : shape.columns, type};
  if (!is_among(type, made.is_factor() ? shape.factors : shape.sums)) throw Unknown{"other types"};
  return made;
}

void want_registers(const Matrix& matrix, const Operand& operand) {
  if (operand.parts.size() != matrix.registers()) throw Unknown{"another number of registers"};
}

/// Checks whether the factor may be stored in this order. Factors of less than 8 bits have only one
/// order.
void want_order(const Matrix& matrix, bool is_by_rows) {
  if (matrix.is_factor() && matrix.bits() < 8 && is_by_rows != (matrix.name == 'a'))
    throw Unknown{"another order"};
}

/// Returns a load or store of a matrix at an address.
std::string access(FunctionWriter& writer, const Instruction& instruction, const Family& family,
                   const Matrix& matrix, const Operand& at, const char* registers) {
  const bool is_by_rows = instruction.has("row");
  if (is_by_rows == instruction.has("col")) throw Unknown{"an order is missing"};
  want_order(matrix, is_by_rows);
  for (const char* space : {"local", "const", "param"})
    if (instruction.has(space)) throw Unknown{"another space"};
  const std::string stride =
      instruction.count() > 2
          ? fmt::format("ptx::get<ptx::u32>({})", writer.value(instruction.operand(2), "u32"))
          : fmt::format("{}U", is_by_rows ? matrix.columns : matrix.rows);
  return fmt::format("{}ptx::{}<{}, {}, ptx::{}, {}, {}>(t, {}, {}, s, {});", kSite, family.call,
                     matrix.rows, matrix.columns, matrix.type, is_by_rows,
                     instruction.has("shared"), writer.address(at), stride, registers);
}

}  // namespace

std::string translate_fragment_load(FunctionWriter& writer, const Instruction& instruction,
                                    const Family& family) {
  const char name = instruction.has("a") ? 'a' : instruction.has("b") ? 'b' : 'c';
  const std::vector<std::string> types = element_types(instruction);
  if (types.size() != 1 || (name == 'c' && !instruction.has("c"))) throw Unknown{"other types"};
  const Matrix matrix = matrix_of(shape_of(instruction), name, types[0]);
  const Operand& to = instruction.operand(0);
  want_registers(matrix, to);
  return fmt::format("ptx::u64 d[{}]; ", to.parts.size()) +
         access(writer, instruction, family, matrix, instruction.operand(1), "d") +
         put_fragment(writer, to);
}

std::string translate_fragment_store(FunctionWriter& writer, const Instruction& instruction,
                                     const Family& family) {
  const std::vector<std::string> types = element_types(instruction);
  if (types.size() != 1 || !instruction.has("d")) throw Unknown{"other types"};
  const Matrix matrix = matrix_of(shape_of(instruction), 'd', types[0]);
  want_registers(matrix, instruction.operand(1));
  return fragment(writer, instruction.operand(1), "c", matrix.held()) +
         access(writer, instruction, family, matrix, instruction.operand(0), "c");
}

/// Returns the modifiers of a product in C++.
static std::string operation_of(const Instruction& instruction, const std::string& factor) {
  constexpr std::string_view kModes[] = {"rn", "rz", "rm", "rp"};
  const std::string_view mode = instruction.first_of(kModes);
  const bool is_xor = instruction.has("xor"), is_clamped = instruction.has("satfinite");
  if (factor == "b1" ? !instruction.has("popc") || is_xor == instruction.has("and")
                     : is_xor || instruction.has("popc"))
    throw Unknown{"another operation"};
  if ((!mode.empty() && factor != "f64") || (is_clamped && !is_among(factor, "s8 u8 s4 u4")))
    throw Unknown{"another operation"};
  if (is_xor) return "ptx::exclusive";
  if (is_clamped) return "ptx::sat";
  return mode.empty() ? "ptx::plain" : fmt::format("ptx::{}", mode);
}

std::string translate_fragment_product(FunctionWriter& writer, const Instruction& instruction,
                                       const Family& family) {
  const Shape& shape = shape_of(instruction);
  std::vector<std::string> types = element_types(instruction);
  if (types.size() == 2)
    types.insert(types.begin() + 1, 2, "f16");  // Not written for f16.
  else if (types.size() != 4 || types[1] == "f16")
    throw Unknown{"other types"};
  const std::string_view sums = types[1] == "f16"                 ? "f16 f32"
                                : is_among(types[1], "bf16 tf32") ? "f32"
                                : types[1] == "f64"               ? "f64"
                                                                  : "s32";
  if (types[2] != types[1] || !is_among(types[0], sums) || !is_among(types[3], sums))
    throw Unknown{"other types"};
  std::vector<std::string> orders;
  for (const std::string& word : instruction.modifiers())
    if (word == "row" || word == "col") orders.push_back(word);
  if (orders.size() != 2) throw Unknown{"an order is missing"};
  std::string made;
  for (std::size_t i = 0; i < 4; ++i) {
    constexpr const char* kNames[] = {"d", "a", "b", "c"};
    const Matrix matrix = matrix_of(shape, *kNames[i], types[i]);
    want_registers(matrix, instruction.operand(i));
    if (matrix.is_factor()) want_order(matrix, orders[i - 1] == "row");
    made += i == 0 ? fmt::format("ptx::u64 d[{}]; ", matrix.registers())
                   : fragment(writer, instruction.operand(i), kNames[i], matrix.held());
  }
  return made +
         fmt::format("ptx::{}<{}, {}, {}, ptx::{}, ptx::{}, ptx::{}, {}>(t, a, b, c, d);",
                     family.call, shape.rows, shape.columns, shape.depth, types[1], types[3],
                     types[0], operation_of(instruction, types[1])) +
         put_fragment(writer, instruction.operand(0));
}

}  // namespace harness::ptx
