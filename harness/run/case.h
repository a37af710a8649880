// SPDX-License-Identifier: Apache-2.0
// Case: everything that determines one run: scenario, variant, config, device and tape.
#pragma once

#include <string>
#include <string_view>

#include "harness/core/pick/pick.h"
#include "harness/run/scenario/scenario.h"

namespace harness {

struct DeviceInfo;

/// Whether a run has the scenario's actors that inject errors into calls.
enum class ErrorInjection : unsigned char { on, off };

struct Case {
  const Scenario* scenario = nullptr;
  std::size_t variant = 0;
  Config config;
  const DeviceInfo* device = nullptr;
  Tape tape;
  ErrorInjection errors = ErrorInjection::on;  ///< A reproducer does not state it.
};

/// Returns the number of configs that the axes of a scenario span.
std::size_t config_count(const Scenario& scenario);
/// Returns the `index`th config; the last axis changes fastest.
Config config_at(const Scenario& scenario, std::size_t index);

/// "backend=cuda_pool gil=on collector=allocation", in the order of the axes.
std::string to_string(const Scenario& scenario, const Config& config);

/// Reads what to_string wrote; axes left out get their first value.
/// Throws std::runtime_error with one line that names what is unknown and the known names.
Config parse_config(const Scenario& scenario, std::string_view text);

/// Returns the index of the variant called `name`.
/// Throws std::runtime_error with one line that lists the variants if no variant has this name.
std::size_t variant_named(const Scenario& scenario, std::string_view name);

}  // namespace harness
