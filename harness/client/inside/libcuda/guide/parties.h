// SPDX-License-Identifier: Apache-2.0
// Parties: the calls that take part in a fault, with their places, threads and streams; and choices
// in words.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "harness/client/border/orders.h"
#include "harness/client/border/report.h"
#include "harness/client/inside/libcuda/free_threads.h"
#include "harness/client/inside/libcuda/guide/askers.h"
#include "harness/client/inside/libcuda/guide/event_waits.h"
#include "harness/client/inside/libcuda/python/threads.h"
#include "harness/core/world.h"

namespace harness::entries {

/// Threads: requires the driver. Lifetime: borrows all its arguments.
class Parties {
 public:
  Parties(const Askers& askers, const PythonThreads& threads, const FreeThreads& free_threads)
      : askers_(askers), threads_(threads), free_threads_(free_threads) {}

  /// Takes the waits of a finished call.
  void passed(const World& world) { waits_.passed(world); }

  /// Notes the place of a call, or of a forced choice before one, in the program.
  void note(Name activation, client::Place place) { places_[activation] = std::move(place); }
  /// Appends the place at which a host function was passed to the driver, by the activation
  /// `cause`.
  void add_cause(client::Place& place, Name cause) const {
    const client::Place& handed_over = place_of(cause);
    place.insert(place.end(), handed_over.begin(), handed_over.end());
  }
  /// Notes a call of another process, as that process reported it.
  void note_elsewhere(client::Party party) { elsewhere_[party.call] = std::move(party); }
  /// Returns whether the repair under trial changes this call.
  bool is_tried(const client::Trial& trial, client::Trial::Kind how, Name call) const;
  /// Notes that a call returned an error.
  void failed(Name call, const std::string& error) { waits_.failed(call, error); }
  /// Names the process in parties from then on. `words`: this process.
  void name_process(std::string words) { process_ = std::move(words); }
  /// Returns the party for a call of this process or its work, for other processes.
  client::Party told_elsewhere(const World& world, std::string_view site,
                               const Fault::Source& source) const {
    return party_of_use(world, site, source);
  }
  /// Returns the place of the call from which an activation originates; empty if it was not
  /// recorded.
  const client::Place& place_of(Name activation) const;
  /// Returns the program's name of the thread, or its number; "" if there is only one thread.
  std::string thread_of(Name activation) const;
  /// Returns whether the thread with this number is the one that started the first other Python
  /// thread.
  bool is_first_of_python(std::size_t thread) const;
  /// Returns the call that began a lifetime.
  client::Party birth_of(const Life& life) const {
    return party(life.birth_site.view(), life.birth_activation);
  }
  /// Fills in the parties of a fault. `locates`: places were recorded.
  void find(const World& world, const Fault& fault, bool locates, client::ToldFault& told) const;

  /// Returns a choice in words.
  client::ToldDecision told(const Decision& decision) const;

 private:
  /// Fills in the wait that was meant to order two uses.
  void find_wait(const World& world, const Fault::Source& first, const Fault::Source& second,
                 client::ToldFault& told) const;
  bool is_reversed(const Fault::Source& first, const Fault::Source& second) const;
  std::string answer_of(const Decision& decision, const Asker* asker) const;
  client::Party party(std::string_view site, Name activation) const;
  client::Party party_of_use(const World& world, std::string_view site,
                             const Fault::Source& source) const;

  const Askers& askers_;
  const PythonThreads& threads_;
  const FreeThreads& free_threads_;
  EventWaits waits_;
  std::string process_;  ///< "" while nothing is shared with other processes.
  std::unordered_map<Name, client::Party> elsewhere_;  ///< Calls of other processes, by name.
  std::unordered_map<Name, client::Place> places_;     ///< Places of calls, by name.
};

}  // namespace harness::entries
