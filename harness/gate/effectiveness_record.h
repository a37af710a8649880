// SPDX-License-Identifier: Apache-2.0
// Effectiveness record: searches of many sides as text, to judge the comparison of effectiveness
// itself: searches by this program, and by builds of it with planted defects.
//
// Format: a line "afterlife_effectiveness 1", a line with the strategy and the limit, a line with
// the names of all windows (argpack/borrow:array_deleted), and a line for each search number of a
// program: the program, the number, and for each window the run of its first fault, or "-" if there
// is none. Errors: std::runtime_error, with the name of the file and the line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/gate/effectiveness.h"

namespace harness::gate {

/// The searches with one number, one for each variant.
struct NumberedSearches {
  std::uint64_t number = 0;
  std::map<std::string, SearchSample> variants;
};

class EffectivenessRecord {
 public:
  /// Reads a record. A last line without a newline is incomplete, and ignored.
  explicit EffectivenessRecord(const std::string& file);

  /// Returns the searches of a program in order. `program`: "unchanged", or the name of a defect.
  const std::vector<NumberedSearches>& of(const std::string& program) const;
  /// Returns `count` of them, beginning at `begin`, as a side. Their numbers must be consecutive.
  SideSample side(const std::string& program, std::size_t begin, std::size_t count) const;

 private:
  void add_names(const std::vector<std::string>& words);
  bool add_searches(const std::vector<std::string>& words);

  std::string strategy_;
  std::uint64_t limit_ = 0;
  std::vector<std::pair<std::string, std::string>> windows_;  ///< Variant and window.
  std::map<std::string, std::vector<NumberedSearches>> programs_;
};

}  // namespace harness::gate
