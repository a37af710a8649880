// SPDX-License-Identifier: Apache-2.0
// Program list: the programs of a night, as the TOML that the user names has them.
//
//     [[program]]
//     name = "server"                # plain: a finding's name is made of it
//     command = ["./server", "-q"]   # a word each
//     folder = "build"               # from the list's folder, which it is where it is left out
//     seconds = 60                   # or runs = 500; the night's length is shared out by these
//     timeout = 60
//     jobs = 1
//     failures = false
//     forced = false
//     suppressions = "known.txt"     # from the list's folder
//     environment = {OMP_NUM_THREADS = "1"}
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/process/process.h"

namespace harness::entries {

/// A command is started because a list, or the command line, has it; never because a history does.
struct NightProgram {
  std::string name;
  Command command;
  std::string folder;      ///< Where it is started.
  std::uint64_t runs = 0;  ///< One of the two is 0.
  double seconds = 0;
  double timeout_seconds = 60;  ///< One run.
  unsigned jobs = 1;            ///< Runs at a time.
  bool failures = false;
  bool forced = false;
  std::string suppressions;              ///< A file, or "".
  std::vector<std::string> environment;  ///< "NAME=value", each in place of what has the name.
};

/// Reads a list; with "" there are none. Errors: std::runtime_error with one line that names the
/// file and, where it can, the line.
std::vector<NightProgram> read_programs(const std::string& file);

/// Returns the program of this name. Errors: std::runtime_error if the list has none.
const NightProgram& program_named(std::span<const NightProgram> programs, const std::string& name);

}  // namespace harness::entries
