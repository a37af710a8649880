// SPDX-License-Identifier: Apache-2.0
// Instructions that a warp executes together, on matrices, and the copies that feed them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/device_code/ptx/instructions.h"

namespace harness::ptx {

// ---- loads --------------------------------------------------------------------------------------

std::string translate_matrix_load(FunctionWriter& writer, const Instruction& instruction,
                                  const Family&) {
  const Operand& to = instruction.operand(0);
  const std::size_t count = to.kind == Operand::Kind::vector ? to.parts.size() : 1;
  if (!instruction.has("m8n8") || !instruction.has("aligned") ||
      !instruction.has(fmt::format("x{}", count)))
    throw Unknown{};
  std::string address = writer.address(instruction.operand(1));
  if (!instruction.has("shared")) address = fmt::format("ptx::generic_to_shared(t, {})", address);
  std::string made = fmt::format("ptx::u32 r[{}]; ptx::load_matrices<{}, {}>(t, {}, r);", count,
                                 count, instruction.has("trans"), address);
  for (std::size_t i = 0; i < count; ++i)
    made += " " + writer.put(count == 1 && to.parts.empty() ? to.name : to.parts[i].name,
                             fmt::format("r[{}]", i));
  return made;
}

std::string translate_matrix_store(FunctionWriter& writer, const Instruction& instruction,
                                   const Family&) {
  const Operand& from = instruction.operand(1);
  const std::vector<Operand> parts =
      from.kind == Operand::Kind::vector ? from.parts : std::vector<Operand>{from};
  if (!instruction.has("m8n8") || !instruction.has("aligned") ||
      !instruction.has(fmt::format("x{}", parts.size())))
    throw Unknown{};
  std::string address = writer.address(instruction.operand(0));
  if (!instruction.has("shared")) address = fmt::format("ptx::generic_to_shared(t, {})", address);
  std::string values;
  for (const Operand& part : parts)
    values += fmt::format("{}ptx::get<ptx::u32>({})", values.empty() ? "" : ", ",
                          writer.value(part, "b32"));
  return fmt::format("const ptx::u32 r[] = {{{}}}; ptx::store_matrices<{}, {}>(t, {}, r);", values,
                     parts.size(), instruction.has("trans"), address);
}

std::string translate_matrix_move(FunctionWriter& writer, const Instruction& instruction,
                                  const Family&) {
  if (!instruction.has("m8n8") || !instruction.has("trans")) throw Unknown{};
  return writer.put(instruction.operand(0).name,
                    fmt::format("ptx::transpose(t, ptx::get<ptx::u32>({}))",
                                writer.value(instruction.operand(1), "b32")));
}

// ---- products -----------------------------------------------------------------------------------

std::string fragment(FunctionWriter& writer, const Operand& operand, const char* name,
                     const std::string& type) {
  std::string values;
  const std::vector<Operand> parts =
      operand.kind == Operand::Kind::vector ? operand.parts : std::vector<Operand>{operand};
  for (const Operand& part : parts)
    values += fmt::format("{}static_cast<ptx::u64>({})", values.empty() ? "" : ", ",
                          writer.value(part, type));
  return fmt::format("const ptx::u64 {}[] = {{{}}}; ", name, values);
}

std::string put_fragment(FunctionWriter& writer, const Operand& operand) {
  std::string made;
  for (std::size_t i = 0; i < operand.parts.size(); ++i)
    made += " " + writer.put(operand.parts[i].name, fmt::format("d[{}]", i));
  return made;
}

namespace {

struct Shape {
  std::string_view name;
  int rows;
  int depth;
  std::string_view types;  ///< Types of A and B.
};
constexpr Shape kShapes[] = {{"m16n8k8", 16, 8, "f16 bf16 tf32 f64"},
                             {"m16n8k16", 16, 16, "f16 bf16 s8 u8 e4m3 e5m2 f64"},
                             {"m16n8k4", 16, 4, "tf32 f64"},
                             {"m16n8k32", 16, 32, "s8 u8 s4 u4 e4m3 e5m2"},
                             {"m16n8k64", 16, 64, "s4 u4"},
                             {"m16n8k128", 16, 128, "b1"},
                             {"m16n8k256", 16, 256, "b1"},
                             {"m8n8k16", 8, 16, "s8 u8"},
                             {"m8n8k32", 8, 32, "s4 u4"},
                             {"m8n8k128", 8, 128, "b1"},
                             {"m8n8k4", 8, 4, "f64"}};

/// Returns the types of D, A, B and C. tf32 is not a type of registers.
std::vector<std::string> element_types(const Instruction& instruction) {
  std::vector<std::string> types;
  for (const std::string& word : instruction.modifiers())
    if (word == "tf32" || is_among(word, "f16 bf16 f32 f64 s8 u8 s4 u4 b1 s32 e4m3 e5m2"))
      types.push_back(word);
  if (types.size() != 4) throw Unknown{"other types"};
  return types;
}

const Shape& shape_of(const Instruction& instruction, const std::string& type) {
  for (const Shape& shape : kShapes)
    if (instruction.has(shape.name) && is_among(type, shape.types)) return shape;
  throw Unknown{"another shape"};
}

/// Returns whether sums of type `to` may be made of products of type `from`.
bool may_sum(const std::string& from, const std::string& to) {
  if (is_among(from, "f16 e4m3 e5m2")) return to == "f16" || to == "f32";
  if (from == "bf16" || from == "tf32") return to == "f32";
  return from == "f64" ? to == "f64" : to == "s32";
}

/// Reports types that do not fit together. Some pairs of factor types may differ.
void want_types(const Instruction& instruction, const std::vector<std::string>& types) {
  constexpr std::string_view kCounted = "s8 u8", kNibbles = "s4 u4", kBytes = "e4m3 e5m2";
  const std::string_view others = is_among(types[1], kCounted)   ? kCounted
                                  : is_among(types[1], kNibbles) ? kNibbles
                                  : is_among(types[1], kBytes)   ? kBytes
                                                                 : std::string_view(types[1]);
  if (types[0] != types[3] || !may_sum(types[1], types[0]) || !instruction.has("row") ||
      !instruction.has("col") || !is_among(types[2], others))
    throw Unknown{"other types"};
}

/// Translates the four products of m8n8k4, which has separate orders for A and B.
std::string translate_quad_products(FunctionWriter& writer, const Instruction& instruction,
                                    const std::vector<std::string>& types) {
  std::vector<std::string> orders;
  for (const std::string& word : instruction.modifiers())
    if (word == "row" || word == "col") orders.push_back(word);
  const bool is_narrowed = types[0] == "f16" && types[3] == "f32";
  if (types[2] != "f16" || !may_sum("f16", types[0]) || !may_sum("f16", types[3]) || is_narrowed ||
      orders.size() != 2)
    throw Unknown{"other types"};
  const Operand& to = instruction.operand(0);
  return fragment(writer, instruction.operand(1), "a", "f32") +
         fragment(writer, instruction.operand(2), "b", "f32") +
         fragment(writer, instruction.operand(3), "c", "f32") +
         fmt::format(
             "ptx::u64 d[{}]; ptx::multiply_quads<{}, {}, ptx::{}, ptx::{}>(t, a, b, c, d);",
             to.parts.size(), orders[0] == "row", orders[1] == "col", types[3], types[0]) +
         put_fragment(writer, to);
}

}  // namespace

std::string translate_matrix_product(FunctionWriter& writer, const Instruction& instruction,
                                     const Family& family) {
  const std::vector<std::string> types = element_types(instruction);
  if (instruction.has("m8n8k4") && types[1] == "f16")
    return translate_quad_products(writer, instruction, types);
  const Shape& shape = shape_of(instruction, types[1]);
  const bool is_xor = instruction.has("xor");
  if (types[1] == "b1" ? !instruction.has("popc") || is_xor == instruction.has("and") : is_xor)
    throw Unknown{"another operation"};
  constexpr std::string_view kModes[] = {"rn", "rz", "rm", "rp"};
  const std::string_view mode = instruction.first_of(kModes);
  if (!mode.empty() && types[1] != "f64") throw Unknown{"another operation"};
  want_types(instruction, types);
  const std::string held = types[1] == "f64" ? "f64" : "f32";
  const std::string sum = types[0] == "f64" ? "f64" : "f32";
  std::string made = fragment(writer, instruction.operand(1), "a", held) +
                     fragment(writer, instruction.operand(2), "b", held) +
                     fragment(writer, instruction.operand(3), "c", sum);
  const Operand& to = instruction.operand(0);
  made += fmt::format(
      "ptx::u64 d[{}]; ptx::{}<{}, {}, ptx::{}, ptx::{}, ptx::{}, {}>(t, a, b, c, d);",
      to.parts.size(), family.call, shape.rows, shape.depth, types[1], types[2], types[0],
      is_xor                         ? "ptx::exclusive"
      : instruction.has("satfinite") ? "ptx::sat"
      : mode.empty()                 ? "ptx::plain"
                                     : fmt::format("ptx::{}", mode));
  return made + put_fragment(writer, to);
}

// ---- products of sparse matrices ----

namespace {

/// A shape with 16 rows. A lane has as many registers of A as of B.
struct SparseShape {
  std::string_view name;
  unsigned depth;
  std::string_view types;  ///< Types of A and B.
  unsigned registers;
  unsigned selectors;  ///< Number of values for the selector of the threads with the metadata.
};
constexpr SparseShape kSparseShapes[] = {
    {"m16n8k8", 8, "tf32", 2, 4},    {"m16n8k16", 16, "f16 bf16", 2, 4},
    {"m16n8k16", 16, "tf32", 4, 2},  {"m16n8k32", 32, "f16 bf16", 4, 2},
    {"m16n8k32", 32, "s8 u8", 2, 2}, {"m16n8k64", 64, "s4 u4", 2, 2},
    {"m16n8k64", 64, "s8 u8", 4, 1}, {"m16n8k128", 128, "s4 u4", 4, 1}};

const SparseShape& sparse_shape_of(const Instruction& instruction, const std::string& type) {
  for (const SparseShape& shape : kSparseShapes)
    if (instruction.has(shape.name) && is_among(type, shape.types)) return shape;
  throw Unknown{"another shape"};
}

}  // namespace

std::string translate_sparse_product(FunctionWriter& writer, const Instruction& instruction,
                                     const Family& family) {
  const std::vector<std::string> types = element_types(instruction);
  const SparseShape& shape = sparse_shape_of(instruction, types[1]);
  want_types(instruction, types);
  const bool is_clamped = instruction.has("satfinite");
  if (is_clamped && types[0] != "s32") throw Unknown{"another operation"};
  const std::size_t sums = types[0] == "f16" ? 2 : 4;
  for (std::size_t i = 0; i < 4; ++i)
    if (instruction.operand(i).parts.size() != (i % 3 == 0 ? sums : shape.registers))
      throw Unknown{"another number of registers"};
  const Operand& selector = instruction.operand(5);
  if (selector.kind != Operand::Kind::number || selector.bits >= shape.selectors)
    throw Unknown{"another selector"};
  return fragment(writer, instruction.operand(1), "a", "b32") +
         fragment(writer, instruction.operand(2), "b", "b32") +
         fragment(writer, instruction.operand(3), "c", "b32") +
         fmt::format(
             "ptx::u64 d[{}]; ptx::{}<{}, ptx::{}, ptx::{}, ptx::{}, {}, {}>(t, a, b, c, "
             "ptx::get<ptx::u32>({}), d);",
             sums, family.call, shape.depth, types[1], types[2], types[0],
             is_clamped ? "ptx::sat" : "ptx::plain", selector.bits,
             writer.value(instruction.operand(4), "b32")) +
         put_fragment(writer, instruction.operand(0));
}

// ---- copies -------------------------------------------------------------------------------------

std::string translate_copy(FunctionWriter& writer, const Instruction& instruction, const Family&) {
  if (!instruction.has("async") || instruction.has("bulk") || instruction.has("mbarrier") ||
      instruction.has("reduce"))
    throw Unknown{};
  // A copy is complete immediately, so there is nothing to wait for.
  if (instruction.has("commit_group") || instruction.has("wait_group") ||
      instruction.has("wait_all"))
    return ";";
  if (!instruction.has("shared") || !instruction.has("global")) throw Unknown{};
  const std::size_t count = instruction.count() - (instruction.has("cache_hint") ? 1 : 0);
  const Operand& size = instruction.operand(2);
  if (size.kind != Operand::Kind::number || (size.bits != 4 && size.bits != 8 && size.bits != 16))
    throw Unknown{"another size"};
  std::string copied = fmt::format("{}", size.bits);
  if (count > 3) {
    const Operand& given = instruction.operand(3);
    copied = writer.is_predicate(given)
                 ? fmt::format("{} ? 0U : {}U", writer.predicate(given), size.bits)
                 : fmt::format("ptx::get<ptx::u32>({})", writer.value(given, "u32"));
  }
  return fmt::format("{}ptx::copy_to_shared<{}>(t, {}, {}, {}, s);", kSite, size.bits,
                     writer.address(instruction.operand(0)), writer.address(instruction.operand(1)),
                     copied);
}

}  // namespace harness::ptx
