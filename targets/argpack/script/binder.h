// Binder: launch contexts, and what set_arg_* puts into them.
#pragma once

#include "targets/argpack/script/steps.h"

namespace targets::argpack {

/// Ownership: borrows the policy; a wrapper owns its context, and the heap owns the wrapper.
class Binder : private Steps {
 public:
  Binder(Core& core, Policy& policy) : Steps(core), policy_(policy) {}

  Status make_launch_context(harness::Ref& made);
  /// Binds the pack and those nested in it, children first. `tmps` is a list, or null: what the
  /// policy pins goes into it.
  Status set_packs(const harness::Ref& context, const harness::Ref& pack, std::uint32_t level,
                   harness::Object* tmps);
  Status bind_array(const harness::Ref& context, const harness::Ref& array, bool with_gradient);
  Status bind_external(const harness::Ref& context, const harness::Ref& external);
  Status bind_scalar(const harness::Ref& context, std::int32_t value);
  void unbind_packs(LaunchContext& context);
  /// Unbinds everything: nobody refers to the wrapper any more.
  void deallocate(ContextPayload& payload);

 private:
  Status bind(const Ref& context, const Ref& pack, std::uint32_t level);
  Status bind_one(LaunchContext& context, ArrayArgument& argument, harness::Object& array);
  void unbind(LaunchContext& context, ArrayArgument& argument);

  Policy& policy_;
};

}  // namespace targets::argpack
