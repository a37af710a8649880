// SPDX-License-Identifier: Apache-2.0
#include "harness/core/fault/fault.h"

#include <fmt/format.h>

#include "harness/core/fault/kinds.h"

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

bool Fault::operator==(const Fault& right) const {
  return kind == right.kind && fatal == right.fatal && object_kind == right.object_kind &&
         birth_site == right.birth_site && death_site == right.death_site &&
         use_site == right.use_site && object == right.object && recycler == right.recycler &&
         activation == right.activation && tick == right.tick && detail == right.detail;
}

}  // namespace harness
