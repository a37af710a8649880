// SPDX-License-Identifier: Apache-2.0
// retain: a request holds its buffer from its preparation until the device has finished.
#pragma once

#include "targets/example/example.h"

namespace targets::example {

class Retain final : public Policy {
 public:
  void prepared(const Request& request) override { ++request.buffer->holder_count; }
  void finished(const Request& request) override { --request.buffer->holder_count; }
  bool may_free(const Buffer& buffer) const override { return buffer.holder_count == 0; }
};

}  // namespace targets::example
