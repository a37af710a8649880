// SPDX-License-Identifier: Apache-2.0
// Effectiveness file: the searches of one side as JSON.
//
// Errors: std::runtime_error, with the name of the file.
#pragma once

#include <string>

#include "harness/gate/effectiveness.h"

namespace harness::gate {

/// Returns one object; equal searches make equal bytes.
std::string to_json(const SideSample& side);

/// Reads what to_json() wrote.
SideSample read_side(const std::string& file);

}  // namespace harness::gate
