// SPDX-License-Identifier: Apache-2.0
// Order: a repair that a run is given, in which one act waits until another is done: the read of a
// shared word for its writer, and device work for work that was submitted before it, as if an event
// had been recorded and waited for. Acts are named by their sites, work by its kernel. If all that
// is done with words is in order, a word is not written over before its readers have read it,
// either: code that comes later reads what it was for them.
//
// Whole tasks are put in order by code that answers schedule questions (triage/held_up.h): in a run
// with an order these also offer tasks that are slow or held up, which else are no option.
//
// Lifetime: for one run, in which a Current of it lives. Most runs have none, and compare no more
// than a null pointer where a word is read or work submitted. Threads: the run's thread.
#pragma once

#include <cstdint>
#include <utility>

#include "harness/intervention/kept_words.h"
#include "harness/label.h"

namespace harness {

class Order {
 public:
  /// Has `late` wait until `early` is done with `object`. An empty label stands for any.
  Order(Label object, Label late, Label early) : object_(object), late_(late), early_(early) {}
  /// Leaves it to the strategy to put tasks in order.
  Order() : is_of_tasks_(true) {}
  Order(const Order&) = delete;  // A run points at it.
  Order& operator=(const Order&) = delete;

  /// Returns that of the run under way, or null, as in most runs.
  static Order* current() { return current_; }
  /// Returns whether the strategy of the run puts tasks in order.
  static bool is_of_tasks() { return current_ != nullptr && current_->is_of_tasks_; }

  /// Gives an order to the runs of this thread, for as long as it lives.
  class Current {
   public:
    explicit Current(Order& order) : previous_(std::exchange(current_, &order)) {}
    ~Current() { current_ = previous_; }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    Order* previous_;
  };

  /// Returns whether an act on a thing has to wait for the other one.
  bool delays(Label object, Label act) const {
    return !is_of_tasks_ && fits(object_, object) && fits(late_, act);
  }
  /// Returns whether whatever is done with a thing comes in order.
  bool is_of_all() const { return !is_of_tasks_ && late_.empty() && early_.empty(); }
  KeptWords& words() { return words_; }  ///< Those that were written over.
  Label late() const { return late_; }
  Label early() const { return early_; }

  /// An act has waited, and `by` was done before it. What was done by anything else is not order.
  void kept(Label by) {
    if (!fits(early_, by)) return;
    by_ = by;
    ++kept_count_;
  }
  /// Returns how many acts have waited.
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
