// SPDX-License-Identifier: Apache-2.0
// ScriptPacks: taichi.lang.argpack, the Python side of arg packs.
#pragma once

#include "targets/argpack/script/globals.h"

namespace targets::argpack {

/// Ownership: borrows the policy and the globals; the heap owns the packs.
class ScriptPacks final : public Packs, private Steps {
 public:
  ScriptPacks(Core& core, Policy& policy, ScriptGlobals& globals)
      : Steps(core), policy_(policy), globals_(globals) {}

  Status new_argpack(Variable into, std::uint32_t depth, std::int32_t value,
                     Variable array) override;
  Status set_scalar(Variable pack, std::uint32_t level, std::int32_t value) override;
  Status replace_nested(Variable pack, std::uint32_t level, std::int32_t value) override;
  Status set_nested(Variable pack, std::uint32_t level, Variable child) override;
  Status get_nested(Variable into, Variable pack, std::uint32_t level) override;

  /// Gives the parent a new nested pack within another method.
  Status replace(const harness::Ref& parent, std::int32_t value);
  /// Deletes the wrapped objects. Called when nothing refers to the wrapper.
  void finalize(PackPayload& payload);

 private:
  Status load_pack(Variable variable, std::uint32_t level, Ref& pack);
  Status construct(std::uint32_t depth, std::int32_t value, const Ref& array, Ref& made);
  Status cast(const Ref& pack, Ref& made);
  Status make_pack(std::uint32_t depth, std::int32_t value, const Ref& child, const Ref& array,
                   Ref& made);
  Status set_item(const Ref& parent, const Ref& child);
  CUdeviceptr host_address(const Ref& pack) const;

  Policy& policy_;
  ScriptGlobals& globals_;
};

}  // namespace targets::argpack
