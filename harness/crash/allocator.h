// SPDX-License-Identifier: Apache-2.0
// Whether a signal came in the middle of the C library's allocator, which cannot be left there.
#pragma once

namespace harness {

/// True when the calling thread is in malloc, free or the like, or in their callees. Allocates
/// nothing: a signal handler may ask. False where the stack cannot be walked.
bool in_allocator();

}  // namespace harness
