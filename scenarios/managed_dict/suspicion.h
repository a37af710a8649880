// SPDX-License-Identifier: Apache-2.0
// Suspicion: what one instrument saw that a sound interpreter never does, and the classes of writer
// that do such things: one letter, or several with | between them if the record cannot distinguish
// them.
#pragma once

#include <optional>
#include <string>

#include "scenarios/managed_dict/evidence.h"

namespace scenarios::managed_dict {

struct Suspicion {
  Order order;
  const char* kind;
  std::string evidence;
};
using Suspected = std::optional<Suspicion>;

/// The first store to a word that is not the interpreter's own, by the write watch.
Suspected from_writes(const Evidence& evidence);

}  // namespace scenarios::managed_dict
