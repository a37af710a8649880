// SPDX-License-Identifier: Apache-2.0
// Instructions on barriers in shared memory.
#include <fmt/format.h>

#include "harness/device_code/ptx/instructions.h"

namespace harness::ptx {

/// Returns the address of an mbarrier in shared memory. It is always in this block, because there
/// are no clusters.
static std::string mbarrier(FunctionWriter& writer, const Instruction& instruction,
                            std::size_t index) {
  const std::string address = writer.address(instruction.operand(index));
  return instruction.has("shared") ? address
                                   : fmt::format("ptx::generic_to_shared(t, {})", address);
}

static std::string count_of(FunctionWriter& writer, const Operand& operand) {
  return fmt::format("ptx::get<ptx::u32>({})", writer.value(operand, "u32"));
}

std::string translate_mbarrier(FunctionWriter& writer, const Instruction& instruction,
                               const Family& family) {
  if (instruction.type() != "b64") throw Unknown{"another type"};
  if (family.name == "mbarrier.init")
    return fmt::format("ptx::make_mbarrier(t, {}, {});", mbarrier(writer, instruction, 0),
                       count_of(writer, instruction.operand(1)));
  if (family.name == "mbarrier.inval")
    return fmt::format("ptx::end_mbarrier(t, {});", mbarrier(writer, instruction, 0));
  const std::string& to = instruction.operand(0).name;
  if (family.name == "mbarrier.pending_count")
    return writer.put(to, fmt::format("static_cast<ptx::u32>(ptx::pending_of({}))",
                                      writer.value(instruction.operand(1), "b64")));
  const bool is_parity = instruction.has("parity");
  return writer.put(to,
                    fmt::format("ptx::is_phase_complete<{}>(t, {}, {})", is_parity,
                                mbarrier(writer, instruction, 1),
                                writer.value(instruction.operand(2), is_parity ? "b32" : "b64")));
}

std::string translate_mbarrier_arrival(FunctionWriter& writer, const Instruction& instruction,
                                       const Family& family) {
  const bool has_count = instruction.count() > 2;
  // A count without .noComplete requires compute capability 9.0.
  if (instruction.type() != "b64" || has_count != instruction.has("noComplete")) throw Unknown{};
  return writer.put(instruction.operand(0).name,
                    fmt::format("ptx::arrive_at_mbarrier<{}, {}>(t, {}, {})",
                                family.name == "mbarrier.arrive_drop", !has_count,
                                mbarrier(writer, instruction, 1),
                                has_count ? count_of(writer, instruction.operand(2)) : "1U"));
}

/// Copies are complete immediately. A copy whose arrival is expected was counted before, so it only
/// checks.
std::string translate_copy_arrival(FunctionWriter& writer, const Instruction& instruction,
                                   const Family&) {
  if (instruction.type() != "b64" || !instruction.has("async") || !instruction.has("arrive"))
    throw Unknown{};
  const std::string at = mbarrier(writer, instruction, 0);
  if (instruction.has("noinc"))
    return fmt::format("ptx::arrive_at_mbarrier<false, true>(t, {}, 1U);", at);
  return fmt::format("ptx::mbarrier_at(ptx::in_shared<8>(t, {}));", at);
}

}  // namespace harness::ptx
