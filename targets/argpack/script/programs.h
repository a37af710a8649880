// SPDX-License-Identifier: Apache-2.0
// ScriptPrograms: ti.init(), ti.reset() and ti.sync().
#pragma once

#include "targets/argpack/script/externals.h"

namespace targets::argpack {

/// Ownership: makes programs in the run's arena, one at a time; borrows the policy and its parts.
class ScriptPrograms final : public Programs, private Steps {
 public:
  ScriptPrograms(Core& core, Policy& policy, const ScriptGlobals& globals,
                 const ExternalArrays& externals)
      : Steps(core), policy_(policy), globals_(globals), externals_(externals) {}

  Status init() override;
  Status reset() override;
  Status synchronize() override;
  Status flush() override;

  /// Does the work of reset() within another method.
  Status reset_now();

 private:
  Status start_program();

  Policy& policy_;
  const ScriptGlobals& globals_;
  const ExternalArrays& externals_;
  std::uint32_t generation_ = 0;  ///< Number of programs made so far.
};

}  // namespace targets::argpack
