// borrow: a kernel node's arguments are copied as values, and nobody keeps what they point into.
// cuda.core 0.7.0.
//
// Its author says: "the driver copies the argument values", which is true of addresses too.
// What it holds: kernels, events and host functions, by user objects whose destructors run payload
// code on CUDA's own thread.
#pragma once

#include "targets/graph_argument/policy.h"

namespace targets::graph_argument {

class Borrow final : public Policy {
 public:
  using Policy::Policy;
};

}  // namespace targets::graph_argument
