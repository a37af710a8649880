// SPDX-License-Identifier: Apache-2.0
// The kinds of fault: the rows of harness/core/fault/fault.def as an enumeration and a table.
#pragma once

#include <iterator>
#include <string_view>

#include "harness/core/fault/fault.h"

namespace harness {

/// Every kind of fault: a row of harness/core/fault/fault.def, which states its meaning.
enum class FaultKind : std::uint8_t {
#define FAULT_KIND(name, ...) name,
#include "harness/core/fault/fault.def"
#undef FAULT_KIND
};

/// A row of harness/core/fault/fault.def.
struct FaultKindInfo {
  FaultKind kind;
  Label label;            ///< Its name in signatures, reproducers and stories.
  Label oracle;           ///< Its owner, by which a scenario leaves it out.
  std::string_view verb;  ///< The story's words between the object and the site of its use.
  std::string_view summary;
};

/// One row for each kind, in the order of the enumeration.
inline constexpr FaultKindInfo kFaultKinds[] = {
#define FAULT_KIND(name, label, oracle, verb, summary) \
  {FaultKind::name, label, oracle, verb, summary},
#include "harness/core/fault/fault.def"
#undef FAULT_KIND
};

/// Returns the row of `kind`.
constexpr const FaultKindInfo& to_info(FaultKind kind) { return kFaultKinds[raw(kind)]; }

/// Returns the name of `kind` in signatures, reproducers and stories.
constexpr Label to_label(FaultKind kind) { return to_info(kind).label; }

static_assert(std::size(kFaultKinds) <= 32, "a kind is a bit of FaultKinds");

}  // namespace harness
