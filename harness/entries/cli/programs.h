// Programs: the committed smallest program of each window: corpus/<path>/programs/<window>.repro.
#pragma once

#include <string>
#include <vector>

#include "harness/reproducer.h"

namespace harness::entries {

struct Program {
  std::string name;   ///< Of the file, without its ending.
  int window = -1;    ///< That the file is named after; -1 = none of the scenario's.
  Reproducer reproducer;
};

/// In the order of their names. Errors: std::runtime_error when there is no such folder, or a file of it
/// is no reproducer of this path.
std::vector<Program> read_programs(const std::string& corpus, const Scenario& scenario);

/// How many ops a tape has.
std::size_t op_count(const Tape& tape);

}  // namespace harness::entries
