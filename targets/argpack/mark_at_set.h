// SPDX-License-Identifier: Apache-2.0
// mark_at_set: option C, but marks are set when an argument is bound, and cleared when the device
// has been synchronized after the launch.
//
// Rationale: "bound packs and arrays cannot be deleted until the kernel has run". True. The flaw: a
// deletion requested until then is dropped for good, a context that is never launched keeps its
// marks, and a mark is an id: it covers neither external memory nor resets, and does not know which
// object owns the id.
#pragma once

#include "targets/argpack/policy.h"

namespace targets::argpack {

class MarkAtSet final : public Policy {
 public:
  using Policy::bound;
  using Policy::Policy;

  void bound(LaunchContext& context, PackArgument& argument) override {
    set_.push_back({&context, argument.pack->allocation().alloc_id, Kind::pack, false});
  }
  void bound(LaunchContext& context, ArrayArgument& argument) override {
    set_.push_back({&context, argument.array->allocation().alloc_id, Kind::ndarray, false});
  }
  void launched(LaunchContext& context) override {
    for (Mark& mark : set_)
      if (mark.context == &context) mark.launched = true;
  }
  void synchronized(Program&) override {
    std::erase_if(set_, [](const Mark& mark) { return mark.launched; });
  }
  void reset() override { set_.clear(); }

  Disposal dispose(ArgPack& argpack, bool) override {
    return dispose(argpack.allocation().alloc_id, Kind::pack);
  }
  Disposal dispose(Ndarray& ndarray, bool) override {
    return dispose(ndarray.allocation().alloc_id, Kind::ndarray);
  }

 protected:
  bool marks_at_launch() const override { return false; }

 private:
  struct Mark {
    const LaunchContext* context;
    std::uint64_t alloc_id;
    Kind kind;
    bool launched;
  };

  Disposal dispose(std::uint64_t alloc_id, Kind kind) const {
    for (const Mark& mark : set_)
      if (mark.alloc_id == alloc_id && mark.kind == kind) return Disposal::ignore;
    return Disposal::erase;
  }

  std::pmr::vector<Mark> set_;
};

}  // namespace targets::argpack
