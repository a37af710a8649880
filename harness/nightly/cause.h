// Cause: what makes two findings the same one, over shards and nights.
//
// For now it is the path, the variant, the hazard and the signature: one finding per signature. A
// triage by root causes enters here, and nowhere else: it gives findings that one repair removes
// the same name, and shards, history and reports follow.
#pragma once

#include <string>
#include <string_view>

#include "harness/nightly/plan.h"

namespace harness::nightly {

/// One of the two kinds of finding.
inline constexpr const char* kFault = "fault";
/// A finding that does not replay: the harness, or the target's own code, is at fault.
inline constexpr const char* kNondeterminism = "nondeterminism";

/// The parts of a finding that its cause follows from.
struct Symptom {
  std::string_view kind;
  std::string_view hazard;
  std::string_view signature;
};

/// Returns the name of the cause of what showed in this cell: 16 hexadecimal digits.
std::string cause_of(const Cell& cell, const Symptom& symptom);

}  // namespace harness::nightly
