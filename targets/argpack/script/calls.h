// SPDX-License-Identifier: Apache-2.0
// ScriptCalls: Kernel.__call__, from the caller's variables to the kernel's return value.
#pragma once

#include "targets/argpack/script/binder.h"
#include "targets/argpack/script/globals.h"
#include "targets/argpack/script/launches.h"

namespace targets::argpack {

/// Ownership: borrows its parts.
class ScriptCalls final : public Calls, private Steps {
 public:
  ScriptCalls(Core& core, ScriptGlobals& globals, Binder& binder, Launches& launches)
      : Steps(core), globals_(globals), binder_(binder), launches_(launches) {}

  Status call(const Arguments& arguments) override;

 private:
  Status load_arguments(const Arguments& arguments, std::array<Ref, 3>& values);
  Status launch_kernel(harness::Object& arguments, const Arguments& from);
  Status set_args(const Ref& context, harness::Object& arguments, harness::Object& tmps,
                  harness::Object& set_later);

  ScriptGlobals& globals_;
  Binder& binder_;
  Launches& launches_;
};

}  // namespace targets::argpack
