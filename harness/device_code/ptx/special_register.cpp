// SPDX-License-Identifier: Apache-2.0
#include "harness/device_code/ptx/special_register.h"

#include <fmt/format.h>

#include <utility>

namespace harness::ptx {

std::string special_register(const std::string& name) {
  constexpr std::pair<const char*, const char*> kRegisters[] = {
      {"%tid", "0"}, {"%ctaid", "3"}, {"%ntid", "6"}, {"%nctaid", "9"}};
  for (const auto& [prefix, first] : kRegisters)
    for (const auto& [axis, add] : {std::pair{".x", 0}, {".y", 1}, {".z", 2}})
      if (name == std::string(prefix) + axis)
        return fmt::format("t.registers[{} + {}]", first, add);
  constexpr std::pair<const char*, const char*> kOthers[] = {
      {"WARP_SZ", "32U"},
      {"%laneid", "ptx::lane(t)"},
      {"%warpid", "(ptx::thread_in_block(t) / 32)"},
      {"%nwarpid", "((ptx::threads_in_block(t) + 31) / 32)"},
      {"%smid", "0U"},
      {"%nsmid", "1U"},
      {"%gridid", "0UL"},
      {"%clock", "ptx::cycles()"},
      {"%clock_hi", "(ptx::cycles() >> 32)"},
      {"%clock64", "ptx::cycles()"},
      {"%globaltimer", "ptx::clock()"},
      {"%globaltimer_lo", "ptx::clock()"},
      {"%globaltimer_hi", "(ptx::clock() >> 32)"},
      {"%lanemask_eq", "(1U << ptx::lane(t))"},
      {"%lanemask_lt", "((1U << ptx::lane(t)) - 1)"},
      {"%lanemask_le", "((2U << ptx::lane(t)) - 1)"},
      {"%lanemask_gt", "~((2U << ptx::lane(t)) - 1)"},
      {"%lanemask_ge", "~((1U << ptx::lane(t)) - 1)"},
      {"%dynamic_smem_size", "static_cast<ptx::u32>(t.shared_bytes - t.dynamic_shared)"},
      {"%total_smem_size", "static_cast<ptx::u32>(t.shared_bytes)"},
      // The address of the grid's memory, which cooperative groups read here.
      {"%envreg1", "static_cast<ptx::u32>(t.grid >> 32)"},
      {"%envreg2", "static_cast<ptx::u32>(t.grid)"},
      {"%cluster_ctarank", "0U"},
      {"%cluster_nctarank", "1U"},
      {"%is_explicit_cluster", "false"},
  };
  for (const auto& [known, expression] : kOthers)
    if (name == known) return expression;
  return {};
}

}  // namespace harness::ptx
