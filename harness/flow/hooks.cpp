// SPDX-License-Identifier: Apache-2.0
// Called by clang's -fsanitize-coverage=trace-pc-guard,pc-table at every edge. Linked into the
// programs of the preset `flow`, and into the tests. Source:
// https://releases.llvm.org/19.1.0/tools/clang/docs/SanitizerCoverage.html
#include <cstdint>
#include <vector>

#include "harness/flow/recorder.h"

namespace harness {
namespace {

/// For each edge, whether it is the beginning of a function. Indexed by guard numbers, from 1 on.
std::vector<bool>& entries() {
  static std::vector<bool> of_all{false};
  return of_all;
}

}  // namespace

}  // namespace harness

using harness::entries;
using harness::flow_hooks;

extern "C" {

/// Numbers the guards of a module of the program.
__attribute__((visibility("default"))) void __sanitizer_cov_trace_pc_guard_init(
    std::uint32_t* begin, std::uint32_t* end) {
  if (begin == end || *begin != 0) return;
  static std::uint32_t last = 0;
  for (std::uint32_t* guard = begin; guard < end; ++guard) *guard = ++last;
}

/// Records which edges are beginnings of functions.
__attribute__((visibility("default"))) void __sanitizer_cov_pcs_init(const std::uintptr_t* begin,
                                                                     const std::uintptr_t* end) {
  static const std::uintptr_t* known = nullptr;
  if (begin == known) return;
  known = begin;
  flow_hooks.are_called = true;
  for (const std::uintptr_t* pc = begin; pc + 1 < end; pc += 2)
    entries().push_back((pc[1] & 1) != 0);
}

// Requires frame pointers in the calling code, which its build enables.
#pragma clang diagnostic ignored "-Wframe-address"
/// Called at every edge.
__attribute__((visibility("default"))) void __sanitizer_cov_trace_pc_guard(
    const std::uint32_t* guard) {
  if (flow_hooks.recorder == nullptr) return;
  const auto code = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - 1;
  const bool is_entry = *guard < entries().size() && entries()[*guard];
  const auto caller =
      is_entry ? reinterpret_cast<std::uintptr_t>(__builtin_return_address(1)) - 1 : 0;
  flow_hooks.recorder->note({code, caller});
}
}
