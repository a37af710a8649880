// SPDX-License-Identifier: Apache-2.0
// Build id: the number that the linker writes into a program. Copies of a program have the same
// one.
#pragma once

#include <string>

#include "harness/base/process/process.h"

namespace harness::client {

/// Returns the build-id of the program that the command starts, in hexadecimal digits. Returns ""
/// if it has none, or is a Python interpreter: then the script is the program. Source: the ELF
/// specification, "Note Section", and ld(1), --build-id.
std::string build_id_of(const Command& command);

}  // namespace harness::client
