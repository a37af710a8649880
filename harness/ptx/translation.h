// SPDX-License-Identifier: Apache-2.0
// Translation: a module as a text of C++, and what its functions are called there.
#pragma once

#include <string>

#include "harness/ptx/layout.h"

namespace harness::ptx {

/// Names under which the shared object has what the driver looks for.
inline constexpr const char* kDriverSymbol = "afterlife_ptx_driver";
inline constexpr const char* kEntriesSymbol = "afterlife_ptx_entries";
inline constexpr const char* kFunctionsSymbol = "afterlife_ptx_functions";

/// The name of a module in debug information: a line of it is a line of the PTX.
inline constexpr const char* kModuleFile = "module.ptx";

/// Returns the module as C++, to be read behind the headers of device/. The table of entries has
/// those of the module that are defined, in order; that of functions has all that are defined.
std::string translate(const Layout& layout);

}  // namespace harness::ptx
