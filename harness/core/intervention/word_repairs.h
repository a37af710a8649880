// SPDX-License-Identifier: Apache-2.0
// Word repairs: the effect of a run's repair, a hold or an order, on a word of shared memory. None
// of these functions waits.
#pragma once

#include <cstdint>

#include "harness/base/label.h"
#include "harness/core/intervention/intervention.h"
#include "harness/core/intervention/order.h"

namespace harness::word_repairs {

/// A word that is accessed: its identity, its generation, and the site that wrote it last.
struct Accessed {
  const void* word;
  std::uint64_t generation;
  Label label;  ///< The kind of memory.
  Label writer;
  Label site;  ///< The site of the access.
};

/// Keeps the value of a word that is about to be overwritten, if a repair needs it.
inline void keep(const Accessed& accessed, std::uint64_t value) {
  Intervention* hold = Intervention::current();
  if (hold != nullptr && hold->wants(accessed.label, accessed.writer, accessed.site)) [[unlikely]]
    hold->keep_word(accessed.word, accessed.generation, value);
  Order* order = Order::current();
  if (order != nullptr && order->is_of_all()) [[unlikely]]
    order->words().keep(accessed.word, accessed.generation, value);
}

/// Returns whether the run has an order; most runs have none.
inline bool has_order() { return Order::current() != nullptr; }

/// Returns whether the run's order lets a reader of `generation` read only after its writer.
inline bool is_ordered(const Accessed& accessed, std::uint64_t generation) {
  return accessed.generation != generation &&
         Order::current()->delays(accessed.label, accessed.site);
}

/// Returns the value that the run's order has kept of `generation`, or null.
inline const std::uint64_t* kept_by_order(const void* word, std::uint64_t generation) {
  return Order::current()->words().find(word, generation);
}

/// Notes that the run's order has been applied to a read, after `writer`.
inline void note_ordered(Label writer) { Order::current()->kept(writer); }

/// Returns the value of `generation` that a hold has kept for this reader, or null.
inline const std::uint64_t* kept_by_hold(const Accessed& accessed, std::uint64_t generation) {
  Intervention* hold = Intervention::current();
  return hold != nullptr ? hold->word(accessed.word, generation, accessed.site) : nullptr;
}

}  // namespace harness::word_repairs
