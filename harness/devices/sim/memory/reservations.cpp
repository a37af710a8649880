// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/memory/reservations.h"

#include <algorithm>
#include <array>

namespace harness::devices {

static constexpr Label kReservationKind = "address reservation";

void Reservations::begin(Ledger& ledger) {
  ledger_ = &ledger;
  cursor_ = area_.low;
  reservations_.clear();
  mappings_.clear();
  freed_.clear();
}

// ---- addresses --------------------------------------------------------------------------------

static std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Chooses which of the last freed reservations with enough room to reuse. Returns its index, or
/// the number of freed reservations for none, which is the default.
std::size_t Reservations::pick_freed(std::uint64_t bytes, std::uint64_t alignment) const {
  constexpr std::size_t kOfferLimit = 4;
  std::array<std::uint32_t, kOfferLimit + 1> names{0};
  std::array<std::size_t, kOfferLimit + 1> places{freed_.size()};
  std::uint32_t count = 1;
  for (std::size_t i = freed_.size(); i-- > 0 && count <= kOfferLimit;) {
    if (freed_[i].given < bytes || freed_[i].base % alignment != 0) continue;
    names[count] = static_cast<std::uint32_t>(ledger_->life(freed_[i].birth).name) | 1;
    places[count++] = i;
  }
  if (count == 1) return freed_.size();
  Picker& picker = ledger_->scheduler().picker();
  const std::uint32_t choice = picker.pick_value(Site::reuse, {names.data(), count});
  const bool fresh = round_up(cursor_, alignment) + bytes <= area_.high;
  return places[choice != 0 || fresh ? choice : count - 1];
}

const Reservation* Reservations::reserve(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t unit = std::max(alignment, kGranularity);
  if (bytes > area_.high - area_.low || unit > area_.high - area_.low) return nullptr;
  const std::uint64_t given = round_up(bytes, kGranularity);
  const std::size_t old = pick_freed(given, unit);
  Reservation made;
  BirthId from = BirthId::none;
  if (old < freed_.size()) {
    made.base = freed_[old].base;
    made.given = freed_[old].given;
    from = freed_[old].birth;
    freed_.erase(freed_.begin() + static_cast<std::ptrdiff_t>(old));
  } else {
    made.base = round_up(cursor_, unit);
    made.given = given;
    if (made.base + given > area_.high) return nullptr;
    cursor_ = made.base + given;
  }
  made.bytes = bytes;
  made.process = ledger_->scheduler().process();
  made.birth = ledger_->born(kReservationKind, made.base, bytes, from);
  return &(reservations_[made.base] = made);
}

const Reservation* Reservations::find(std::uint64_t address) const {
  auto it = reservations_.upper_bound(address);
  if (it == reservations_.begin()) return nullptr;
  --it;
  return address - it->first < it->second.bytes ? &it->second : nullptr;
}

void Reservations::free(const Reservation& reservation) {
  ledger_->died(reservation.birth);
  freed_.push_back(reservation);
  reservations_.erase(reservation.base);
}

// ---- mappings ---------------------------------------------------------------------------------

Mapping* Reservations::mapping_at(std::uint64_t address) {
  auto it = mappings_.upper_bound(address);
  if (it == mappings_.begin()) return nullptr;
  --it;
  return address - it->first < it->second.bytes ? &it->second : nullptr;
}

bool Reservations::is_unmapped(std::uint64_t address, std::uint64_t bytes) const {
  const auto next = mappings_.lower_bound(address);
  if (next != mappings_.end() && next->first - address < bytes) return false;
  if (next == mappings_.begin()) return true;
  const Mapping& before = std::prev(next)->second;
  return before.base + before.bytes <= address;
}

std::vector<Mapping*> Reservations::whole_mappings(std::uint64_t address, std::uint64_t bytes) {
  std::vector<Mapping*> found;
  std::uint64_t end = address;
  for (auto it = mappings_.find(address); it != mappings_.end() && end - address < bytes; ++it) {
    if (it->first != end) break;
    found.push_back(&it->second);
    end += it->second.bytes;
  }
  if (end - address != bytes) found.clear();
  return found;
}

// ---- queries of provenance --------------------------------------------------------------------

BirthId Reservations::at(std::uint64_t address) const {
  const Reservation* reservation = find(address);
  return reservation != nullptr ? reservation->birth : BirthId::none;
}

void Reservations::lives_beside(std::uint64_t address, std::vector<BirthId>& lives) const {
  const Reservation* reservation = find(address);
  if (reservation == nullptr) return;
  lives.push_back(reservation->birth);
  const std::uint64_t end = reservation->base + reservation->given;
  for (auto it = mappings_.lower_bound(reservation->base); it != mappings_.end() && it->first < end;
       ++it)
    if (it->second.block != 0) lives.push_back(it->second.life);
}

}  // namespace harness::devices
