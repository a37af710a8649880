// SPDX-License-Identifier: Apache-2.0
// Cause: the name of one way in which a finding shows, over shards and nights: its path, variant,
// hazard and signature. Ways that one repair removes have one root (root.h), and are one finding to
// people (findings.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/nightly/plan.h"
#include "harness/search.h"

namespace harness::nightly {

/// One of the kinds of finding.
inline constexpr const char* kFault = "fault";
/// A finding that does not replay: the harness, or the target's own code, is at fault.
inline constexpr const char* kNondeterminism = "nondeterminism";

/// A process that searched in another build did not end by itself.
inline constexpr const char* kBadEnd = "bad end";

/// The parts that a cause follows from.
struct Symptom {
  std::string_view kind;
  std::string_view hazard;
  std::string_view signature;
};

/// Returns the name of the cause of what showed in this cell: 16 hexadecimal digits.
std::string cause_of(const Cell& cell, const Symptom& symptom);

/// Returns where among the findings of a cell the same way to fail is, a signature in a window;
/// their number where it is not.
std::size_t place_of(const Finding& sought, std::span<const Finding> among);

}  // namespace harness::nightly
