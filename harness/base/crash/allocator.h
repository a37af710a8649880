// SPDX-License-Identifier: Apache-2.0
// Detects a signal that came inside the C library's allocator, which cannot be left there.
#pragma once

namespace harness {

/// Returns whether the calling thread is in malloc, free or the like, or in their callees. False if
/// the stack cannot be walked. Allocates nothing, so that a signal handler may call it.
bool in_allocator();

}  // namespace harness
