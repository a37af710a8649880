// SPDX-License-Identifier: Apache-2.0
// Expected errors: distinguishes errors that all callers must expect from those that are reported.
#pragma once

#include <cuda.h>

#include <string>
#include <string_view>
#include <vector>

#include "harness/client/border/report.h"
#include "harness/core/world.h"

namespace harness::entries {

/// Returns whether a sound program must expect this error of this function (its base name),
/// according to harness/driver/cuda/expected.def.
bool is_expected(std::string_view function, CUresult error);

/// Returns the name of an error, or its number if it has no name.
std::string name_of(const World& world, CUresult error);

/// Returns the object that is alive at this address, or has this handle; none for 0.
BirthId living_at(const World& world, std::uint64_t handle);

/// Returns whether no known error has the same function, status and place, and there is room for
/// another one.
bool is_new(const std::vector<client::ToldError>& known, const client::ToldError& error);

}  // namespace harness::entries
