// SPDX-License-Identifier: Apache-2.0
// Python libraries: what installed modules are made of when the driver is first called: their
// classes, functions and tables. It is taken to stay, and collections pass over it.
//
// Why: cuda.core and numpy are 42,000 objects, each of which a collection looks at and so writes
// to, in a page that a forked run shares until then.
#pragma once

namespace harness::entries {

/// Has collections pass over what installed modules reach, but through nothing of the user's:
/// modules that are not installed, their functions, their classes, and objects of these; and what
/// leads to nothing that may be collected. Functions of installed modules that lead to constants
/// alone are held for good: the interpreter does not take them apart at its end. The same in all
/// runs of a program. The calling thread has the interpreter's lock.
void pass_over_libraries();

}  // namespace harness::entries
