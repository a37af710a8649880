// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/cause.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/fault/former_words.h"

namespace harness::nightly {

std::string cause_of(const Cell& cell, const Symptom& symptom) {
  return fmt::format("{:016x}", hash_name(fmt::format("{}/{}\n{}\n{}\n{}", cell.path, cell.variant,
                                                      symptom.kind, in_former_words(symptom.hazard),
                                                      in_former_words(symptom.signature))));
}

std::size_t place_of(const Finding& sought, std::span<const Finding> among) {
  const auto found = std::find_if(among.begin(), among.end(), [&](const Finding& one) {
    return one.signature == sought.signature && one.window == sought.window;
  });
  return static_cast<std::size_t>(found - among.begin());
}

}  // namespace harness::nightly
