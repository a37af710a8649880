// SPDX-License-Identifier: Apache-2.0
#include "harness/core/shared/shared.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/core/fault/kinds.h"
#include "harness/core/history/trail.h"
#include "harness/core/intervention/word_repairs.h"

namespace harness {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

/// The part of [offset, offset + bytes) that is in word `index`.
struct Part {
  std::size_t in_word;   ///< Offset in the word.
  std::size_t in_bytes;  ///< Offset in the range.
  std::size_t bytes;
};

Part part_of(std::size_t index, std::size_t offset, std::size_t bytes) {
  const std::size_t low = std::max(offset, index * kWordBytes);
  const std::size_t high = std::min(offset + bytes, (index + 1) * kWordBytes);
  return {low - index * kWordBytes, low - offset, high - low};
}

std::size_t first_word(std::size_t offset) { return offset / kWordBytes; }
std::size_t end_word(std::size_t offset, std::size_t bytes) {
  return (offset + bytes + kWordBytes - 1) / kWordBytes;
}

void take(const std::uint64_t& word, void* target, const Part& part) {
  std::memcpy(static_cast<char*>(target) + part.in_bytes,
              reinterpret_cast<const char*>(&word) + part.in_word, part.bytes);
}

void put(std::uint64_t& word, const void* source, const Part& part) {
  std::memcpy(reinterpret_cast<char*>(&word) + part.in_word,
              static_cast<const char*>(source) + part.in_bytes, part.bytes);
}

word_repairs::Accessed accessed(const SharedWords::Word& word, Label label, Label site) {
  return {&word, raw(word.generation), label, word.writer.site, site};
}

/// Waits until a word has been written for the generation that a reader expects. Without a writer,
/// the wait ends in a deadlock.
void wait_for_writer(Scheduler& scheduler, const SharedWords::Word& word, Access read,
                     Generation expected) {
  scheduler.wait_until(read, "its writer", [&] { return word.generation == expected; });
}

/// Returns the kind of the running activation, or null if it belongs to a task.
const char* user_kind(const Scheduler& scheduler, const History& history, Name activation) {
  const auto& known = history.activations();
  const auto found = std::find_if(known.begin(), known.end(), [&](const ActivationRecord& record) {
    return record.name == activation;
  });
  if (found == known.end()) return nullptr;
  for (std::size_t i = 0; i < scheduler.tasks().count(); ++i)
    if (scheduler.tasks().label(static_cast<TaskId>(i)) == found->kind) return nullptr;
  return found->kind.c_str();
}

/// Returns text such as "collective 2": the kind of the running activation (unless that is a plain
/// task), and the number in the generation's low half. The high half counts the uses of a number.
std::string in_words(Scheduler& scheduler, Generation generation) {
  if (generation == Generation::none) return "no use";
  const char* kind = user_kind(scheduler, scheduler.history(), scheduler.picker().current().name);
  const std::uint64_t number = raw(generation) & 0xffff'ffff;
  const std::uint64_t use = raw(generation) >> 32;
  const auto text = fmt::format("{} {}", kind != nullptr ? kind : "generation", number);
  return use > 1 ? fmt::format("{} in its use {}", text, use) : text;
}

/// Adds an access to a word, and its present value, to a trail.
void follow(Scheduler& scheduler, Trail::Kind kind, Label label, std::size_t index,
            std::uint64_t value) {
  Trail& trail = *Trail::current();
  trail.add({.kind = kind,
             .what = label,
             .site = scheduler.site(),
             .activation = scheduler.picker().current().name});
  trail.add(1, index);
  trail.add(2, value);
}

}  // namespace

void SharedWords::read(void* target, std::size_t offset, std::size_t bytes, Generation expected) {
  bool reported = expected == Generation::any;
  for (std::size_t i = first_word(offset); i < end_word(offset, bytes); ++i) {
    scheduler_.turn({resource(i), AccessKind::read});
    const std::uint64_t* own = nullptr;
    if (word_repairs::has_order() && expected != Generation::any &&
        word_repairs::is_ordered(accessed(words_[i], label_, scheduler_.site()), raw(expected)))
        [[unlikely]] {
      own = word_repairs::kept_by_order(&words_[i], raw(expected));
      if (own == nullptr)
        wait_for_writer(scheduler_, words_[i], {resource(i), AccessKind::read}, expected);
      word_repairs::note_ordered(words_[i].writer.site);
    }
    edge_acquire(&words_[i]);
    take(words_[i].value, target, part_of(i, offset, bytes));
    if (Trail::current() != nullptr) [[unlikely]]
      follow(scheduler_, Trail::Kind::read, label_, i, words_[i].value);
    if (reported || words_[i].generation == expected) continue;
    if (own == nullptr)
      own =
          word_repairs::kept_by_hold(accessed(words_[i], label_, scheduler_.site()), raw(expected));
    if (own != nullptr) [[unlikely]] {
      take(*own, target, part_of(i, offset, bytes));
      continue;
    }
    report_generation(i, expected);
    reported = true;
  }
}

void SharedWords::write(const void* source, std::size_t offset, std::size_t bytes,
                        Generation generation) {
  for (std::size_t i = first_word(offset); i < end_word(offset, bytes); ++i) {
    scheduler_.turn({resource(i), AccessKind::write});
    const EdgePassage passage(&words_[i]);
    word_repairs::keep(accessed(words_[i], label_, scheduler_.site()), words_[i].value);
    put(words_[i].value, source, part_of(i, offset, bytes));
    if (Trail::current() != nullptr) [[unlikely]]
      follow(scheduler_, Trail::Kind::write, label_, i, words_[i].value);
    words_[i].generation = generation;
    words_[i].writer = writer();
  }
}

void SharedWords::peek(void* target, std::size_t offset, std::size_t bytes) const {
  for (std::size_t i = first_word(offset); i < end_word(offset, bytes); ++i) {
    edge_acquire(&words_[i]);
    take(words_[i].value, target, part_of(i, offset, bytes));
  }
}

void SharedWords::poke(const void* source, std::size_t offset, std::size_t bytes) {
  for (std::size_t i = first_word(offset); i < end_word(offset, bytes); ++i) {
    const EdgePassage passage(&words_[i]);
    put(words_[i].value, source, part_of(i, offset, bytes));
    if (Trail::current() != nullptr) [[unlikely]]
      follow(scheduler_, Trail::Kind::write, label_, i, words_[i].value);
  }
}

void SharedWords::report_generation(std::size_t index, Generation expected) {
  const Word& word = words_[index];
  Fault fault;
  fault.kind = FaultKind::ghost_generation;
  fault.object_kind = label_;
  fault.birth_site = word.writer.site;
  fault.writer = word.writer;
  fault.use_site = scheduler_.site();
  fault.object = resource_;
  fault.activation = scheduler_.picker().current().name;
  fault.tick = scheduler_.now();
  fault.detail = fmt::format("word {} is of {}, where {} reads", index,
                             in_words(scheduler_, word.generation), in_words(scheduler_, expected));
  scheduler_.history().add(std::move(fault));
}

}  // namespace harness
