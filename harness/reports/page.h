// SPDX-License-Identifier: Apache-2.0
// Page: one case as one static HTML page: what died, who still used it, which order is missing, and
// how to see it again.
//
// No script, no network: it works from a file. Holds neither a time nor a folder of ours: a case
// gives the same bytes everywhere. All text of the file is escaped.
#pragma once

#include <string>
#include <string_view>

#include "harness/reports/story.h"
#include "harness/reproducer.h"

namespace harness::reports {

/// The result of a replay besides its telling. Ownership: borrows all of it.
struct Replay {
  const Reproducer& recorded;   ///< Read from the file.
  std::string_view file;        ///< Named so on the command line.
  std::string_view signature;   ///< The fault that the case is about; empty if there is none.
  std::string_view difference;  ///< How the run is not as recorded; empty if it is.
  /// Choices of the file that had no question, in a sentence; or empty.
  std::string_view never_asked;
};

/// Returns the whole page; equal input gives equal bytes.
std::string page(const Telling& telling, const Replay& replay);

}  // namespace harness::reports
