// SPDX-License-Identifier: Apache-2.0
// Instructions: the table of the translated instructions, one row per family.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/device_code/ptx/writer.h"

namespace harness::ptx {

/// An instruction, with queries of its modifiers. Lifetime: borrows the statement. Errors: Unknown.
class Instruction {
 public:
  explicit Instruction(const Statement& statement);

  const std::string& name() const { return statement_.name; }
  bool has(std::string_view modifier) const;
  /// Returns the first of these words that is a modifier, or "".
  std::string_view first_of(std::span<const std::string_view> words) const;
  const std::vector<std::string>& modifiers() const { return statement_.modifiers; }
  /// Returns the types among the modifiers, in order.
  const std::vector<std::string>& types() const { return types_; }
  /// Returns the last type.
  const std::string& type() const;
  std::size_t count() const { return statement_.operands.size(); }
  const Operand& operand(std::size_t index) const;
  int line() const { return statement_.line; }

 private:
  const Statement& statement_;
  std::vector<std::string> types_;
};

struct Family;
using Translate = std::string (*)(FunctionWriter&, const Instruction&, const Family&);

/// A row: an instruction on some types, or several equivalent instructions.
struct Family {
  std::string_view name;       ///< The opcode, with a required modifier: "cvt.pack".
  std::string_view types;      ///< Words, "f32.f16" for both; empty if any types will do.
  std::string_view modifiers;  ///< Modifiers that are allowed in addition to the types; "*": any.
  int sources;                 ///< Number of operands that are read, for rows that are one call.
  std::string_view call;       ///< The called function, in device/.
  Translate translate;
  std::string_view chapter;  ///< The chapter of the PTX ISA, with the instruction's reference.
  std::string_view summary;
  /// The tests that check its results. "Suite.Test: " comes first if no sweep has it.
  std::string_view reference;
};

/// Returns all rows, in the order of the ISA's chapters.
std::span<const Family> families();

/// Returns the row of an instruction, or null.
const Family* family_of(const Instruction& instruction);

/// Returns an instruction as a statement of C++. Errors: Unknown.
std::string translate(FunctionWriter& writer, const Instruction& instruction);

/// Returns a type or modifier in C++: "ptx::u32".
std::string cpp_type(std::string_view type);
/// Returns the modifiers that are enumerators of device/types.h, as an expression.
std::string cpp_modifiers(const Instruction& instruction);
/// Returns whether a word is in a list of words.
bool is_among(std::string_view word, std::string_view words);

/// Declares the site `s` of a memory access, with the addresses that the driver has allowed it.
inline constexpr const char* kSite = "static ptx::Site s; ";

/// Returns an array called `name` with the registers of an operand, each as 64 bits.
std::string fragment(FunctionWriter& writer, const Operand& operand, const char* name,
                     const std::string& type);
/// Returns the statements that assign the words of the array `d` to the registers of an operand.
std::string put_fragment(FunctionWriter& writer, const Operand& operand);

// ---- translation functions of the rows ----------------------------------------------------------

std::string translate_call(FunctionWriter&, const Instruction&, const Family&);
std::string translate_carried(FunctionWriter&, const Instruction&, const Family&);
std::string translate_choice(FunctionWriter&, const Instruction&, const Family&);
std::string translate_mixed(FunctionWriter&, const Instruction&, const Family&);
std::string translate_lop3(FunctionWriter&, const Instruction&, const Family&);
std::string translate_video(FunctionWriter&, const Instruction&, const Family&);
std::string translate_video_mad(FunctionWriter&, const Instruction&, const Family&);
std::string translate_video_parts(FunctionWriter&, const Instruction&, const Family&);
std::string translate_dot_product(FunctionWriter&, const Instruction&, const Family&);
std::string translate_convert(FunctionWriter&, const Instruction&, const Family&);
std::string translate_convert_pack(FunctionWriter&, const Instruction&, const Family&);
std::string translate_convert_tf32(FunctionWriter&, const Instruction&, const Family&);
std::string translate_convert_byte(FunctionWriter&, const Instruction&, const Family&);
std::string translate_compare(FunctionWriter&, const Instruction&, const Family&);
std::string translate_select(FunctionWriter&, const Instruction&, const Family&);
std::string translate_property(FunctionWriter&, const Instruction&, const Family&);
std::string translate_move(FunctionWriter&, const Instruction&, const Family&);
std::string translate_load(FunctionWriter&, const Instruction&, const Family&);
std::string translate_store(FunctionWriter&, const Instruction&, const Family&);
std::string translate_address(FunctionWriter&, const Instruction&, const Family&);
std::string translate_is_space(FunctionWriter&, const Instruction&, const Family&);
std::string translate_stack(FunctionWriter&, const Instruction&, const Family&);
std::string translate_policy(FunctionWriter&, const Instruction&, const Family&);
std::string translate_atomic(FunctionWriter&, const Instruction&, const Family&);
std::string translate_branch(FunctionWriter&, const Instruction&, const Family&);
std::string translate_call_function(FunctionWriter&, const Instruction&, const Family&);
std::string translate_end(FunctionWriter&, const Instruction&, const Family&);
std::string translate_barrier(FunctionWriter&, const Instruction&, const Family&);
std::string translate_mbarrier(FunctionWriter&, const Instruction&, const Family&);
std::string translate_mbarrier_arrival(FunctionWriter&, const Instruction&, const Family&);
std::string translate_copy_arrival(FunctionWriter&, const Instruction&, const Family&);
std::string translate_warp(FunctionWriter&, const Instruction&, const Family&);
std::string translate_matrix_load(FunctionWriter&, const Instruction&, const Family&);
std::string translate_matrix_store(FunctionWriter&, const Instruction&, const Family&);
std::string translate_matrix_move(FunctionWriter&, const Instruction&, const Family&);
std::string translate_matrix_product(FunctionWriter&, const Instruction&, const Family&);
std::string translate_fragment_load(FunctionWriter&, const Instruction&, const Family&);
std::string translate_fragment_store(FunctionWriter&, const Instruction&, const Family&);
std::string translate_fragment_product(FunctionWriter&, const Instruction&, const Family&);
std::string translate_sparse_product(FunctionWriter&, const Instruction&, const Family&);
std::string translate_copy(FunctionWriter&, const Instruction&, const Family&);
std::string translate_texture(FunctionWriter&, const Instruction&, const Family&);
std::string translate_gather(FunctionWriter&, const Instruction&, const Family&);
std::string translate_surface_load(FunctionWriter&, const Instruction&, const Family&);
std::string translate_surface_store(FunctionWriter&, const Instruction&, const Family&);
std::string translate_surface_reduction(FunctionWriter&, const Instruction&, const Family&);
std::string translate_texel_query(FunctionWriter&, const Instruction&, const Family&);
std::string translate_is_type(FunctionWriter&, const Instruction&, const Family&);
std::string translate_nothing(FunctionWriter&, const Instruction&, const Family&);
std::string translate_sleep(FunctionWriter&, const Instruction&, const Family&);

}  // namespace harness::ptx
