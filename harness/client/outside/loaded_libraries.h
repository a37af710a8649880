// SPDX-License-Identifier: Apache-2.0
// Loaded libraries: finds out from the loader why a program never called our driver.
#pragma once

#include <atomic>
#include <string>

#include "harness/client/outside/client.h"

namespace harness::client {

/// Returns why a program does not reach our driver, in words that follow "it". Runs it once more,
/// and reads the log of glibc's loader (LD_DEBUG, see ld.so(8)).
std::string why_not_ours(const Client& client, const std::atomic<bool>& stop);

/// Like the function above, but for a given log of the loader: `told` is the text of all its files,
/// and `is_told` is whether there were any. Exposed for its test.
std::string why_not_ours(const std::string& told, bool is_told, const std::string& library_folder);

}  // namespace harness::client
