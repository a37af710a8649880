// SPDX-License-Identifier: Apache-2.0
// Shim: a script of pyenv in front of a Python interpreter. It starts some forty programs before
// the interpreter, each with our libraries, which takes longer than the runs of most scripts.
#pragma once

#include <string>
#include <vector>

#include "harness/base/process/process.h"

namespace harness::client {

/// Returns the program that the shim would start in the working folder, according to `pyenv which`;
/// "" if the name is not found, is no shim of pyenv, or pyenv has no such program.
std::string program_behind_shim(const std::string& name);

/// Returns the command with such a program in place of a shim. Asks pyenv once for each name.
/// Returns the command as it is if the environment ("NAME=value") could make pyenv choose another
/// program. Threads: any.
Command without_shim(const Command& command, const std::vector<std::string>& environment);

}  // namespace harness::client
