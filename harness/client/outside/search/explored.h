// SPDX-License-Identifier: Apache-2.0
// Explored: which kinds of choices the runs of a search made, and which none can make.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "harness/client/outside/client.h"

namespace harness::client {

struct Explored {
  std::set<std::string> threads;      ///< Threads that were chosen to run.
  std::set<std::uint16_t> site_tags;  ///< The kinds of all choices made.
  std::size_t process_count = 0;      ///< The largest number of calling processes in one run.
  bool has_slow_processes = false;    ///< The order of processes was chosen.
  std::string free_threads;           ///< Names threads that are not scheduled; "" if all are.

  void take(const ClientRun& run);
  bool has(Site site) const { return site_tags.contains(site_tag(site)); }
};

}  // namespace harness::client
