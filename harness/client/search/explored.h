// SPDX-License-Identifier: Apache-2.0
// Explored: which kinds of choices the runs of a search made, and which none can make.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "harness/client/client.h"

namespace harness::client {

struct Explored {
  std::set<std::string> threads;      ///< Those that were chosen to go on.
  std::set<std::uint16_t> site_tags;  ///< The kinds of all decisions.
  std::size_t process_count = 0;      ///< The most that called the driver in a run.
  bool has_slow_processes = false;    ///< Which process goes first was chosen.
  std::string free_threads;           ///< Says which threads nothing ordered; "" where all were.

  void take(const ClientRun& run);
  bool has(Site site) const { return site_tags.contains(site_tag(site)); }
};

}  // namespace harness::client
