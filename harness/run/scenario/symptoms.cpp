// SPDX-License-Identifier: Apache-2.0
#include "harness/run/scenario/symptoms.h"

#include <fmt/format.h>

namespace harness {
namespace {

bool fits(Label wanted, Label found) { return wanted.empty() || wanted == found; }

bool has_value(const Scenario& scenario, const Config& config, std::string_view wanted) {
  for (std::size_t i = 0; i < scenario.axes.size(); ++i) {
    const Axis& axis = scenario.axes[i];
    if (wanted == fmt::format("{}={}", axis.name.view(), axis.values[config.values[i]].view()))
      return true;
  }
  return wanted.empty();
}

}  // namespace

bool fits(const Symptom& symptom, const Scenario& scenario, const Config& config,
          const Fault& fault) {
  return symptom.kind == fault.kind && fits(symptom.object, fault.object_kind) &&
         fits(symptom.death, fault.death_site) && fits(symptom.use, fault.use_site) &&
         fault.detail.find(symptom.detail) != std::string::npos &&
         has_value(scenario, config, symptom.config);
}

const Symptom* symptom_of(const Scenario& scenario, const Config& config, const Fault& fault) {
  for (const SymptomTable* table : tables::symptoms()) {
    if (table->path != scenario.name) continue;
    for (const Symptom& symptom : table->rows)
      if (fits(symptom, scenario, config, fault)) return &symptom;
  }
  return nullptr;
}

std::string in_words(const Symptom& symptom, const Fault& fault) {
  std::string text(symptom.sees);
  constexpr std::string_view kDetail = "{}";
  if (const std::size_t at = text.find(kDetail); at != std::string::npos)
    text.replace(at, kDetail.size(), fault.detail);
  return text;
}

}  // namespace harness
