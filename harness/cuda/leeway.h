// Leeway: whether a driver may leave undone what its documentation says that it *may* do. Without
// it, it does what drivers of today are known to do.
#pragma once

namespace harness {

struct World;

/// Gives it to the driver of a world for the run that has begun on this thread.
void give_leeway(const World& world);
/// Returns whether it was given.
bool has_leeway(const World& world);
/// Takes it back: a run begins.
void take_leeway_back();

}  // namespace harness
