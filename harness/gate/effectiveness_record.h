// SPDX-License-Identifier: Apache-2.0
// Effectiveness record: the searches of many sides as text, by which the judging of effectiveness
// is judged itself: of this program, and of builds of it in which something is worse on purpose.
//
// A line "afterlife_effectiveness 1", a line with the strategy and the limit, a line with the names
// of all windows (argpack/borrow:array_deleted), and a line for each number of a search: the
// program, the number, and for each window the run of its first fault, or "-" where there is none.
// Errors: std::runtime_error, with the name of the file and the line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/gate/effectiveness.h"

namespace harness::gate {

/// The searches of one number, one of each variant.
struct NumberedSearches {
  std::uint64_t number = 0;
  std::map<std::string, SearchSample> variants;
};

class EffectivenessRecord {
 public:
  /// Reads a record. A last line without an end was cut off and is none.
  explicit EffectivenessRecord(const std::string& file);

  /// Returns the searches of a program, in their order: "unchanged", or the name of a defect.
  const std::vector<NumberedSearches>& of(const std::string& program) const;
  /// Returns `count` of them from the one at `begin` on, as a side. Their numbers are in a row.
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
