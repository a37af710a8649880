// SPDX-License-Identifier: Apache-2.0
// Recorder: turns an observer's records of the interpreter's memory into evidence.
//
// It keeps a copy of each chunk of values, built from the recorded stores, because a probe reads
// the values and the observer does not receive them. Lifetime: one run.
#pragma once

#include <map>
#include <vector>

#include "scenarios/managed_dict/explain/word_watch.h"

namespace scenarios::managed_dict {

/// A reference counted where there is no object. Not evidence: it is planted in a real interpreter,
/// at the same place.
struct StrayCount {
  std::uint32_t load;   ///< Number of the attribute load that it precedes, from 1.
  harness::Label kind;  ///< Its name in tests/embedded/program.h.
};

class Recorder final : public targets::managed_dict::MemoryObserver {
 public:
  using Address = targets::managed_dict::Address;
  using BlockKind = targets::managed_dict::BlockKind;

  /// Also sets hardware watchpoints. `watch` must outlive the run.
  void use(WordWatch& watch) { watch_ = &watch; }

  void mapped(Address base, const std::byte* bytes) override;
  void began(targets::managed_dict::Version version) override { evidence_.version = version; }
  void stored(const targets::managed_dict::Store& store) override;
  void allocated(const targets::managed_dict::Allocation& allocation) override;
  void released(const targets::managed_dict::Release& release) override;
  void probed(const targets::managed_dict::Probe& probe) override;
  void loading() override { ++load_count_; }
  void crashed(const targets::managed_dict::Crash& crash) override;
  void ended(const targets::managed_dict::Counters& counters) override;

  /// Records a write that a debug register trapped: `before` and `after` are the whole word,
  /// `store.whole` is the instruction's width (0: not decoded), `begin` its first byte.
  void word_written(const targets::managed_dict::Store& store, std::int16_t begin);

  /// The same for a probe that has examined the values itself.
  void probed(const targets::managed_dict::Probe& probe, std::int32_t value_shift);

  const Evidence& evidence() const { return evidence_; }
  Evidence& evidence() { return evidence_; }
  std::uint32_t instance_count() const { return instance_count_; }
  const std::vector<StrayCount>& strays() const { return strays_; }

 private:
  /// A live block.
  struct Life : targets::managed_dict::Block {
    std::uint32_t first = 0;            ///< Offset of values[0], if it has values.
    std::uint32_t last = 0;             ///< Offset of the end of the values.
    std::vector<std::uint8_t> copy{};   ///< Its bytes, from known stores; or empty.
    std::vector<Address> last_right{};  ///< Last object to which each value pointed.
    void place_values(targets::managed_dict::Version version);
    std::size_t value_count() const;
  };

  Life* find(harness::BirthId id);
  bool is_object(Address address) const;

  void stored_in_word(const targets::managed_dict::Store& store);
  void stored_in_values(const targets::managed_dict::Store& store, Life& life);
  void note_value(const targets::managed_dict::Store& store, Life& life);
  void add(const BlockFinding& finding);
  std::int32_t value_shift(harness::BirthId chunk);
  /// Examines a chunk's values without an attribute store: when it is freed, and at the end.
  void look_at(const Life& life);

  Evidence evidence_;
  WordWatch* watch_ = nullptr;
  Order order_ = 0;
  std::uint32_t instance_count_ = 0;
  std::uint32_t load_count_ = 0;
  std::vector<StrayCount> strays_;
  std::map<harness::BirthId, Life> lives_;
  std::map<Address, harness::BirthId> by_address_;
  std::map<Address, std::uint32_t> places_;
};

}  // namespace scenarios::managed_dict
