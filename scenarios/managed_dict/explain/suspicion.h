// SPDX-License-Identifier: Apache-2.0
// Suspicion: an observation of one instrument that a sound interpreter never causes, and the
// classes of writer that cause it: one letter, or several with | between them if the record cannot
// distinguish them.
#pragma once

#include <optional>
#include <string>

#include "scenarios/managed_dict/explain/evidence.h"

namespace scenarios::managed_dict {

struct Suspicion {
  Order order;
  const char* kind;
  std::string evidence;
};
using Suspected = std::optional<Suspicion>;

inline constexpr std::uint32_t kWordBytes = 8;
inline bool may_be_dict(std::uint64_t word) { return word % kWordBytes == 0; }

/// Returns the first store to a word that is not the interpreter's own, from the write watch.
Suspected from_writes(const Evidence& evidence);

}  // namespace scenarios::managed_dict
