// SPDX-License-Identifier: Apache-2.0
// ScriptContexts: launch contexts that a script makes by hand.
#pragma once

#include "targets/argpack/script/binder.h"
#include "targets/argpack/script/globals.h"
#include "targets/argpack/script/launches.h"

namespace targets::argpack {

/// Ownership: borrows its parts.
class ScriptContexts final : public Contexts, private Steps {
 public:
  ScriptContexts(Core& core, ScriptGlobals& globals, Binder& binder, Launches& launches)
      : Steps(core), globals_(globals), binder_(binder), launches_(launches) {}

  Status make_context(Variable into) override;
  Status set_arg_argpack(Variable context, Variable pack) override;
  Status set_arg_ndarray(Variable context, Variable array) override;
  Status set_arg_ndarray_with_grad(Variable context, Variable array) override;
  Status set_arg_external(Variable context, Variable external) override;
  Status set_arg_scalar(Variable context, std::int32_t value) override;
  Status compile(Variable context) override;
  Status launch(Variable context, bool returns) override;

 private:
  Status set_array(Variable context, Variable array, bool with_gradient);
  /// Loads a context, and an object of this type to bind to it.
  Status load_both(Variable context_variable, Ref& context, Variable variable,
                   const harness::TypeInfo& type, Ref& loaded);

  ScriptGlobals& globals_;
  Binder& binder_;
  Launches& launches_;
};

}  // namespace targets::argpack
