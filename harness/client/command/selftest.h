// SPDX-License-Identifier: Apache-2.0
// Selftest: the command `afterlife selftest`, which checks an installation.
#pragma once

#include <CLI/CLI.hpp>

namespace harness::entries {

struct SelfTestOptions {};

CLI::App* add_selftest(CLI::App& app, SelfTestOptions& options);

/// Runs the commands on small programs with known answers. Returns the exit code.
int selftest(const SelfTestOptions& options);

}  // namespace harness::entries
