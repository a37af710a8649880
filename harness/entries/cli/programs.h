// Programs: what the corpus knows of a path: the smallest program of each window, in
// corpus/<path>/programs/<window>.repro, and the smallest case of each fault, in
// corpus/<path>/smallest.
#pragma once

#include <string>
#include <vector>

#include "harness/reproducer.h"

namespace harness::entries {

struct Program {
  std::string name;       ///< Name of the file, without its ending.
  int window = -1;        ///< That the file is named after; -1 = none of the scenario's.
  Reproducer reproducer;  ///< Where it records a fault, it is the smallest for that one.
};

/// In the order of their names. Errors: std::runtime_error when there is no such folder, or a file
/// of it is no reproducer of this path.
std::vector<Program> read_programs(const std::string& corpus, const Scenario& scenario);

/// Returns the documented ordinary use of the path on the simulated device, of
/// corpus/<path>/seeds/plain, which says for which config it is. Errors: std::runtime_error where
/// it cannot be read.
Case read_plain(const std::string& corpus, const Scenario& scenario);

/// The committed smallest cases of this fault, corpus/<path>/smallest/*.repro; fewest ops first.
/// None where there is no such folder.
std::vector<Tape> read_smallest(const std::string& corpus, const Scenario& scenario,
                                const std::string& signature);

/// How many ops a tape has.
std::size_t op_count(const Tape& tape);
/// How many ops two tapes have in common, by kind, whoever does them.
std::size_t shared_ops(const Tape& a, const Tape& b);

}  // namespace harness::entries
