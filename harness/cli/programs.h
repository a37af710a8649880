// SPDX-License-Identifier: Apache-2.0
// Programs: reads the corpus of a path: the smallest program of each window, in
// corpus/<path>/programs/<window>.repro, and the smallest case of each fault, in
// corpus/<path>/smallest.
#pragma once

#include <string>
#include <vector>

#include "harness/search/reproducer/reproducer.h"

namespace harness::entries {

struct Program {
  std::string name;       ///< Name of the file, without its ending.
  int window = -1;        ///< The window in the file's name; -1 = not a window of the scenario.
  Reproducer reproducer;  ///< If it records a fault, it is the smallest program for that fault.
};

/// Returns the programs in the order of their names. Errors: std::runtime_error if there is no such
/// folder, or a file in it is not a reproducer of this path.
std::vector<Program> read_programs(const std::string& corpus, const Scenario& scenario);

/// Returns the documented ordinary use of the path on the simulated device, with its config, from
/// corpus/<path>/seeds/plain. Errors: std::runtime_error if it cannot be read.
Case read_plain(const std::string& corpus, const Scenario& scenario);

/// Returns the committed smallest cases of this fault, corpus/<path>/smallest/*.repro; fewest ops
/// first. Empty if there is no such folder.
std::vector<Tape> read_smallest(const std::string& corpus, const Scenario& scenario,
                                const std::string& signature);

/// Returns the number of ops of a tape.
std::size_t op_count(const Tape& tape);
/// Returns the number of ops that two tapes have in common, by kind, regardless of the task.
std::size_t shared_ops(const Tape& a, const Tape& b);

}  // namespace harness::entries
