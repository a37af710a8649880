// SPDX-License-Identifier: Apache-2.0
// own: a launch context counts as a holder of everything that is bound to it, until the launch has
// finished or the context goes. Ours.
//
// Its author says: sound.
// What it holds: packs, those nested in them, ndarrays and gradients (a deletion asked for
// meanwhile happens when the last holder lets go), and external storage, by an exported view.
// What it refuses: to delete on behalf of an earlier program, and to use a wrapper from before it
// (stale_object); to launch a context twice (context_spent), or after a reset (context_invalid); to
// resize exported storage (buffer_error). What a program has allocated ends with it on every
// backend, so that none that is still referred to frees by address what the next one has there.
// Bounded: what a launch holds goes at the next synchronize(), or at the next launch that finds the
// device idle; at most kLaunchLimit launches hold anything, then the next one waits for the device.
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
  /// Things that one launch holds: at most one of the three.
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
  std::uint32_t launch_count_ = 0;   ///< Launches that held_ speaks of.
};

}  // namespace targets::argpack
