#include "harness/fault.h"

#include <fmt/format.h>

#include "harness/fault/kinds.h"

namespace harness {

FaultKinds kinds_of(Label oracle) {
  FaultKinds kinds = 0;
  for (const FaultKindInfo& info : kFaultKinds)
    if (info.oracle == oracle) kinds |= kind_bit(info.kind);
  return kinds;
}

std::string Fault::what() const {
  std::string text(to_label(kind).view());
  if (!object_kind.empty()) text += fmt::format(" {}", object_kind.view());
  return text;
}

std::string Fault::signature() const {
  std::string text = what();
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
