// SPDX-License-Identifier: Apache-2.0
// Commands: what nvcc and ptxas are asked for, as far as a stand-in has to know it.
#pragma once

#include <string>
#include <vector>

namespace harness::stand_ins {

using Arguments = std::vector<std::string>;

/// One source that is to become a cubin. Both are empty if the tool itself has to do it.
struct Wanted {
  std::string input;
  std::string output;
};

/// Reads a command line of ptxas, without its name: which file of those that it names is PTX. Any
/// other use (a version, help, PTX as an argument) is the tool's.
Wanted read_ptxas(const Arguments& arguments);

/// Reads one of nvcc. Several sources, or none, are the tool's.
Wanted read_nvcc(const Arguments& arguments);

/// Returns the command line of nvcc that makes PTX instead of a cubin.
Arguments for_ptx(const Arguments& arguments, const Wanted& wanted);

/// Returns whether a file is PTX, which says its version.
bool is_ptx(const std::string& file);

}  // namespace harness::stand_ins
