// SPDX-License-Identifier: Apache-2.0
// LentMemory: memory of the program that the driver still uses after the call that received it has
// returned. lent.def lists the cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "harness/core/ledger/ledger.h"
#include "harness/devices/sim/kernels/launch.h"

namespace harness::devices {

class SimDevice;

/// The purpose of a loan: a row of lent.def.
enum class LentFor : std::uint8_t {
#define LENT(name, given, until) name,
#include "harness/devices/sim/lent/lent.def"
#undef LENT
};

enum class LentId : std::uint32_t { none };

/// A use of lent memory by work.
struct LentUse {
  Label site;               ///< Empty: the current one.
  Name activation = 0;      ///< The activation that requested it. 0: the current one.
  Name stream = 0;          ///< 0 if unknown.
  CapturedAt captured;      ///< The call by which a graph captured it, if any.
  std::uintptr_t code = 0;  ///< An address after the first instruction of the function that uses
                            ///< it, or 0.
};

/// Lent memory has a lifetime from the loan until the program frees it, which a listener must
/// report. Without a listener nothing is lent, and every use is valid.
///
/// Threads: confined to the run's thread. Lifetime: begins again with each run.
class LentMemory {
 public:
  /// Receives, while the driver is held, the addresses that are lent. `birth` is an activation, for
  /// listeners that record where such memory was allocated.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void lent(std::uint64_t address, Name birth) = 0;
    virtual void returned(std::uint64_t address) = 0;
  };

  explicit LentMemory(SimDevice& sim) : sim_(sim) {}
  void begin();

  /// Enables loans, and reports their addresses to `listener`, which reports their ends.
  void watch(Listener& listener) { listener_ = &listener; }

  /// Lends memory by the current call. Live memory that nodes get again is lent already. Returns
  /// none if such memory cannot be lent, or if there is no listener.
  LentId lend(LentFor use, std::uint64_t address, std::uint64_t bytes);
  /// Ends a loan, because the driver does not use the memory any more.
  void give_back(LentId id);

  /// Returns the lowest lent address in [low, high), or `high`.
  std::uint64_t first_in(std::uint64_t low, std::uint64_t high) const;
  /// Ends, at the current site, the lifetime of loans that are completely in [low, high). Returns
  /// whether functions of the program will still be called with any of them.
  bool end(std::uint64_t low, std::uint64_t high);
  /// Returns whether the lent memory is alive. Otherwise reports the use.
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
  std::uint32_t count_ = 0;  ///< Number of loans so far.
  Loans loans_;              ///< By first address.
  std::unordered_map<LentId, std::uint64_t> addresses_;
  std::unordered_map<LentId, Dead> dead_;
};

}  // namespace harness::devices
