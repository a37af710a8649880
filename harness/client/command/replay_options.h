// SPDX-License-Identifier: Apache-2.0
// Replay options: those of `replay` and `minimize`, which take findings of `run` as well as
// reproducers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace harness::entries {

struct ReplayOptions {
  std::vector<std::string> files;   ///< Folders stand for the reproducers in them.
  std::string html;                 ///< File of the page; "" = none.
  std::string trace;                ///< File of the Perfetto trace; "" = none.
  std::string sarif;                ///< File of the SARIF 2.1.0 log; "" = none.
  std::optional<std::size_t> step;  ///< The step whose code is printed, with `steps`.
  std::string steps;                ///< File of the steps; "" = none.
  bool why = false;                 ///< Find the smallest repair, and print what is missing.
  bool trust = false;               ///< Start the command of a finding, regardless of its author.
  bool gdb = false;                 ///< Stop in gdb where the fault is reported.
  bool json = false;
};

struct MinimizeOptions {
  std::string file;
  std::string out;       ///< "" = beside the file, "found.min.repro" of "found.repro".
  std::string programs;  ///< The corpus to compare with; "" = corpus, if it is there.
  bool trust = false;    ///< Start the command of a finding, regardless of its author.
  bool json = false;
};

}  // namespace harness::entries
