// SPDX-License-Identifier: Apache-2.0
// Facts: passes facts to the observer, ordered by the locks of Python objects.
#pragma once

#include "targets/argpack/object_locks.h"
#include "targets/argpack/observer.h"
#include "targets/argpack/sites.h"

namespace targets::argpack {

/// Ownership: borrows the locks and the observer.
class Facts {
 public:
  Facts(ObjectLocks& locks, Observer& observer) : locks_(locks), observer_(observer) {}
  Facts(const Facts&) = delete;  // Only one may number things.
  Facts& operator=(const Facts&) = delete;

  /// Calls `fact`, a function of the observer, with these arguments.
  template <class Part, class... Parameters, class... Arguments>
  void tell(void (Part::*fact)(Parameters...), const Arguments&... arguments) {
    const ObjectLocks::Hold hold(locks_);
    (observer_.*fact)(arguments...);
  }
  /// Numbers a new thing and reports it.
  ThingId made(Kind kind, std::int64_t value, std::uint32_t depth = 0,
               std::uint32_t generation = 0) {
    const ObjectLocks::Hold hold(locks_);
    const auto thing = static_cast<ThingId>(++thing_count_);
    observer_.made({thing, kind, depth, value, generation});
    return thing;
  }

 private:
  ObjectLocks& locks_;
  Observer& observer_;
  std::uint32_t thing_count_ = 0;
};

}  // namespace targets::argpack
