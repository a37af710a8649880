# SPDX-License-Identifier: Apache-2.0
"""What this path's sound claims rest on, for scripts/mutation/mutate_policies.py: the policy, and where the rest of the
path keeps, gives up, checks, waits or locks."""

# Source in targets/graph_argument/ | its functions to mutate; ... means all.
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

# Statements that only report facts or offer a turn; and the script's own guard against endless loops.
SCENERY = r"facts(?!\.tell\(&Observer::bound)|Witness::|Observer::(?!bound)|call\.things|reader|edge_|Hold hold|frame_\.step\(|interpreter\.step|loops\.|destructors"

# Mutants that no rule of the script makes: name, file, expression or statement, replacement.
BY_HAND = []

# A mutant that must be refuted; if it is not, the search itself is at fault.
PLANTED = "deferred.cpp DeferredCleanup::drain drop: for (Owners* owner : owners)"
