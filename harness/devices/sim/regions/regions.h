// SPDX-License-Identifier: Apache-2.0
// Regions: the parts of allocations that a suballocator returns, as reported through NVTX.
//
// A stream-ordered suballocator frees a region while earlier work is queued, and reuses its place.
// So each piece of work uses the regions that existed at its submission. Races between uses of the
// bytes are detected for the allocation, as for other memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/ledger/ledger.h"
#include "harness/devices/sim/kernels/provenance.h"
#include "harness/devices/sim/memory/registrations.h"

namespace harness::devices {

struct Region {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  BirthId birth = BirthId::none;
  std::uint32_t heap = 0;       ///< The number of its heap.
  std::uint32_t previous = 0;   ///< The number of the previous region that began there; 0 for none.
  std::uint64_t begun = 0;      ///< The number of the change that began it.
  std::uint64_t ended = ~0ull;  ///< The number of the change that ended it.
  bool is_forgotten = false;    ///< Its heap is gone, so that its place belongs to the allocation
                                ///< again.
  std::string name;             ///< Set by the program; may be empty.

  bool holds(std::uint64_t address) const { return address - base < bytes; }
};

/// Threads: confined to the run's thread. Regions are numbered from 1 on; 0 is none.
class Regions {
 public:
  /// The view with all changes.
  static constexpr std::uint64_t kNow = ~0ull - 1;

  void begin();
  bool empty() const { return regions_.empty(); }
  /// Returns the number of changes so far.
  std::uint64_t change_count() const { return change_count_; }

  /// Sets the number of changes that the current work sees. Memory::find() uses this view.
  void see(std::uint64_t changes) { seen_ = changes; }
  std::uint64_t seen() const { return seen_; }

  /// Makes a heap whose regions are of this kind. Returns its number, from 1 on.
  std::uint32_t add_heap(Label kind);
  std::uint32_t heap_count() const { return static_cast<std::uint32_t>(heaps_.size()); }
  Label kind_of(std::uint32_t heap) const { return heaps_[heap - 1]; }

  std::uint32_t add(std::uint64_t base, std::uint64_t bytes, std::uint32_t heap, BirthId birth);
  void end(std::uint32_t number) { at(number).ended = ++change_count_; }
  void resize(std::uint32_t number, std::uint64_t bytes);
  Region& at(std::uint32_t number) { return regions_[number - 1]; }
  const Region& at(std::uint32_t number) const { return regions_[number - 1]; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(regions_.size()); }

  /// Returns the number of the region at `address`, after this many changes.
  std::uint32_t find(std::uint64_t address, std::uint64_t seen) const;
  /// Returns the part of `within` around an address that no region has had.
  AddressRange gap(std::uint64_t address, AddressRange within) const;
  /// Returns the program's name for the region of this lifetime; may be empty.
  std::string_view name_of(BirthId birth) const;

 private:
  std::vector<Region> regions_;
  std::vector<Label> heaps_;
  Registrations ranges_;
  std::uint64_t change_count_ = 0;
  std::uint64_t seen_ = kNow;
};

}  // namespace harness::devices
