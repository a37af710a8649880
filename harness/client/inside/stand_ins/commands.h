// SPDX-License-Identifier: Apache-2.0
// Commands: interprets command lines of nvcc and ptxas, as far as a stand-in needs it.
#pragma once

#include <string>
#include <vector>

namespace harness::stand_ins {

using Arguments = std::vector<std::string>;

/// A source that is to become a cubin. Both are empty if the tool itself must run.
struct Wanted {
  std::string input;
  std::string output;
};

/// Parses a command line of ptxas, without its name. Finds out which of its files is PTX. All other
/// uses (a version, help, PTX as an argument) are left to the tool.
Wanted read_ptxas(const Arguments& arguments);

/// Parses one of nvcc. Several sources, or none, are left to the tool.
Wanted read_nvcc(const Arguments& arguments);

/// Returns the nvcc command that produces PTX instead of a cubin.
Arguments for_ptx(const Arguments& arguments, const Wanted& wanted);

/// Returns whether a file is PTX, which begins with its version.
bool is_ptx(const std::string& file);

}  // namespace harness::stand_ins
