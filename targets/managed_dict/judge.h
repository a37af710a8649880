// Judge: what an oracle of this path checks, by numbers. Nothing here changes a byte.
//
// T1 the word is 0, a live dict, or the chunk that this instance was given. T2, T6 are checked at
// free() (allocator.cpp), T3 at malloc(). T4 what is read is what was last stored. T5 counts are
// right. T7 compiled code counts objects only. T8 is vacuity. T9 no cache outlives the version it
// was filled at. T10 what a cache borrows is alive.
#pragma once

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

/// T7: found as it happens.
void judge_counted_word(Core& core, Address word);
/// T1, of one instance: before its word is believed.
void judge_word(Core& core, Address object);
/// T4: found as it happens. `observed` is what `object`'s attribute was read as.
void judge_reading(Core& core, Address object, Attribute attribute, Address observed);
/// T4, of a class's own attribute.
void judge_type_reading(Core& core, Class of, Address observed);
/// T1, T5, T9, T10: of everything there is.
void judge_heap(Core& core);

}  // namespace targets::managed_dict
