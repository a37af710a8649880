// SPDX-License-Identifier: Apache-2.0
// World reads: finds the reads of clocks, random numbers and the like that keep a finding from
// repeating, and the places that read them.
//
// It takes further runs of the program. It sees reads by Python and by the program's own machine
// code, but not those by libraries.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/client/outside/client.h"

namespace harness::client {

/// A place that reads.
struct WorldRead {
  std::string kind;  ///< "clock", "chance", "process", "network", "file" or "hash".
  std::string function;
  std::string file;
  int line = 0;              ///< 0 if unknown.
  std::uint64_t offset = 0;  ///< Offset in the module `file`, for machine code without a line.
  bool operator==(const WorldRead&) const = default;
};

/// The reads of a program, and the result of holding them constant.
struct WorldReads {
  std::vector<WorldRead> places;
  std::string cause;  ///< The kind with which all further replays agree; "" if there is none.
  unsigned agreed_count =
      0;  ///< Number of replays that agreed: all of them showed the fault, or none did.
  bool operator==(const WorldReads&) const = default;
};

void to_json(nlohmann::json& json, const WorldReads& reads);
void from_json(const nlohmann::json& json, WorldReads& reads);

/// Runs the program once to record its reads. Then runs it unchanged until replays have differed
/// several times, and twice as often with each kind held constant. `begin`: start of the runs that
/// may have changed files.
WorldReads look_at_reads(const Client& client, const Orders& orders, const std::string& signature,
                         std::chrono::system_clock::time_point begin,
                         const std::atomic<bool>& stop);

/// Returns the places named by the lines of a file; other lines are ignored.
std::vector<WorldRead> parse_reads(const std::string& lines);

}  // namespace harness::client
