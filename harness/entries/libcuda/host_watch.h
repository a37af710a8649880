// SPDX-License-Identifier: Apache-2.0
// HostWatch: detects the program's own accesses to pinned and managed memory while unfinished
// device work uses it.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/entries/libcuda/access_trap.h"
#include "harness/label.h"
#include "harness/pick.h"
#include "harness/world.h"

namespace harness::devices {
class SimDevice;
}

namespace harness::entries {

/// Whether an allocation is watched is a choice at its allocation. A watched one is protected while
/// the program runs, so a system call with it fails.
///
/// Memory of the program's own that is registered is not watched: it shares pages with what else is
/// on the program's heap.
///
/// Threads: for code that has the driver, but for what AccessTrap calls. Lifetime: until the
/// process ends.
class HostWatch final : public AccessTrap::Listener {
 public:
  /// Names what the program does.
  class Names {
   public:
    virtual ~Names() = default;
    /// Looks where the calling thread is, which does not have the driver.
    virtual void coming_to_access(std::uintptr_t code) = 0;
    /// Returns the activation of its access, by the thread that has the driver now.
    virtual Activation access(Label how) = 0;
  };

  explicit HostWatch(Names& names) : names_(names) {}

  /// The program calls the driver.
  void begin_call();
  /// The driver may use all its memory.
  void lift();
  /// The program continues: asks about new allocations, and protects what work that nothing has
  /// waited for still uses.
  void protect(World& world);

  bool met(std::uintptr_t address, bool writes, std::uintptr_t code) override;
  void over() override;

 private:
  struct Watched {
    std::uint32_t block;
    std::uintptr_t low, high;       ///< Its pages.
    int protection = kOpen;         ///< That of its pages while the program runs.
    unsigned access_count = 0;      ///< Accesses that were met since the last call.
    unsigned stepping_threads = 0;  ///< Threads of which an instruction that was met continues.
  };
  static const int kOpen;

  void ask_of_new(World& world, devices::SimDevice& device);
  static int wanted_protection(devices::SimDevice& device, const Watched& watched);
  /// Opens what is watched in the page until the access is over. Returns whether anything was.
  bool open_for_step(std::uintptr_t address);
  void judge(World& world, std::uintptr_t address, bool writes);

  Names& names_;
  std::vector<Watched> watched_;
  std::uint32_t seen_blocks_ = 1;  ///< Those before it were asked about.
  bool is_lifted_ = true;
};

}  // namespace harness::entries
