// Selftest: `afterlife selftest`, for what was installed.
#pragma once

#include <CLI/CLI.hpp>

namespace harness::entries {

struct SelfTestOptions {};

CLI::App* add_selftest(CLI::App& app, SelfTestOptions& options);

/// Gives the commands small programs of which the answer is known. Returns the exit code.
int selftest(const SelfTestOptions& options);

}  // namespace harness::entries
