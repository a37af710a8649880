// SPDX-License-Identifier: Apache-2.0
// fuzz: searches for faults, and compares each claim with the result.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace harness::entries {

struct FuzzOptions {
  std::string target;      ///< "", "path" or "path/variant".
  double seconds = 0;      ///< Seconds in all; 0 = until `runs`.
  std::uint64_t runs = 0;  ///< Runs of each variant; 0 = until `seconds`.
  std::uint64_t seed = 1;
  std::string strategy = "random_walk";
  std::string device = "sim";
  std::string config;
  std::string window;  ///< Only faults in this window count; "" = all do.
  std::string out = "results/found";
  bool first = false;        ///< Stop each variant at its first fault, and do not minimize it.
  bool no_failures = false;  ///< Inject no errors.
  bool full = false;         ///< Print all tables, regardless of the number of variants.
  bool json = false;
};

/// Runs the command and returns its exit code.
int fuzz(const FuzzOptions& options);

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_fuzz(CLI::App& app, FuzzOptions& options);

}  // namespace harness::entries
