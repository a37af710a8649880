// SPDX-License-Identifier: Apache-2.0
// Python libraries: the objects of modules that are installed when the driver is first called:
// their classes, functions and tables. Collections pass over them, because they are assumed to
// stay.
//
// Why: cuda.core and numpy have 42,000 objects. A collection visits and so writes to each of them,
// in pages that a forked run shares until then.
#pragma once

namespace harness::entries {

/// Makes collections pass over all objects that installed modules reach without going through the
/// user's modules, functions, classes and objects; and over leaves. Functions of installed modules
/// that lead to constants only are kept alive, so the interpreter does not destroy them at its end.
/// The result is the same in all runs of a program. Requires the interpreter's lock.
void pass_over_libraries();

}  // namespace harness::entries
