// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/run_folder.h"

#include <filesystem>

#include "harness/client/border/call_mark.h"
#include "harness/client/border/report.h"

namespace harness::client {

void RunFolder::remove_reports() const {
  for (unsigned number = 1; std::filesystem::remove(report_file(name(), number)); ++number)
    remove_call_mark(name(), number);
}

}  // namespace harness::client
