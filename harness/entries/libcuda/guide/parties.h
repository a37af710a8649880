// SPDX-License-Identifier: Apache-2.0
// Parties: the calls that take part in a fault, with their places, threads and streams; and choices
// in words.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "harness/client/report.h"
#include "harness/entries/libcuda/free_threads.h"
#include "harness/entries/libcuda/guide/askers.h"
#include "harness/entries/libcuda/guide/event_waits.h"
#include "harness/entries/libcuda/python/threads.h"
#include "harness/world.h"

namespace harness::entries {

/// Threads: for code that has the driver. Lifetime: borrows who knows of calls and of threads.
class Parties {
 public:
  Parties(const Askers& askers, const PythonThreads& threads, const FreeThreads& free_threads)
      : askers_(askers), threads_(threads), free_threads_(free_threads) {}

  /// Hears of the call that has passed.
  void passed(const World& world) { waits_.passed(world); }

  /// Notes where a call, or what is forced before one, is in the program.
  void note(Name activation, client::Place place) { places_[activation] = std::move(place); }
  /// Adds to the place of a function's call where that function was handed over, by this
  /// activation.
  void add_cause(client::Place& place, Name cause) const {
    const client::Place& handed_over = place_of(cause);
    place.insert(place.end(), handed_over.begin(), handed_over.end());
  }
  /// Notes a call of another process, which has reported it.
  void note_elsewhere(client::Party party) { elsewhere_[party.call] = std::move(party); }
  /// From now on parties say which process they are of; this one has these words.
  void name_process(std::string words) { process_ = std::move(words); }
  /// Returns the party for a call of this process, or for its work.
  client::Party told_elsewhere(const World& world, std::string_view site,
                               const Fault::Source& source) const {
    return party_of_use(world, site, source);
  }
  /// Returns the place of the call that caused an activation; empty if it was not recorded.
  const client::Place& place_of(Name activation) const;
  /// Returns the program's name of the thread, or its number, if it has several.
  std::string thread_of(Name activation) const;
  /// Returns whether the thread of this number is the one that started the first other one of
  /// Python's.
  bool is_first_of_python(std::size_t thread) const;
  /// Fills in the parties of a fault. `locates`: places were noted.
  void find(const World& world, const Fault& fault, bool locates, client::ToldFault& told) const;

  /// Returns a choice in words.
  client::ToldDecision told(const Decision& decision) const;

 private:
  /// Fills in the wait that was meant to order two uses.
  void find_wait(const World& world, const Fault::Source& first, const Fault::Source& second,
                 client::ToldFault& told) const;
  std::string answer_of(const Decision& decision, const Asker* asker) const;
  client::Party party(std::string_view site, Name activation) const;
  client::Party party_of_use(const World& world, std::string_view site,
                             const Fault::Source& source) const;

  const Askers& askers_;
  const PythonThreads& threads_;
  const FreeThreads& free_threads_;
  EventWaits waits_;
  std::string process_;  ///< Empty while it shares nothing with others.
  std::unordered_map<Name, client::Party>
      elsewhere_;                                   ///< Calls of other processes, by their names.
  std::unordered_map<Name, client::Place> places_;  ///< Those of calls, by their names.
};

}  // namespace harness::entries
