// SPDX-License-Identifier: Apache-2.0
// Cause: the identity of one symptom of a finding across shards and nights: its path, variant,
// hazard and signature. Symptoms that the same repair removes have one root (root.h), and users see
// them as one finding (findings.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/nightly/plan.h"
#include "harness/search/search.h"

namespace harness::nightly {

/// A kind of finding, like those below.
inline constexpr const char* kFault = "fault";
/// A finding whose replay differs: a bug of the harness or of the target's code.
inline constexpr const char* kNondeterminism = "nondeterminism";

/// A process that searched in another build crashed or was killed.
inline constexpr const char* kBadEnd = "bad end";

/// The parts that determine a cause.
struct Symptom {
  std::string_view kind;
  std::string_view hazard;
  std::string_view signature;
};

/// Returns the cause of a symptom in this cell: 16 hexadecimal digits.
std::string cause_of(const Cell& cell, const Symptom& symptom);

/// Returns the index of the finding with the same symptom, a signature in a window, in `among`; its
/// size if there is none.
std::size_t place_of(const Finding& sought, std::span<const Finding> among);

}  // namespace harness::nightly
