// SPDX-License-Identifier: Apache-2.0
// HostWatch: detects the program's own accesses to pinned and managed memory while unfinished
// device work uses it.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/base/label.h"
#include "harness/client/inside/libcuda/access_trap.h"
#include "harness/core/pick/pick.h"
#include "harness/core/world.h"

namespace harness::devices {
class SimDevice;
}

namespace harness::entries {

/// Whether an allocation is watched is a choice when it is allocated. A watched allocation is
/// protected while the program runs, so a system call with its address fails.
///
/// Registered memory of the program is not watched, because it shares pages with other data on the
/// program's heap.
///
/// Threads: requires the driver, except for the functions that AccessTrap calls. Lifetime: until
/// the process ends.
class HostWatch final : public AccessTrap::Listener {
 public:
  /// Names the accesses of the program.
  class Names {
   public:
    virtual ~Names() = default;
    /// Records the place of the calling thread, which does not have the driver.
    virtual void coming_to_access(std::uintptr_t code) = 0;
    /// Returns the activation of the access. The calling thread has the driver.
    virtual Activation access(Label how) = 0;
  };

  explicit HostWatch(Names& names) : names_(names) {}

  /// Called when the program calls the driver.
  void begin_call();
  /// Removes the protection, so that the driver can use all memory.
  void lift();
  /// Called when the program continues: chooses which new allocations are watched, and protects
  /// those that are used by work for which nothing has waited.
  void protect(World& world);

  bool met(std::uintptr_t address, bool writes, std::uintptr_t code) override;
  void over() override;

 private:
  struct Watched {
    std::uint32_t block;
    std::uintptr_t low, high;       ///< The range of its pages.
    int protection = kOpen;         ///< The protection of its pages while the program runs.
    unsigned access_count = 0;      ///< Number of observed accesses since the last call.
    unsigned stepping_threads = 0;  ///< Threads that are executing an observed instruction.
  };
  static const int kOpen;

  void ask_of_new(World& world, devices::SimDevice& device);
  static int wanted_protection(devices::SimDevice& device, const Watched& watched);
  /// Opens the watched blocks in the page until the access is over. Returns whether there are any.
  bool open_for_step(std::uintptr_t address);
  void judge(World& world, std::uintptr_t address, bool writes);

  Names& names_;
  std::vector<Watched> watched_;
  std::uint32_t seen_blocks_ = 1;  ///< Blocks with smaller numbers are not new.
  bool is_lifted_ = true;
};

}  // namespace harness::entries
