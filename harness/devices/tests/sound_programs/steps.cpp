// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/tests/sound_programs/steps.h"

namespace harness::testing::sound {

std::span<const Program::Step> all_steps() {
  static const std::vector<Program::Step> all = [] {
    std::vector<Program::Step> made;
    for (const Steps& steps :
         {memory_steps(),        pool_steps(),       stream_steps(),       event_steps(),
          host_function_steps(), memory_op_steps(),  kernel_steps(),       context_steps(),
          query_steps(),         capture_steps(),    capture_rule_steps(), graph_steps(),
          graph_node_steps(),    graph_exec_steps(), graph_memory_steps(), conditional_steps(),
          user_object_steps(),   ipc_steps(),        attribute_steps(),    virtual_memory_steps(),
          variable_steps(),      array_steps()})
      made.insert(made.end(), steps.begin(), steps.end());
    return made;
  }();
  return all;
}

}  // namespace harness::testing::sound
