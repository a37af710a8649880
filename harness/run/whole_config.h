// SPDX-License-Identifier: Apache-2.0
// WholeConfig: a config on a command line, which must name each axis exactly once.
#pragma once

#include <fmt/format.h>

#include <stdexcept>

#include "harness/run/run.h"

namespace harness::entries {

/// Returns the number of times that the text names an axis.
inline std::size_t times_named(std::string_view text, std::string_view axis) {
  std::size_t times = 0;
  for (std::size_t at = 0; (at = text.find(axis, at)) != std::string_view::npos;
       at += axis.size()) {
    const bool begins = at == 0 || text[at - 1] == ' ';
    times += begins && text.substr(at + axis.size()).starts_with('=');
  }
  return times;
}

/// Errors: std::runtime_error that names an axis that is unknown, missing or named twice. A missing
/// axis would silently get its first value, and only some configs would be searched.
inline Config parse_whole_config(const Scenario& scenario, std::string_view text) {
  const Config config = parse_config(scenario, text);
  std::string left_out;
  for (const Axis& axis : scenario.axes) {
    const std::size_t times = times_named(text, axis.name.view());
    if (times > 1)
      throw std::runtime_error(fmt::format("the config names {} twice", axis.name.view()));
    if (times == 0) left_out += fmt::format("{}{}", left_out.empty() ? "" : ", ", axis.name.view());
  }
  if (!left_out.empty())
    throw std::runtime_error(
        fmt::format("the config leaves out {}; name every axis, such as \"{}\"", left_out,
                    to_string(scenario, config)));
  return config;
}

}  // namespace harness::entries
