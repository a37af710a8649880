// SPDX-License-Identifier: Apache-2.0
// own: a launch context counts as a holder of everything that is bound to it, until the launch has
// finished or the context is destroyed. Ours.
//
// Meant to be sound.
// It holds packs and their nested packs, ndarrays and gradients (a deletion requested until then
// happens when the last holder releases the object), and external storage, by an exported view.
// It refuses to delete objects or use wrappers of an earlier program (stale_object), to launch a
// context twice (context_spent) or after a reset (context_invalid), and to resize exported storage
// (buffer_error). A program's allocations end with it on every backend, so that no remaining
// reference can free, by address, memory of the next program.
// Bounded: a launch releases its objects at the next synchronize(), or at the next launch that
// finds the device idle; after kLaunchLimit launches the next one waits for the device.
#pragma once

#include "targets/argpack/policy.h"

namespace targets::argpack {

class Own : public Policy {
 public:
  static constexpr std::uint32_t kLaunchLimit = 8;

  using Policy::Policy;

  Status admit(const LaunchContext& context, const Program& program) override;
  Status admit_stale() override { return Status::stale_object; }
  void bound(LaunchContext& context, PackArgument& argument) override;
  void bound(LaunchContext& context, ArrayArgument& argument) override;
  void bound(LaunchContext& context, ExternalArgument& argument,
             const harness::Ref& wrapper) override;
  void unbound(LaunchContext& context, PackArgument& argument) override;
  void unbound(LaunchContext& context, ArrayArgument& argument) override;
  void unbound(LaunchContext& context, ExternalArgument& argument) override;

  Status before_launch(Program& program, LaunchContext& context) override;
  void launched(LaunchContext& context) override;
  void synchronized(Program& program) override;

  Disposal dispose(ArgPack& argpack, bool stale) override { return dispose_held(argpack, stale); }
  Disposal dispose(Ndarray& ndarray, bool stale) override { return dispose_held(ndarray, stale); }
  bool writes_host_address() const override { return false; }
  bool clears_table() const override { return true; }

 protected:
  bool marks_at_launch() const override { return false; }

 private:
  /// An object that one launch holds: exactly one member is set.
  struct Held {
    harness::Borrowed<ArgPack> pack;
    harness::Borrowed<Ndarray> array;
    harness::Ref external;
  };

  template <class T>
  static Disposal dispose_held(T& object, bool stale) {
    if (stale) return Disposal::ignore;
    if (!object.holders().any()) return Disposal::erase;
    object.holders().doom();
    return Disposal::ignore;
  }
  template <class T>
  void let_go(const harness::Borrowed<T>& pointer);
  static void let_go(harness::Ref external);
  bool is_current(const LaunchContext& context) const;

  std::pmr::vector<Held> held_;
  std::pmr::vector<Held> finished_;  ///< Kept for its capacity.
  std::uint32_t launch_count_ = 0;   ///< Launches counted since held_ was last released.
};

}  // namespace targets::argpack
