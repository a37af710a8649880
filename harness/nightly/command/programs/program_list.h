// SPDX-License-Identifier: Apache-2.0
// Program list: the programs of a night, read from a TOML file of the user.
//
//     [[program]]
//     name = "server"                # findings are named after it
//     command = ["./server", "-q"]   # a word each
//     folder = "build"               # relative to the list's folder, which is the default
//     seconds = 60                   # or runs = 500; the night's length is divided by these
//     timeout = 60
//     jobs = 1
//     failures = false
//     forced = false
//     suppressions = "known.txt"     # relative to the list's folder
//     environment = {OMP_NUM_THREADS = "1"}
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/process/process.h"

namespace harness::entries {

/// Its command is started because a list or the command line contains it, never because of a
/// history.
struct NightProgram {
  std::string name;
  Command command;
  std::string folder;      ///< Its working folder.
  std::uint64_t runs = 0;  ///< Exactly one of `runs` and `seconds` is not 0.
  double seconds = 0;
  double timeout_seconds = 60;  ///< Time limit of one run.
  unsigned jobs = 1;            ///< Number of concurrent runs.
  bool failures = false;
  bool forced = false;
  std::string suppressions;              ///< File of suppressions; "" = none.
  std::vector<std::string> environment;  ///< "NAME=value", each replacing a variable of that name.
};

/// Reads a list; "" = none. Errors: std::runtime_error with one line that names the file and, if
/// known, the line.
std::vector<NightProgram> read_programs(const std::string& file);

/// Returns the program of this name. Errors: std::runtime_error if the list has none.
const NightProgram& program_named(std::span<const NightProgram> programs, const std::string& name);

}  // namespace harness::entries
