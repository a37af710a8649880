// Stores of compiled code after a cache told it something that is no longer true (class e of the
// report).
#pragma once

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

/// The news that a type was modified does not reach a cache that borrows one of its values.
class StaleCacheValue final : public Writer {
 public:
  using Writer::Writer;
  bool forgets_invalidation() override { return fires() != 0; }
};

}  // namespace targets::managed_dict
