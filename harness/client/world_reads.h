// World reads: what a program reads that differs from run to run, where a finding of it does not
// repeat: which places read it, and which kind of it makes the difference.
//
// It takes further runs of the program. Reads of Python's are seen, and those of the program's own
// machine code; where its libraries read the world nobody sees.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/client/client.h"

namespace harness::client {

/// A place that reads.
struct WorldRead {
  std::string kind;  ///< "clock", "chance", "process", "network", "file" or "hash".
  std::string function;
  std::string file;
  int line = 0;              ///< 0 where it is not known.
  std::uint64_t offset = 0;  ///< In the module `file`, where it is machine code without a line.
  bool operator==(const WorldRead&) const = default;
};

/// A program's reads, and what was learned when they were held still.
struct WorldReads {
  std::vector<WorldRead> places;
  std::string cause;  ///< The kind with which all further replays agree; "" where there is none.
  unsigned agreed_count =
      0;  ///< So many replays agreed then, all of them showing the fault or none.
  bool operator==(const WorldReads&) const = default;
};

/// Runs it once more to see what it reads, then as it is until replays differ again and again, and
/// then twice as often with each kind held still that can be. Runs of the program have changed
/// files since `begin`.
WorldReads look_at_reads(const Client& client, const Orders& orders, const std::string& signature,
                         std::chrono::system_clock::time_point begin,
                         const std::atomic<bool>& stop);

/// Returns the places that the lines of a file name, those that are no such line left out.
std::vector<WorldRead> parse_reads(const std::string& lines);

}  // namespace harness::client
