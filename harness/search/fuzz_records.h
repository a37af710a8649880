// SPDX-License-Identifier: Apache-2.0
// Fuzz records: mutates and crosses tapes as libFuzzer holds them, by whole records of 16 bytes.
//
// A value that a byte mutator cannot guess, the hash of an activation or the name of an op, is
// copied from the choices of the last run. Every function is a pure function of its arguments,
// including the seed.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "harness/run/strategies/bytes.h"

namespace harness::entries {

static_assert(std::endian::native == std::endian::little, "records are little-endian on disk");

/// A record that belongs to no choice, and names the configuration of the input.
inline constexpr Name kConfigName = derive_name(0, hash_name("config"), 0);
inline constexpr auto kConfigTag = static_cast<std::uint16_t>(hash_name("config"));

using Records = std::vector<Decision>;

/// Parses the records. Pads an incomplete last record with zeros, like the decoder.
inline Records read_records(std::span<const std::uint8_t> bytes) {
  Records records((bytes.size() + sizeof(Decision) - 1) / sizeof(Decision), Decision{});
  if (!bytes.empty()) std::memcpy(records.data(), bytes.data(), bytes.size());
  return records;
}

/// Writes as many whole records as fit. Returns their bytes.
inline std::size_t write_records(const Records& records, std::uint8_t* bytes, std::size_t limit) {
  const std::size_t size = std::min(records.size(), limit / sizeof(Decision)) * sizeof(Decision);
  if (size > 0) std::memcpy(bytes, records.data(), size);
  return size;
}

/// Returns a record as a line of a fuzzer's dictionary.
inline std::string dictionary_entry(const Decision& record) {
  unsigned char bytes[sizeof record];
  std::memcpy(bytes, &record, sizeof record);
  std::string entry = "\"";
  for (const unsigned char byte : bytes) entry += fmt::format("\\x{:02x}", byte);
  return entry + '"';
}

/// Returns the configuration of the input: the first if it names none.
inline std::uint32_t config_of(const Records& records) {
  for (const Decision& record : records)
    if (record.activation == kConfigName) return record.value;
  return 0;
}

/// A pseudo-random generator.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(mix(0, seed)) {}
  /// Returns the next number.
  std::uint64_t roll() { return mix(state_ += 0x9e3779b97f4a7c15, 0); }
  /// Returns a number below `bound`.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(roll() % bound); }

 private:
  std::uint64_t state_;
};

/// Returns the place of a record in the program, for crossing: its slot, or a hash.
constexpr std::uint64_t place_of(const Decision& record) {
  constexpr std::uint64_t kSlots = 16;
  const bool named = (record.activation >> 62) == 2;
  return named ? mix(record.activation, 0) % kSlots : record.activation % kSlots;
}

/// Ownership: borrows `asked`: choices of the last run, each with an answer that fits.
class Mutator {
 public:
  Mutator(const Records& asked, std::uint64_t seed) : asked_(asked), dice_(seed) {}

  /// Returns a mutation of at most `limit` records. Removes some if there are more.
  Records mutate(Records records, std::size_t limit) {
    if (records.size() > limit) return shrink(std::move(records), limit);
    for (std::size_t i = 1 + dice_.below(4); i-- > 0;) change_once(records, limit);
    return records;
  }

  /// Takes the records before a random place from one parent, and those after it from the other.
  Records cross(const Records& first, const Records& second, std::size_t limit) {
    const std::uint64_t cut = dice_.below(17);
    Records child;
    for (const Decision& record : first)
      if (place_of(record) < cut) child.push_back(record);
    for (const Decision& record : second)
      if (place_of(record) >= cut) child.push_back(record);
    if (child.size() > limit) child.resize(limit);
    return child;
  }

 private:
  enum Change : std::uint8_t {
    add_asked,
    add_loose,
    config,
    remove,
    remove_slot,
    replace,
    duplicate,
    value,
    change_count
  };

  /// Removes records, for -minimize_crash.
  Records shrink(Records records, std::size_t limit) {
    if (dice_.below(2) == 0) erase_slot(records);
    while (records.size() > limit) records.erase(records.begin() + any(records));
    return records;
  }

  void change_once(Records& records, std::size_t limit) {
    const bool room = records.size() < limit;
    switch (
        static_cast<Change>(records.empty() ? dice_.below(remove) : dice_.below(change_count))) {
      case add_asked:
        if (room && !asked_.empty()) records.push_back(asked_[dice_.below(asked_.size())]);
        break;
      case add_loose:
        if (room) records.push_back(loose());
        break;
      case config:
        if (room && dice_.below(4) == 0) set_config(records);
        break;
      case remove:
        records.erase(records.begin() + any(records));
        break;
      case remove_slot:
        erase_slot(records);
        break;
      case replace:
        records[dice_.below(records.size())] =
            asked_.empty() ? loose() : asked_[dice_.below(asked_.size())];
        break;
      case duplicate:
        if (room) records.push_back(elsewhere(records[dice_.below(records.size())]));
        break;
      case value:
        change_value(records[dice_.below(records.size())]);
        break;
      case change_count:
        break;
    }
  }

  std::ptrdiff_t any(const Records& records) {
    return static_cast<std::ptrdiff_t>(dice_.below(records.size()));
  }

  void set_config(Records& records) {
    std::erase_if(records, [](const Decision& record) { return record.activation == kConfigName; });
    records.push_back({kConfigName, kConfigTag, 0, static_cast<std::uint32_t>(dice_.below(256))});
  }

  /// Names an activation by its index among those that make choices, instead of by name (see
  /// Bytes).
  Decision loose() {
    return {dice_.below(16) | (std::uint64_t{3} << 62),
            kSiteTags[dice_.below(strategies::kRunSiteCount)],
            static_cast<std::uint16_t>(dice_.below(4)), static_cast<std::uint32_t>(dice_.below(8))};
  }

  /// Returns the record with the same option, moved by one choice or one slot.
  Decision elsewhere(Decision record) {
    if (dice_.below(2) == 0 && (record.activation >> 62) != 2)
      ++record.activation;
    else
      ++record.nth;
    return record;
  }

  void change_value(Decision& record) {
    for (const Decision& known : asked_)
      if (known.activation == record.activation && known.site_tag == record.site_tag &&
          known.nth == record.nth && known.value != record.value) {
        record.value = known.value;
        return;
      }
    record.value = static_cast<std::uint32_t>(dice_.below(16));
  }

  static void erase_place(Records& records, std::uint64_t place) {
    std::erase_if(records, [&](const Decision& record) { return place_of(record) == place; });
  }
  void erase_slot(Records& records) {
    if (!records.empty()) erase_place(records, place_of(records[dice_.below(records.size())]));
  }

  const Records& asked_;
  Dice dice_;
};

}  // namespace harness::entries
