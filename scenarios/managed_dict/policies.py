# SPDX-License-Identifier: Apache-2.0
"""What this path's sound claims rest on, for scripts/mutation/mutate_policies.py: the writers that are claimed sound, and
how the interpreter keeps, gives up, checks and forgets."""

# Source in targets/managed_dict/ | its functions to mutate; ... means all.
SOURCES = {
    "writers/legal.h": ["LegalRecycle::before_store", "LegalMaterialise::before_store"],
    "dicts.h": ...,
    "dicts.cpp": ["Dicts::make", "Dicts::deallocate", "Dicts::clear", "Dicts::detach", "Dicts::shares_values",
                  "Dicts::set", "Dicts::insert", "Dicts::erase"],
    "objects.cpp": ["Objects::incref", "Objects::decref", "Objects::increment", "Objects::decrement",
                    "Objects::deallocate"],
    "attributes.cpp": ["Attributes::is_inline", "Attributes::set", "Attributes::erase", "Attributes::store_value",
                       "Attributes::materialise", "Attributes::publish_dict", "Attributes::replace_dict",
                       "Attributes::set_class", "Attributes::make", "Attributes::init_values", "Attributes::make_chunk",
                       "Attributes::set_values", "Attributes::deallocate", "Attributes::clear",
                       "Attributes::drop_values", "Attributes::free_values"],
    "collector.cpp": ...,
    "caches.cpp": ...,
    "jit.cpp": ["Jit::store_compiled", "Jit::load_compiled", "Jit::load_type_attr", "Jit::store_type_attr"],
    "types.cpp": ["Types::assign_version"],
}

# Statements that only report facts or offer a turn.
SCENERY = r"keeps_|counters|observer|note_hit|references|writer->|scheduler\(\)\.note"

# Mutants that no rule of the script makes: name, file, expression or statement, replacement.
BY_HAND = []

# A mutant that must be refuted; if it is not, the search itself is at fault.
PLANTED = "attributes.cpp Attributes::store_value drop: core_.objects.incref(value)"
