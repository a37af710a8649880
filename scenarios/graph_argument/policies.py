# SPDX-License-Identifier: Apache-2.0
"""What this path's sound claims rest on, for scripts/mutation/mutate_policies.py: the policy, and where the rest of the
path keeps, gives up, checks, waits or locks."""

# Of targets/graph_argument/: a file, and which of its functions; ... means all.
SOURCES = {
    "attach_per_node.h": ...,
    "attach_per_node.cpp": ...,
    "retain_per_node.h": ...,
    "retain_per_node.cpp": ...,
    "deferred.h": ...,
    "deferred.cpp": ...,
    "shared.h": ...,
    "handles.h": ...,
    "handles.cpp": ["release", "end_capture", "call", "carry_out", "GraphBox::GraphBox", "GraphBox::~GraphBox",
                    "ExecBox::~ExecBox"],
    "builder.cpp": ...,
    "core.h": ["Core::make_current", "Core::in_callback", "CallbackScope::CallbackScope",
               "CallbackScope::~CallbackScope", "CallbackAttach::checked"],
    "script/graphs.h": ["add_node"],
    "script/graphs.cpp": ["is_closed", "mark_orphaned", "instantiate_graph"],
    "script/kernel_call.cpp": ["begin_call", "prepare_call", "add_called", "prepare_change"],
    "script/builders.cpp": ["ScriptBuilders::begin_building", "ScriptBuilders::launch_captured",
                            "ScriptBuilders::end_building", "ScriptBuilders::complete"],
    "script/definitions.cpp": ["ScriptDefinitions::clone"],
    "script/executables.cpp": ["ScriptExecutables::launch", "ScriptExecutables::update_node",
                               "ScriptExecutables::update", "ScriptExecutables::close_graph"],
    "script/nodes.cpp": ["ScriptNodes::set_params", "ScriptNodes::destroy_node", "ScriptNodes::add_copy_or_set",
                         "ScriptNodes::add_event_node", "call_function", "ScriptNodes::add_callback"],
}

# What only tells facts, or offers a turn; and the script's own care for loops that nothing ends.
SCENERY = r"facts(?!\.tell\(&Observer::bound)|Witness::|Observer::(?!bound)|call\.things|reader|edge_|Hold hold|frame_\.step\(|interpreter\.step|loops\.|destructors"

# What no rule of the script makes: name, file, an expression or a statement, what takes its place.
BY_HAND = []

# A mutant that must be refuted, or the search itself is at fault.
PLANTED = "deferred.cpp DeferredCleanup::drain drop: for (Owners* owner : owners)"
