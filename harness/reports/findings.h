// Findings: what a search came to, as plain values: the input of the matrix and of the JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/verdict.h"

namespace harness::reports {

struct ConfigRow {
  std::string config;
  Verdict verdict;
  std::uint64_t runs;
};

/// One cell of the matrix: a variant of a path.
struct VariantRow {
  std::string path;
  std::string variant;
  Claim claim;
  Verdict verdict;
  std::uint64_t runs;
  std::uint64_t runs_to_first_fault;  ///< 0 = no fault.
  double seconds;
  std::vector<std::string> signatures;
  std::vector<std::string> reproducers;  ///< Files, one per signature.
  std::vector<ConfigRow> configs;
};

/// Over all variants of the path that were run.
struct WindowRow {
  std::string path;
  std::string window;
  std::string summary;
  std::uint64_t reached;  ///< Runs.
  std::uint64_t caught;   ///< Faults.

  /// A window counts as protected when it was reached often and nothing came of it.
  static constexpr std::uint64_t kProtectedRuns = 1000;
  bool is_protected() const { return caught == 0 && reached >= kProtectedRuns; }
};

struct OpRow {
  std::string path;
  std::string op;
  std::uint64_t reached;  ///< Runs.
};

struct Findings {
  std::vector<VariantRow> variants;
  std::vector<WindowRow> windows;
  std::vector<OpRow> ops;
};

}  // namespace harness::reports
