// SPDX-License-Identifier: Apache-2.0
// The limits of the simulated device, which its attributes report.
#pragma once

#include <cstdint>

namespace harness::devices {

inline constexpr std::uint64_t kMemoryBytes = std::uint64_t{16} << 30;  ///< Memory of the device.

inline constexpr int kMaxThreads = 1024;           ///< Maximum number of threads in a block.
inline constexpr int kMaxSharedBytes = 48 * 1024;  ///< Maximum dynamic shared bytes of a block.
inline constexpr int kResidentThreads = 2048;      ///< Maximum number of threads on its
                                                   ///< multiprocessor.
inline constexpr int kResidentBlocks = 32;         ///< Maximum number of blocks on its
                                                   ///< multiprocessor.
inline constexpr int kWarpThreads = 32;            ///< Threads of a warp.
inline constexpr int kMaxLaunchDepth = 24;         ///< Maximum nesting depth of launches.
inline constexpr int kMaxStackBytes = 512 * 1024;  ///< Maximum local memory of a thread.

inline constexpr int kPciDomain = 0;  ///< PCI domain, bus and device numbers.
inline constexpr int kPciBus = 1;
inline constexpr int kPciDevice = 0;

}  // namespace harness::devices
