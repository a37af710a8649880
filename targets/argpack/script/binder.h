// SPDX-License-Identifier: Apache-2.0
// Binder: launch contexts, and the set_arg_* calls that fill them.
#pragma once

#include "targets/argpack/script/externals.h"

namespace targets::argpack {

/// Ownership: borrows the policy and the external arrays; a wrapper owns its context, and the heap
/// owns the wrapper.
class Binder : private Steps {
 public:
  Binder(Core& core, Policy& policy, ExternalArrays& externals)
      : Steps(core), policy_(policy), externals_(externals) {}

  Status make_launch_context(harness::Ref& made);
  /// Binds the pack and its nested packs, children first. `tmps` is a list, or null: the policy's
  /// pins go into it.
  Status set_packs(const harness::Ref& context, const harness::Ref& pack, std::uint32_t level,
                   harness::Object* tmps);
  Status bind_array(const harness::Ref& context, const harness::Ref& array, bool with_gradient);
  /// Binds the array, or a copy of it if the backend cannot access its memory.
  Status bind_external(const harness::Ref& context, const harness::Ref& external);
  Status bind_scalar(const harness::Ref& context, std::int32_t value);
  void unbind_packs(LaunchContext& context);
  /// Unbinds everything. Called when nothing refers to the wrapper.
  void deallocate(ContextPayload& payload);

 private:
  Status bind(const Ref& context, const Ref& pack, std::uint32_t level);
  Status bind_one(LaunchContext& context, ArrayArgument& argument, harness::Object& array);
  Status bind_storage(const Ref& context, const Ref& external, HostCopy host_copy);
  Place place_of(const LaunchContext& context, const ArrayArgument& argument) const;
  void unbind(LaunchContext& context, ArrayArgument& argument);
  void unbind_external(LaunchContext& context);

  Policy& policy_;
  ExternalArrays& externals_;
};

}  // namespace targets::argpack
