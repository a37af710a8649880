// SPDX-License-Identifier: Apache-2.0
// Order: a repair of a run in which one act waits until another is done. The read of a shared word
// waits for its writer, or device work for work that was submitted before it, as if an event had
// been recorded and waited for. Acts are named by their sites, work by its kernel. If all acts on
// words are ordered, a word is also not overwritten before its readers have read it: a late reader
// gets the kept value.
//
// The order of whole tasks is the work of a strategy (triage/held_up.h). In a run with such an
// order, schedule choices also offer slow or held-up tasks, which are not options otherwise.
//
// Lifetime: one run, while a Current of it exists. Most runs have none, and only compare a pointer
// with null when a word is read or work is submitted. Threads: the run's thread.
#pragma once

#include <cstdint>
#include <utility>

#include "harness/base/label.h"
#include "harness/core/intervention/kept_words.h"

namespace harness {

class Order {
 public:
  /// Makes `late` wait until `early` is done with `object`. An empty label matches any.
  Order(Label object, Label late, Label early) : object_(object), late_(late), early_(early) {}
  /// Leaves the order of tasks to the strategy.
  Order() : is_of_tasks_(true) {}
  Order(const Order&) = delete;  // A run points at it.
  Order& operator=(const Order&) = delete;

  /// Returns the order of the current run, or null, as in most runs.
  static Order* current() { return current_; }
  /// Returns whether the strategy of the run orders tasks.
  static bool is_of_tasks() { return current_ != nullptr && current_->is_of_tasks_; }

  /// Applies an order to the runs of this thread while it exists.
  class Current {
   public:
    explicit Current(Order& order) : previous_(std::exchange(current_, &order)) {}
    ~Current() { current_ = previous_; }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    Order* previous_;
  };

  /// Returns whether an act on an object has to wait for the other one.
  bool delays(Label object, Label act) const {
    return !is_of_tasks_ && fits(object_, object) && fits(late_, act);
  }
  /// Returns whether all acts on an object are ordered.
  bool is_of_all() const { return !is_of_tasks_ && late_.empty() && early_.empty(); }
  KeptWords& words() { return words_; }  ///< Overwritten words.
  Label late() const { return late_; }
  Label early() const { return early_; }

  /// Notes that an act has waited for `by`. Does not count if `by` is not the early act.
  void kept(Label by) {
    if (!fits(early_, by)) return;
    by_ = by;
    ++kept_count_;
  }
  /// Returns the number of acts that have waited.
  std::uint64_t kept_count() const { return kept_count_; }
  /// Returns the act that the last of them waited for.
  Label by() const { return by_; }

 private:
  static bool fits(Label wanted, Label found) { return wanted.empty() || wanted == found; }

  Label object_;
  Label late_;
  Label early_;
  Label by_;
  std::uint64_t kept_count_ = 0;
  bool is_of_tasks_ = false;
  KeptWords words_;

  static inline constinit thread_local Order* current_ = nullptr;
};

}  // namespace harness
