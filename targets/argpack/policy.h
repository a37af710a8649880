// SPDX-License-Identifier: Apache-2.0
// Policy: what keeps an object alive from binding to the end of the launch. One per variant; the
// base class behaves as Taichi does as shipped.
#pragma once

#include "targets/argpack/context.h"
#include "targets/argpack/core.h"
#include "targets/argpack/marks.h"

namespace targets::argpack {

/// Result of a request to delete an object.
enum class Disposal : std::uint8_t { erase, ignore };

/// Ownership: in the run's arena, one per run.
/// Threads: those of Program.
class Policy {
 public:
  explicit Policy(Core& core) : core_(core) {}
  virtual ~Policy() = default;

  // ---- binding ----
  /// Returns whether recursive_set_args keeps the wrapper in `tmps` until the call returns.
  virtual bool pins(std::uint32_t /*level*/) const { return false; }
  /// Called before something is bound to a context, compiled for it or launched with it.
  virtual Status admit(const LaunchContext&, const Program&) { return Status::ok; }
  /// Called before a wrapper from an earlier program is bound, or its object is written or read.
  virtual Status admit_stale() { return Status::ok; }
  virtual void bound(LaunchContext&, PackArgument&) {}
  virtual void bound(LaunchContext&, ArrayArgument&) {}
  virtual void bound(LaunchContext&, ExternalArgument&, const harness::Ref& /*wrapper*/) {}
  /// Called when a pack is no longer bound: it is replaced, or the context is destroyed.
  virtual void unbound(LaunchContext&, PackArgument&) {}
  virtual void unbound(LaunchContext&, ArrayArgument&) {}
  virtual void unbound(LaunchContext&, ExternalArgument&) {}

  // ---- launching ----
  /// Returns the allocation that the launcher finds when it follows a bound argument.
  virtual DeviceAllocation allocation_of(const PackArgument& argument) {
    return argument.pack->allocation();
  }
  virtual DeviceAllocation allocation_of(const ArrayArgument& argument) {
    return argument.array->allocation();
  }
  /// Called before the launcher uses these.
  virtual void used(const DeviceAllocation& pack) {
    if (marks_at_launch() && is_of_now(pack)) marks_.packs.mark(pack.alloc_id);
  }
  virtual void used_array(const DeviceAllocation& array) {
    if (marks_at_launch() && is_of_now(array)) marks_.arrays.mark(array.alloc_id);
  }
  /// Called before a launch follows any pointer. A result other than ok ends the launch.
  virtual Status before_launch(Program&, LaunchContext&) { return Status::ok; }
  /// Called when the kernel was submitted or recorded.
  virtual void launched(LaunchContext&) {}

  // ---- the end ----
  /// Called when the device has finished all work.
  virtual void synchronized(Program&) { marks_.clear(); }
  /// Called when a new program replaces the current one.
  virtual void reset() { marks_.clear(); }
  /// Returns whether a CPU program clears its table when it ends, as on CUDA and AMDGPU.
  virtual bool clears_table() const { return false; }

  /// Decides on a request to delete the object. `stale`: the request comes from an earlier program.
  virtual Disposal dispose(ArgPack& argpack, bool /*stale*/) {
    return marks_.packs.has(argpack.allocation().alloc_id) ? Disposal::ignore : Disposal::erase;
  }
  virtual Disposal dispose(Ndarray& ndarray, bool /*stale*/) {
    return marks_.arrays.has(ndarray.allocation().alloc_id) ? Disposal::ignore : Disposal::erase;
  }
  /// Returns whether an assignment writes the nested pack's host address into its parent's memory.
  virtual bool writes_host_address() const { return true; }

 protected:
  /// Returns whether launches mark what they use. As shipped, only gfx does. gfx never clears its
  /// marks; mark_at_launch models that, but here they are cleared, because on gfx the leaks would
  /// otherwise hide all other bugs.
  virtual bool marks_at_launch() const { return core_.setup.backend == Backend::gfx; }

  /// Returns whether a pack or array is the current program's: only those are marked.
  bool is_of_now(const DeviceAllocation& allocation) const {
    return core_.program != nullptr && allocation.device == &core_.program->device();
  }

  Core& core_;
  Marks marks_;
};

}  // namespace targets::argpack
