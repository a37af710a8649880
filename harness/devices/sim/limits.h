// The limits of the simulated device, as its attributes say.
#pragma once

namespace harness::devices {

inline constexpr int kMaxThreads = 1024;           ///< Of a block.
inline constexpr int kMaxSharedBytes = 48 * 1024;  ///< Dynamic ones, of a block.
inline constexpr int kResidentThreads = 2048;      ///< Of its one multiprocessor.

}  // namespace harness::devices
