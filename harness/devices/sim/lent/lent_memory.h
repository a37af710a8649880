// SPDX-License-Identifier: Apache-2.0
// LentMemory: the program's own memory that the driver still uses when the call that was given it
// has returned. lent.def says which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "harness/devices/sim/kernels/launch.h"
#include "harness/ledger.h"

namespace harness::devices {

class SimDevice;

/// The use that memory is lent for: a row of lent.def.
enum class LentFor : std::uint8_t {
#define LENT(name, given, until) name,
#include "harness/devices/sim/lent/lent.def"
#undef LENT
};

enum class LentId : std::uint32_t { none };

/// A use of lent memory by work.
struct LentUse {
  Label site;               ///< Empty: the current one.
  Name activation = 0;      ///< The activation that asked for it. 0: the current one.
  Name stream = 0;          ///< 0: not known.
  CapturedAt captured;      ///< Where a graph took it, if one did.
  std::uintptr_t code = 0;  ///< Behind the first instruction of the function that uses it, or 0.
};

/// Memory has a life here from when it is lent until the program frees it, which something has to
/// tell: without a listener nothing is lent, and each use is good.
///
/// Threads: confined to the run's thread. Lifetime: begins again with each run.
class LentMemory {
 public:
  /// Hears, with the driver, which addresses are lent. Who looks up where such memory was allocated
  /// does it for `birth`, an activation.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void lent(std::uint64_t address, Name birth) = 0;
    virtual void returned(std::uint64_t address) = 0;
  };

  explicit LentMemory(SimDevice& sim) : sim_(sim) {}
  void begin();

  /// From now on memory is lent, and ends of it are reported.
  void watch(Listener& listener) { listener_ = &listener; }

  /// Lends memory by the current call. What nodes are given again, while it lives, is lent already.
  /// None where no memory can be, or no one listens.
  LentId lend(LentFor use, std::uint64_t address, std::uint64_t bytes);
  /// The driver no longer uses it.
  void give_back(LentId id);

  /// Returns the lowest address in [low, high) that is lent, or `high`.
  std::uint64_t first_in(std::uint64_t low, std::uint64_t high) const;
  /// The program ends, at the current site, the life of what is lent whole in [low, high). Returns
  /// whether functions of the program are still to be called with any of it.
  bool end(std::uint64_t low, std::uint64_t high);
  /// Returns whether what was lent lives. Otherwise reports the use.
  bool used(LentId id, const LentUse& use);

 private:
  struct Loan {
    LentId id;
    LentFor use;
    std::uint64_t high;
    CapturedAt at;
    std::uint32_t block;  ///< The block of registered memory; else 0.
  };
  struct Dead {
    BirthId life;
    LentFor use;
    CapturedAt at;
  };
  using Loans = std::multimap<std::uint64_t, Loan>;

  Loans::const_iterator find(LentFor use, std::uint64_t address, std::uint64_t bytes) const;
  void die(std::uint64_t address, const Loan& loan);

  SimDevice& sim_;
  Listener* listener_ = nullptr;
  std::uint32_t count_ = 0;  ///< This many were ever lent.
  Loans loans_;              ///< By their first addresses.
  std::unordered_map<LentId, std::uint64_t> addresses_;
  std::unordered_map<LentId, Dead> dead_;
};

}  // namespace harness::devices
