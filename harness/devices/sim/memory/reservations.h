// SPDX-License-Identifier: Apache-2.0
// Reservations: reserved addresses of a program, and the mappings in them.
//
// A mapping is recorded when it is mapped, but its lifetime (a block, Origin::mapped) lasts only
// while the device has access to it. It shows the memory of an allocation, a separate block
// (Origin::physical), to which several mappings may lead.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "harness/core/ledger/ledger.h"
#include "harness/devices/sim/kernels/pointer_shadow.h"
#include "harness/devices/sim/kernels/provenance.h"

namespace harness::devices {

struct Allocation;

struct Reservation {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;  ///< The requested size.
  std::uint64_t given = 0;  ///< The reserved size.
  BirthId birth = BirthId::none;
  ProcessId process = ProcessId::first;
};

struct Mapping {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  Allocation* allocation = nullptr;
  std::uint32_t block = 0;       ///< The block while the device has access; else 0.
  BirthId life = BirthId::none;  ///< The lifetime of that block.
};

/// Ownership: owns the records of one run; borrows the ledger. Threads: the run's thread.
class Reservations final : public ReservationMap {
 public:
  /// Sizes and addresses of mappings are multiples of this.
  static constexpr std::uint64_t kGranularity = std::uint64_t{2} << 20;

  explicit Reservations(AddressRange area) : area_(area) {}
  void begin(Ledger& ledger);

  // ---- addresses ----

  /// Reserves fresh addresses (default), or those of a recently freed reservation (a choice).
  /// Returns null if none are left.
  const Reservation* reserve(std::uint64_t bytes, std::uint64_t alignment);
  /// Returns the live reservation that contains `address`, or null.
  const Reservation* find(std::uint64_t address) const;
  void free(const Reservation& reservation);

  // ---- mappings ----

  /// Returns whether nothing is mapped in the range.
  bool is_unmapped(std::uint64_t address, std::uint64_t bytes) const;
  /// Adds a mapping in an unmapped range.
  void add(const Mapping& mapping) { mappings_[mapping.base] = mapping; }
  void remove(std::uint64_t base) { mappings_.erase(base); }
  /// Returns the mapping that contains `address`, or null.
  Mapping* mapping_at(std::uint64_t address);
  /// Returns the mappings that exactly cover a range without gaps; else none.
  std::vector<Mapping*> whole_mappings(std::uint64_t address, std::uint64_t bytes);

  // ---- for provenance ----

  std::uint64_t low() const override { return area_.low; }
  BirthId at(std::uint64_t address) const override;
  void lives_beside(std::uint64_t address, std::vector<BirthId>& lives) const override;

 private:
  std::size_t pick_freed(std::uint64_t bytes, std::uint64_t alignment) const;

  AddressRange area_;
  Ledger* ledger_ = nullptr;
  std::uint64_t cursor_ = 0;  ///< Everything below has been reserved.
  std::map<std::uint64_t, Reservation> reservations_;
  std::map<std::uint64_t, Mapping> mappings_;
  std::vector<Reservation> freed_;  ///< Freed reservations, in the order in which they were freed.
};

}  // namespace harness::devices
