"""What this path's sound claims rest on, for scripts/mutate_policies.py: the policy, and where the rest of the
path keeps, gives up, checks, waits or locks."""

# Of targets/graph_argument/: a file, and which of its functions; ... means all.
SOURCES = {
    "retain_per_node.h": ...,
    "retain_per_node.cpp": ...,
    "deferred.h": ...,
    "deferred.cpp": ...,
    "shared.h": ...,
    "handles.h": ...,
    "handles.cpp": ...,
    "builder.cpp": ...,
    "core.h": ["Core::make_current", "Core::in_callback", "CallbackScope::CallbackScope",
               "CallbackScope::~CallbackScope", "CallbackAttach::checked"],
    "script_add_node.h": ...,
    "script_builders.cpp": ["Script::begin_building", "Script::launch_captured", "Script::end_building",
                            "Script::complete"],
    "script_definitions.cpp": ["Script::is_closed", "Script::clone", "mark_orphaned", "Script::destroy_node"],
    "script_graphs.cpp": ["Script::instantiate_now", "Script::launch", "Script::update_node", "Script::update",
                          "Script::close_graph"],
    "script_kernels.cpp": ["Script::begin_call", "Script::prepare_call", "Script::add_called",
                           "Script::prepare_change", "Script::set_params"],
    "script_nodes.cpp": ["Script::add_copy_or_set", "Script::add_event_node", "call_function",
                         "Script::add_callback"],
}

# What only tells facts, or offers a turn.
SCENERY = r"facts|Witness::|Observer::(?!bound)|call\.things|observer|edge_|order\(\)|^step\(|interpreter\.step|destructor_count|kDestructorsResource"

# What no rule of the script makes: name, file, an expression or a statement, what takes its place.
BY_HAND = []

# A mutant that must be refuted, or the search itself is at fault.
PLANTED = "deferred.cpp DeferredCleanup::drain drop: for (Owners* owner : owners)"
