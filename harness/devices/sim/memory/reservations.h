// SPDX-License-Identifier: Apache-2.0
// Reservations: addresses that a program has reserved, and what it has mapped there.
//
// A mapping is entered when it is mapped, but its life (a block, Origin::mapped) lasts while the
// device has access to it. What it maps is the memory of an allocation, a separate block
// (Origin::physical), which several mappings may lead to.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "harness/devices/sim/kernels/pointer_shadow.h"
#include "harness/devices/sim/kernels/provenance.h"
#include "harness/ledger.h"

namespace harness::devices {

struct Allocation;

struct Reservation {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;  ///< The size that was asked for.
  std::uint64_t given = 0;  ///< The size that was given.
  BirthId birth = BirthId::none;
  ProcessId process = ProcessId::first;
};

struct Mapping {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  Allocation* allocation = nullptr;
  std::uint32_t block = 0;       ///< The block while the device has access; else 0.
  BirthId life = BirthId::none;  ///< The life of that block.
};

/// Ownership: owns what it knows of one run; borrows the ledger. Threads: the run's thread.
class Reservations final : public ReservationMap {
 public:
  /// Sizes and addresses of mappings are multiples of this.
  static constexpr std::uint64_t kGranularity = std::uint64_t{2} << 20;

  explicit Reservations(AddressRange area) : area_(area) {}
  void begin(Ledger& ledger);

  // ---- addresses ----

  /// Reserves fresh addresses (plain), or those of one of the last that were freed: a pick. Null
  /// when there are none left.
  const Reservation* reserve(std::uint64_t bytes, std::uint64_t alignment);
  /// Returns the living reservation that holds `address`, or null.
  const Reservation* find(std::uint64_t address) const;
  void free(const Reservation& reservation);

  // ---- mappings ----

  /// Returns whether nothing is mapped in a range.
  bool is_unmapped(std::uint64_t address, std::uint64_t bytes) const;
  /// Enters a mapping in a range where none is.
  void add(const Mapping& mapping) { mappings_[mapping.base] = mapping; }
  void remove(std::uint64_t base) { mappings_.erase(base); }
  /// Returns the mapping that holds `address`, or null.
  Mapping* mapping_at(std::uint64_t address);
  /// Returns the mappings that a range consists of, whole and without gaps; else none.
  std::vector<Mapping*> whole_mappings(std::uint64_t address, std::uint64_t bytes);

  // ---- what provenance asks ----

  std::uint64_t low() const override { return area_.low; }
  BirthId at(std::uint64_t address) const override;
  void lives_beside(std::uint64_t address, std::vector<BirthId>& lives) const override;

 private:
  std::size_t pick_freed(std::uint64_t bytes, std::uint64_t alignment) const;

  AddressRange area_;
  Ledger* ledger_ = nullptr;
  std::uint64_t cursor_ = 0;  ///< Everything below has been given out.
  std::map<std::uint64_t, Reservation> reservations_;
  std::map<std::uint64_t, Mapping> mappings_;
  std::vector<Reservation> freed_;  ///< In the order in which they were freed.
};

}  // namespace harness::devices
