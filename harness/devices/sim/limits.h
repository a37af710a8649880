// SPDX-License-Identifier: Apache-2.0
// The limits of the simulated device, as its attributes say.
#pragma once

#include <cstdint>

namespace harness::devices {

inline constexpr std::uint64_t kMemoryBytes = std::uint64_t{16} << 30;  ///< Memory of the device.

inline constexpr int kMaxThreads = 1024;           ///< Threads of a block, at most.
inline constexpr int kMaxSharedBytes = 48 * 1024;  ///< Dynamic bytes of a block, at most.
inline constexpr int kResidentThreads = 2048;      ///< Threads of its one multiprocessor, at most.
inline constexpr int kResidentBlocks = 32;         ///< Blocks of its multiprocessor, at most.
inline constexpr int kWarpThreads = 32;            ///< Threads that go together.
inline constexpr int kMaxLaunchDepth = 24;         ///< Launches within launches, at most.
inline constexpr int kMaxStackBytes = 512 * 1024;  ///< Local memory of a thread, at most.

inline constexpr int kPciDomain = 0;  ///< The domain, bus and slot that it is plugged into.
inline constexpr int kPciBus = 1;
inline constexpr int kPciDevice = 0;

}  // namespace harness::devices
