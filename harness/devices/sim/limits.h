// The limits of the simulated device, as its attributes say.
#pragma once

namespace harness::devices {

inline constexpr int kMaxThreads = 1024;           ///< Threads of a block, at most.
inline constexpr int kMaxSharedBytes = 48 * 1024;  ///< Dynamic bytes of a block, at most.
inline constexpr int kResidentThreads = 2048;      ///< Threads of its one multiprocessor, at most.

}  // namespace harness::devices
