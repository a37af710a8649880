#include "harness/nightly/cause.h"

#include <fmt/format.h>

namespace harness::nightly {

std::string cause_of(const Cell& cell, const Symptom& symptom) {
  return fmt::format(
      "{:016x}", hash_name(fmt::format("{}/{}\n{}\n{}\n{}", cell.path, cell.variant, symptom.kind,
                                       symptom.hazard, symptom.signature)));
}

}  // namespace harness::nightly
