// SPDX-License-Identifier: Apache-2.0
// Policy: what keeps a thing alive from binding to the end of the launch. One per variant; what
// this base does is what Taichi does as shipped.
#pragma once

#include "targets/argpack/context.h"
#include "targets/argpack/core.h"
#include "targets/argpack/marks.h"

namespace targets::argpack {

/// The fate of a request to delete.
enum class Disposal : std::uint8_t { erase, ignore };

/// Ownership: made in the run's arena, one per run.
/// Threads: as Program.
class Policy {
 public:
  explicit Policy(Core& core) : core_(core) {}
  virtual ~Policy() = default;

  // ---- binding ----
  /// Whether recursive_set_args keeps the wrapper in `tmps` until the call returns.
  virtual bool pins(std::uint32_t /*level*/) const { return false; }
  /// Called before anything is bound to, compiled for or launched with a context.
  virtual Status admit(const LaunchContext&, const Program&) { return Status::ok; }
  /// Called before a wrapper from an earlier program is bound, or its object is written or read.
  virtual Status admit_stale() { return Status::ok; }
  virtual void bound(LaunchContext&, PackArgument&) {}
  virtual void bound(LaunchContext&, ArrayArgument&) {}
  virtual void bound(LaunchContext&, ExternalArgument&, const harness::Ref& /*wrapper*/) {}
  /// A pack is no longer bound: something else will be, or the context goes.
  virtual void unbound(LaunchContext&, PackArgument&) {}
  virtual void unbound(LaunchContext&, ArrayArgument&) {}
  virtual void unbound(LaunchContext&, ExternalArgument&) {}

  // ---- launching ----
  /// What the launcher finds where it follows what was bound.
  virtual DeviceAllocation allocation_of(const PackArgument& argument) {
    return argument.pack->allocation();
  }
  virtual DeviceAllocation allocation_of(const ArrayArgument& argument) {
    return argument.array->allocation();
  }
  /// The launcher is going to use these.
  virtual void used(const DeviceAllocation& pack) {
    if (marks_at_launch() && is_of_now(pack)) marks_.packs.mark(pack.alloc_id);
  }
  virtual void used_array(const DeviceAllocation& array) {
    if (marks_at_launch() && is_of_now(array)) marks_.arrays.mark(array.alloc_id);
  }
  /// Called before a launch follows any pointer. The launch returns any result other than ok.
  virtual Status before_launch(Program&, LaunchContext&) { return Status::ok; }
  /// The kernel was submitted, or recorded.
  virtual void launched(LaunchContext&) {}

  // ---- the end ----
  /// The device has finished everything.
  virtual void synchronized(Program&) { marks_.clear(); }
  /// Another program takes over.
  virtual void reset() { marks_.clear(); }
  /// Whether a CPU program forgets its allocations at its end, as those of CUDA and AMDGPU do.
  virtual bool clears_table() const { return false; }

  /// The object's deletion is requested. `stale`: on behalf of an earlier program.
  virtual Disposal dispose(ArgPack& argpack, bool /*stale*/) {
    return marks_.packs.has(argpack.allocation().alloc_id) ? Disposal::ignore : Disposal::erase;
  }
  virtual Disposal dispose(Ndarray& ndarray, bool /*stale*/) {
    return marks_.arrays.has(ndarray.allocation().alloc_id) ? Disposal::ignore : Disposal::erase;
  }
  /// Whether an assignment writes the host address of the nested pack into its parent's memory.
  virtual bool writes_host_address() const { return true; }

 protected:
  /// The shipped gfx backend alone knows what a launch uses. Marks that it never clears,
  /// mark_at_launch keeps; here it is cleared, or gfx would hide everything else behind what it
  /// retains.
  virtual bool marks_at_launch() const { return core_.setup.backend == Backend::gfx; }

  /// Marks belong to the program that launches; those of a program that has ended are not used.
  bool is_of_now(const DeviceAllocation& allocation) const {
    return core_.program != nullptr && allocation.device == &core_.program->device();
  }

  Core& core_;
  Marks marks_;
};

}  // namespace targets::argpack
