// SPDX-License-Identifier: Apache-2.0
// Replay: makes the choices of a tape. If the tape has none, or one that does not fit, the default
// is used.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/pick/pick.h"

namespace harness {

/// A tape prepared for look-up. Of two entries for one choice, the first counts; tags without a
/// site have no effect. Ownership: owns a copy of the entries, in buffers that are reused.
class TapeIndex {
 public:
  /// Replaces the choices by those of `tape`.
  void assign(const Tape& tape);
  /// Adds an entry, unless the choice has one already.
  void add(const Decision& decision);
  /// Forgets all choices.
  void clear();

  /// Returns the value on the tape, or 0 if there is none. Constant time.
  std::uint32_t value(Name activation, Site site, std::uint16_t nth) {
    if ((sites_ & site_bit(site)) == 0) return 0;
    const std::uint32_t key = low_key(site_tag(site), nth);
    for (std::size_t i = place(activation, key);; i = (i + 1) & mask_) {
      Entry& entry = entries_[i];
      if (entry.round != round_) return 0;
      if (entry.activation != activation || entry.low_key != key) continue;
      if (entry.met_in != met_round_) meet(entry);
      return entry.value;
    }
  }

  /// Returns the sites that occur on the tape: most programs have no schedule choices.
  Sites sites() const { return sites_; }
  bool empty() const { return count_ == 0; }  ///< Returns whether every choice is the default.
  /// Resets which choices were looked up.
  void begin_run() {
    ++met_round_;
    met_count_ = 0;
  }
  /// Returns the number of entries whose choice came up since begin_run().
  std::size_t met_count() const { return met_count_; }
  /// Returns whether the choice of this entry came up.
  bool is_met(const Decision& decision) const;

 private:
  struct Entry {
    Name activation = 0;
    std::uint32_t low_key = 0;
    std::uint32_t value = 0;
    std::uint32_t round = 0;   ///< The entry is empty unless this is round_, so that clear()
                               ///< touches no entry.
    std::uint32_t met_in = 0;  ///< The last run in which it came up.
  };

  static std::uint32_t low_key(std::uint16_t tag, std::uint16_t nth) {
    return std::uint32_t{tag} << 16 | nth;
  }
  std::size_t place(Name activation, std::uint32_t key) const {
    const std::uint64_t spread = (activation ^ key * 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    return (spread >> 32) & mask_;
  }
  void meet(Entry& entry) {
    entry.met_in = met_round_;
    ++met_count_;
  }
  void grow();
  void insert(Entry entry);

  std::vector<Entry> entries_ = std::vector<Entry>(64);
  std::size_t mask_ = 63;
  std::size_t count_ = 0;
  Sites sites_ = 0;
  std::uint32_t round_ = 1;
  std::uint32_t met_round_ = 1;
  std::size_t met_count_ = 0;
};

class Replay : public Strategy {
 public:
  Replay() = default;
  explicit Replay(const Tape& tape) { assign(tape); }

  /// Sets the tape to replay.
  void assign(const Tape& tape) { index_.assign(tape); }
  void begin() override { index_.begin_run(); }
  Sites silent() const override { return ~index_.sites(); }
  std::uint32_t answer(const Question& question) override {
    const std::uint32_t value = index_.value(question.activation, question.site, question.nth);
    return value == 0 ? 0 : question.index(value);
  }

  /// Returns the number of entries whose choice came up in the last run.
  std::size_t met_count() const { return index_.met_count(); }
  /// Returns whether the choice of `decision` came up in the last run.
  bool is_met(const Decision& decision) const { return index_.is_met(decision); }

 private:
  TapeIndex index_;
};

/// Returns the tape in the order of keys, without entries that have no effect: defaults, repeated
/// keys, tags without a site. Two equivalent tapes have the same canonical form.
Tape canonical(const Tape& tape);

}  // namespace harness
