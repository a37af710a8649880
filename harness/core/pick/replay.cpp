// SPDX-License-Identifier: Apache-2.0
#include "harness/core/pick/replay.h"

#include <algorithm>
#include <tuple>

namespace harness {

void TapeIndex::assign(const Tape& tape) {
  clear();
  for (const Decision& decision : tape) add(decision);
}

void TapeIndex::clear() {
  count_ = 0;
  sites_ = 0;
  met_count_ = 0;
  if (++round_ != 0) return;
  std::fill(entries_.begin(), entries_.end(), Entry{});
  round_ = 1;
}

void TapeIndex::add(const Decision& decision) {
  const int site = site_of_tag(decision.site_tag);
  if (decision.value == 0 || site < 0) return;
  sites_ |= site_bit(static_cast<Site>(site));
  if (2 * (count_ + 1) > entries_.size()) grow();
  insert(
      {decision.activation, low_key(decision.site_tag, decision.nth), decision.value, round_, 0});
}

void TapeIndex::insert(Entry entry) {
  std::size_t i = place(entry.activation, entry.low_key);
  for (; entries_[i].round == round_; i = (i + 1) & mask_)
    if (entries_[i].activation == entry.activation && entries_[i].low_key == entry.low_key) return;
  entries_[i] = entry;
  ++count_;
}

bool TapeIndex::is_met(const Decision& decision) const {
  const std::uint32_t key = low_key(decision.site_tag, decision.nth);
  for (std::size_t i = place(decision.activation, key);; i = (i + 1) & mask_) {
    const Entry& entry = entries_[i];
    if (entry.round != round_) return false;
    if (entry.activation == decision.activation && entry.low_key == key)
      return entry.met_in == met_round_;
  }
}

void TapeIndex::grow() {
  std::vector<Entry> old(2 * entries_.size());
  old.swap(entries_);
  mask_ = entries_.size() - 1;
  count_ = 0;
  for (const Entry& entry : old)
    if (entry.round == round_) insert(entry);
}

Tape canonical(const Tape& tape) {
  const auto key = [&](std::size_t i) {
    return std::tuple(tape[i].activation, tape[i].site_tag, tape[i].nth);
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tape.size(); ++i)
    if (tape[i].value != 0 && site_of_tag(tape[i].site_tag) >= 0) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(key(a), a) < std::pair(key(b), b);
  });
  Tape result;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || key(order[i]) != key(order[i - 1])) result.push_back(tape[order[i]]);
  return result;
}

}  // namespace harness
