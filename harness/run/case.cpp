// SPDX-License-Identifier: Apache-2.0
#include "harness/run/case.h"

#include <fmt/format.h>

#include <stdexcept>

#include "harness/base/printable.h"

namespace harness {
namespace {

template <class Labels, class Name>
std::string list(const Labels& labels, Name name) {
  std::string text;
  for (const auto& label : labels)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name(label));
  return text.empty() ? "none" : text;
}

std::size_t axis_named(const Scenario& scenario, std::string_view name) {
  for (std::size_t i = 0; i < scenario.axes.size(); ++i)
    if (scenario.axes[i].name.view() == name) return i;
  throw std::runtime_error(
      fmt::format("path {} has no axis '{}'; its axes: {}", scenario.name.view(), shown(name),
                  list(scenario.axes, [](const Axis& axis) { return axis.name.view(); })));
}

std::size_t value_named(const Axis& axis, std::string_view name) {
  for (std::size_t i = 0; i < axis.values.size(); ++i)
    if (axis.values[i].view() == name) return i;
  throw std::runtime_error(
      fmt::format("axis {} has no value '{}'; its values: {}", axis.name.view(), shown(name),
                  list(axis.values, [](Label value) { return value.view(); })));
}

}  // namespace

std::size_t config_count(const Scenario& scenario) {
  std::size_t count = 1;
  for (const Axis& axis : scenario.axes) count *= axis.values.size();
  return count;
}

Config config_at(const Scenario& scenario, std::size_t index) {
  HARNESS_CHECK(scenario.axes.size() <= kAxisLimit, "a config has room for kAxisLimit axes");
  Config config;
  for (std::size_t i = scenario.axes.size(); i-- > 0;) {
    const std::size_t size = scenario.axes[i].values.size();
    config.values[i] = static_cast<std::uint8_t>(index % size);
    index /= size;
  }
  return config;
}

std::string to_string(const Scenario& scenario, const Config& config) {
  std::string text;
  for (std::size_t i = 0; i < scenario.axes.size(); ++i) {
    const Axis& axis = scenario.axes[i];
    text += fmt::format("{}{}={}", i == 0 ? "" : " ", axis.name.view(),
                        axis.values[config.values[i]].view());
  }
  return text;
}

Config parse_config(const Scenario& scenario, std::string_view text) {
  Config config;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    if (equals == word.npos)
      throw std::runtime_error(fmt::format("'{}' is not of the form axis=value", shown(word)));
    const std::size_t axis = axis_named(scenario, word.substr(0, equals));
    config.values[axis] =
        static_cast<std::uint8_t>(value_named(scenario.axes[axis], word.substr(equals + 1)));
  }
  return config;
}

std::size_t variant_named(const Scenario& scenario, std::string_view name) {
  for (std::size_t i = 0; i < scenario.variants.size(); ++i)
    if (scenario.variants[i].name.view() == name) return i;
  throw std::runtime_error(fmt::format(
      "path {} has no variant '{}'; its variants: {}", scenario.name.view(), shown(name),
      list(scenario.variants, [](const auto& known) { return known.name.view(); })));
}

}  // namespace harness
