// Carried: what of a process a fork would not have as the process has it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace harness::client {

/// Says what the process has that its forks would lack or share, in words that follow "it", or
/// nothing. What it has from us is left out: the pipes with these inodes, its socket, and what it
/// inherited. Threads that are about to end, as a fork has some libraries end theirs, are waited
/// for.
std::string not_carried(int process, const std::array<std::uint64_t, 2>& pipes, int socket);

}  // namespace harness::client
