// Native place: where a program that is no script makes a call.
#pragma once

#include "harness/client/report.h"

namespace harness::entries {

/// Returns the functions that the calling thread is in, but for our own, the innermost first. Lines
/// are not known here: a frame has its module and the offset in it.
client::Place native_place();

}  // namespace harness::entries
