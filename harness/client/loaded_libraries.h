// Loaded libraries: what the loader of a program says of it, where our driver was never called: why
// ours was not.
#pragma once

#include <atomic>
#include <string>

#include "harness/client/client.h"

namespace harness::client {

/// Says why a program does not reach our driver, in words that follow "it". Runs it once more, with
/// glibc's loader telling what it loads (LD_DEBUG, see ld.so(8)).
std::string why_not_ours(const Client& client, const std::atomic<bool>& stop);

/// Returns the same of what the loader told. `told` has all files' lines; `is_told` is whether
/// there was a file. Exposed for its test.
std::string why_not_ours(const std::string& told, bool is_told, const std::string& library_folder);

}  // namespace harness::client
