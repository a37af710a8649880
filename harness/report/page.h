// SPDX-License-Identifier: Apache-2.0
// Page: a case as a static HTML page: the object that died, the use after its end, the missing
// order, and the command to replay it.
//
// No script, no network: it works from a file. It has no time and no folder of ours: a case gives
// the same bytes on all machines. All text from the file is escaped.
#pragma once

#include <string>
#include <string_view>

#include "harness/report/story.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness::reports {

/// The result of a replay in addition to its story. Ownership: borrows all of it.
struct Replay {
  const Reproducer& recorded;   ///< Read from the file.
  std::string_view file;        ///< Its name on the command line.
  std::string_view signature;   ///< The fault of the case; "" if there is none.
  std::string_view difference;  ///< How the run differs from the record; "" if it does not.
  /// A sentence about choices of the file that were never made; or "".
  std::string_view never_asked;
};

/// Returns the whole page; equal input gives equal bytes.
std::string page(const Telling& telling, const Replay& replay);

}  // namespace harness::reports
