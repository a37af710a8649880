// SPDX-License-Identifier: Apache-2.0
// Expected errors: distinguishes errors that any caller must expect from the others, which are
// reported.
#pragma once

#include <cuda.h>

#include <string>
#include <string_view>
#include <vector>

#include "harness/client/report.h"
#include "harness/world.h"

namespace harness::entries {

/// Returns whether a sound program has to expect the error of this function, by its base name:
/// harness/cuda/expected.def has it.
bool is_expected(std::string_view function, CUresult error);

/// Returns the name of an error, or its number where it has none.
std::string name_of(const World& world, CUresult error);

/// Returns whether an error is none of those that are known, by its function, status and place, and
/// there is room for it.
bool is_new(const std::vector<client::ToldError>& known, const client::ToldError& error);

}  // namespace harness::entries
