// SPDX-License-Identifier: Apache-2.0
// Script: the Python side, composed of its parts. Each method is a list of steps.
#pragma once

#include "targets/graph_argument/script/builders.h"
#include "targets/graph_argument/script/definitions.h"
#include "targets/graph_argument/script/executables.h"
#include "targets/graph_argument/script/globals.h"
#include "targets/graph_argument/script/nodes.h"
#include "targets/graph_argument/script/objects.h"
#include "targets/graph_argument/script/process.h"

namespace targets::graph_argument {

/// Ownership: in the run's arena; borrows the core. Never destroyed.
class Script {
 public:
  explicit Script(Core& core) : frame_(core) {}
  Script(const Script&) = delete;  // Its parts point at its frame.
  Script& operator=(const Script&) = delete;

  GraphFrame& frame() { return frame_; }
  GraphArgument parts() {
    return {process_, globals_, objects_, definitions_, nodes_, builders_, executables_};
  }

 private:
  GraphFrame frame_;
  ScriptProcess process_{frame_};
  ScriptGlobals globals_{frame_};
  ScriptObjects objects_{frame_};
  ScriptDefinitions definitions_{frame_};
  ScriptNodes nodes_{frame_};
  ScriptBuilders builders_{frame_};
  ScriptExecutables executables_{frame_};
};

}  // namespace targets::graph_argument
