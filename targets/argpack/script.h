// SPDX-License-Identifier: Apache-2.0
// Script: the Python side, composed of its parts; script/ has one for each family of calls.
#pragma once

#include "targets/argpack/script/calls.h"
#include "targets/argpack/script/contexts.h"
#include "targets/argpack/script/garbage.h"

namespace targets::argpack {

/// Ownership: in the run's arena, with all parts. Never destroyed.
class Script {
 public:
  Script(Core& core, Policy& policy)
      : globals_(core),
        externals_(core, globals_),
        programs_(core, policy, globals_, externals_),
        packs_(core, policy, globals_),
        arrays_(core, globals_, externals_),
        garbage_(core, globals_, {programs_, packs_, arrays_, externals_}),
        binder_(core, policy, externals_),
        launches_(core, policy, externals_),
        calls_(core, globals_, binder_, launches_),
        contexts_(core, globals_, binder_, launches_) {
    core.policy = &policy;
  }
  Script(const Script&) = delete;  // The parts point at each other.
  Script& operator=(const Script&) = delete;

  Argpack path() { return {programs_, packs_, arrays_, globals_, garbage_, calls_, contexts_}; }

 private:
  ScriptGlobals globals_;
  ExternalArrays externals_;
  ScriptPrograms programs_;
  ScriptPacks packs_;
  ScriptArrays arrays_;
  ScriptGarbage garbage_;
  Binder binder_;
  Launches launches_;
  ScriptCalls calls_;
  ScriptContexts contexts_;
};

}  // namespace targets::argpack
