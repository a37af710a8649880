// SPDX-License-Identifier: Apache-2.0
// PointerShadow: records, for every aligned 8-byte word of device memory, which object its pointer
// refers to. The value of a pointer does not show which lifetime it was meant for. The shadow shows
// it, from the copy that put the pointer there.
//
// A word's shadow is a birth id (a call copied the word in), or "stored by this launch" (a kernel
// wrote it), which is resolved from the launch's authorities when the word is read. It is only used
// while the word's value points into that lifetime, so that writers of other data need not report
// them. Ownership: owns an address range as large as the device's, of which only touched pages take
// memory. Lifetime: begin() invalidates all entries at once, by an epoch in each.
//
// Host memory that the device may access has separate words, as large as that memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "harness/base/base.h"

namespace harness::devices {

/// Addresses [low, high).
struct AddressRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool contains(std::uint64_t address) const { return address - low < high - low; }
};

/// A set of authorities, by the order of launches in the run. 0 is "none".
enum class AuthorityIndex : std::uint32_t { none = 0 };

class PointerShadow {
 public:
  /// The shadow of one word. At most one of the two is set.
  struct Entry {
    BirthId captured = BirthId::none;
    AuthorityIndex stored_by = AuthorityIndex::none;
  };

  PointerShadow() = default;
  ~PointerShadow();
  PointerShadow(const PointerShadow&) = delete;
  PointerShadow& operator=(const PointerShadow&) = delete;

  /// Begins a run, on a device whose blocks are in `range`. Below `aliases_low`, addresses that
  /// differ by a multiple of `period` are the same memory; from there on, alias() defines this.
  void begin(AddressRange range, std::uint64_t period, std::uint64_t aliases_low);
  void begin(AddressRange range) { begin(range, range.high - range.low, range.high); }

  AddressRange range() const { return range_; }
  /// Returns the smallest range that contains everything that may be pointed to: the device's
  /// memory, and included host memory.
  AddressRange hull() const { return hull_; }

  /// Makes the words at `address` the same as those at `physical`, in the first period. Sizes and
  /// addresses are multiples of kAliasBytes; `physical` is a multiple of 8.
  void alias(std::uint64_t address, std::uint64_t physical, std::uint64_t bytes);
  static constexpr std::uint64_t kAliasBytes = std::uint64_t{2} << 20;

  /// Adds host memory to the device's until the run ends. Replaces earlier ranges that overlap.
  void include(AddressRange host);
  /// Returns whether there are words for `address`.
  bool covers(std::uint64_t address) const {
    return range_.contains(address) || (!hosts_.empty() && find(address) != nullptr);
  }

  /// Returns the shadow of the word that contains `address`. Outside of the device it is empty.
  Entry get(std::uint64_t address) const {
    return range_.contains(address) ? read(words_[index(address)]) : outside(address);
  }

  void set_captured(std::uint64_t address, BirthId id) { set(address, raw(id)); }
  void set_stored(std::uint64_t address, AuthorityIndex by) { set(address, raw(by) | kStored); }

  /// Returns whether the words of all `addresses` are contiguous, like the addresses. The word of
  /// an address is then shift() bytes after it.
  bool are_in_one_piece(AddressRange addresses) const {
    return addresses.low >= range_.low && addresses.high <= std::min(aliases_low_, range_.high) &&
           addresses.high - range_.low <= period_;
  }
  std::uint64_t shift() const { return reinterpret_cast<std::uint64_t>(words_) - range_.low; }
  /// Returns the word that set_stored() writes.
  std::uint64_t stored_word(AuthorityIndex by) const {
    return std::uint64_t{epoch_} << 32 | raw(by) | kStored;
  }

  /// Copies the shadow for a copy from `source` to `target`, both in device memory.
  void carry(std::uint64_t target, std::uint64_t source, std::uint64_t bytes);

 private:
  static constexpr std::uint32_t kStored = 0x80000000;

  [[gnu::always_inline]] Entry read(std::uint64_t entry) const {
    if (entry >> 32 != epoch_) return {};
    const auto low = static_cast<std::uint32_t>(entry);
    if (low & kStored) return {.stored_by = static_cast<AuthorityIndex>(low & ~kStored)};
    return {.captured = static_cast<BirthId>(low)};
  }
  [[gnu::cold]] Entry outside(std::uint64_t address) const;

  /// The words of a range of host memory, which begins at a multiple of 8.
  class HostWords {
   public:
    explicit HostWords(AddressRange range);
    ~HostWords();
    HostWords(const HostWords&) = delete;
    HostWords& operator=(const HostWords&) = delete;

    AddressRange range() const { return range_; }
    std::uint64_t& of(std::uint64_t address) const { return words_[(address - range_.low) / 8]; }

   private:
    AddressRange range_;
    std::uint64_t* words_;
  };

  void set(std::uint64_t address, std::uint32_t low) {
    if (range_.contains(address))
      words_[index(address)] = std::uint64_t{epoch_} << 32 | low;
    else if (!hosts_.empty())
      set_raw_entry(address, std::uint64_t{epoch_} << 32 | low);
  }
  const HostWords* find(std::uint64_t address) const;
  std::uint64_t raw_entry(std::uint64_t address) const {
    return range_.contains(address) ? words_[index(address)] : host_entry(address);
  }
  std::uint64_t host_entry(std::uint64_t address) const;
  void set_raw_entry(std::uint64_t address, std::uint64_t entry);
  std::uint64_t index(std::uint64_t address) const {
    const std::uint64_t offset = address - range_.low;
    return (offset < period_ ? offset : far_offset(address)) / 8;
  }
  std::uint64_t far_offset(std::uint64_t address) const;
  void release();

  AddressRange range_;
  AddressRange hull_;
  std::uint64_t period_ = 0;
  std::uint64_t aliases_low_ = 0;
  std::vector<std::uint64_t> aliases_;  ///< Offset in the first period, for each kAliasBytes.
  std::uint64_t* words_ = nullptr;
  std::uint32_t epoch_ = 0;
  std::map<std::uint64_t, HostWords> hosts_;  ///< By end address; they do not overlap.
};

}  // namespace harness::devices
