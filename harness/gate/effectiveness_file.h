// SPDX-License-Identifier: Apache-2.0
// Effectiveness file: the searches of one side as JSON.
//
// Errors: std::runtime_error, with the name of the file.
#pragma once

#include <string>

#include "harness/gate/effectiveness.h"

namespace harness::gate {

/// Returns one object. Equal searches give equal bytes.
std::string to_json(const SideSample& side);

/// Parses the result of to_json().
SideSample read_side(const std::string& file);

}  // namespace harness::gate
