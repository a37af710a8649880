// SPDX-License-Identifier: Apache-2.0
// Carried: finds state of a process that a fork would lose or share.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace harness::client {

/// Returns that state in words that follow "it", or nothing. Our pipes (with these inodes), our
/// socket and inherited files do not count. Waits for threads that are about to end, such as those
/// that some libraries end before a fork.
std::string not_carried(int process, const std::array<std::uint64_t, 2>& pipes, int socket);

}  // namespace harness::client
