// SPDX-License-Identifier: Apache-2.0
// Translation: a module as C++ text, and the names of its functions there.
#pragma once

#include <string>

#include "harness/device_code/ptx/layout.h"

namespace harness::ptx {

/// Names of the symbols that the driver looks up in the shared object.
inline constexpr const char* kDriverSymbol = "afterlife_ptx_driver";
inline constexpr const char* kEntriesSymbol = "afterlife_ptx_entries";
inline constexpr const char* kFunctionsSymbol = "afterlife_ptx_functions";

/// The module's file name in debug information: its lines are lines of the PTX.
inline constexpr const char* kModuleFile = "module.ptx";

/// Returns the module as C++, to be compiled after the headers of device/. The table of entries
/// contains the defined entries of the module, in order; the table of functions contains all
/// defined functions.
std::string translate(const Layout& layout);

}  // namespace harness::ptx
