#include "harness/fault.h"

#include <fmt/format.h>

#include <array>

namespace harness {

Label to_label(FaultKind kind) {
  static constexpr std::array<Label, kFaultKindCount> kLabels{
      "use_after_death",  "recycled_use", "wild_access", "double_free", "wrong_owner", "retention",
      "wrong_value",      "api_misuse",   "deadlock",    "livelock",    "step_limit",  "uncaught",
      "ghost_generation", "order",        "crash",       "refusal"};
  return kLabels[raw(kind)];
}

std::string Fault::signature() const {
  std::string text(to_label(kind).view());
  if (!object_kind.empty()) text += fmt::format(" {}", object_kind.view());
  if (!birth_site.empty()) text += fmt::format(" born:{}", birth_site.view());
  if (!death_site.empty()) text += fmt::format(" died:{}", death_site.view());
  if (!use_site.empty()) text += fmt::format(" used:{}", use_site.view());
  return text;
}

bool Fault::operator==(const Fault& other) const {
  return kind == other.kind && fatal == other.fatal && object_kind == other.object_kind &&
         birth_site == other.birth_site && death_site == other.death_site &&
         use_site == other.use_site && object == other.object && recycler == other.recycler &&
         activation == other.activation && tick == other.tick && detail == other.detail;
}

}  // namespace harness
