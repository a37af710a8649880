// SPDX-License-Identifier: Apache-2.0
// Steps: the parts of programs, by topic, in one file each.
#pragma once

#include "harness/devices/tests/sound_programs/program.h"

namespace harness::testing::sound {

using Steps = std::span<const Program::Step>;

Steps memory_steps();
Steps pool_steps();
Steps stream_steps();
Steps event_steps();
Steps host_function_steps();
Steps memory_op_steps();
Steps kernel_steps();
Steps context_steps();
Steps query_steps();
Steps capture_steps();
Steps capture_rule_steps();
Steps graph_steps();
Steps graph_node_steps();
Steps graph_exec_steps();
Steps graph_memory_steps();
Steps conditional_steps();
Steps user_object_steps();
Steps ipc_steps();
Steps attribute_steps();
Steps virtual_memory_steps();
Steps variable_steps();
Steps array_steps();

}  // namespace harness::testing::sound
