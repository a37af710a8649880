// SPDX-License-Identifier: Apache-2.0
// borrow: a request keeps nothing alive, and a buffer is freed as soon as it is replaced.
//
// Rationale: "a buffer is not replaced while it is requested". The flaw: nothing ensures that.
#pragma once

#include "targets/example/example.h"

namespace targets::example {

class Borrow final : public Policy {
 public:
  void prepared(const Request&) override {}
  void finished(const Request&) override {}
  bool may_free(const Buffer&) const override { return true; }
};

}  // namespace targets::example
