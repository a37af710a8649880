// SPDX-License-Identifier: Apache-2.0
// Launch: one kernel launch on the simulated device, with its copied parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/base/label.h"
#include "harness/core/scheduler/scheduler.h"
#include "harness/device_code/kernel_image.h"
#include "harness/devices/sim/kernels/pointer_shadow.h"

namespace harness::devices {

inline constexpr std::uint32_t kBlockThreadLimit = 1024;
/// Dynamic shared memory of a block, with the opt-in, on the newest devices (compute
/// capability 9.0).
inline constexpr std::uint32_t kDynamicSharedLimit = 227 << 10;

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

struct Grid;

/// The call by which a graph copied values for later use; empty if there is none.
struct CapturedAt {
  Label site;
  Name activation = 0;
};

/// Ownership: owns the copies of the parameters. Lifetime: reusable; prepare() starts again.
class Launch {
 public:
  Launch() = default;
  Launch(const Launch&) = delete;  // `pointers` point into `values`.
  Launch& operator=(const Launch&) = delete;

  /// Copies the parameter values that `parameters[i]` point at, as cuLaunchKernel does. Then call
  /// Provenance::authorise().
  void prepare(const KernelEntry& kernel, void* const* parameters);

  /// Copies the values from one buffer with the layout of KernelParameter::offset (graph nodes,
  /// `extra`).
  void prepare(const KernelEntry& kernel, const std::byte* buffer);

  /// Returns the shared memory of a block, including its static variables.
  std::uint32_t all_shared_bytes() const {
    return shared_bytes == 0 ? static_shared_bytes(*entry) : dynamic_shared(*entry) + shared_bytes;
  }
  /// Returns the size of a kernel's static variables.
  static std::uint32_t static_shared_bytes(const KernelEntry& kernel) {
    return kernel.extras != nullptr ? kernel.extras->shared_bytes : 0;
  }
  /// Returns the offset of dynamic shared memory, which follows the static variables.
  static std::uint32_t dynamic_shared(const KernelEntry& kernel) {
    constexpr std::uint32_t kAlignment = 16;
    return (static_shared_bytes(kernel) + kAlignment - 1) / kAlignment * kAlignment;
  }

  std::uint64_t block_count() const { return grid.volume(); }
  std::uint64_t thread_count() const { return block.volume(); }

  const KernelEntry* entry = nullptr;
  Dim3 grid;
  Dim3 block;
  std::uint32_t shared_bytes = 0;  ///< Dynamic shared memory of a block.
  bool is_cooperative = false;     ///< Whether its blocks may wait for each other.
  Name activation = 0;             ///< The activation in which its faults happen.
  CapturedAt captured;             ///< The call that copied its parameters, if it was not the
                                   ///< launch.
  AuthorityIndex authority = AuthorityIndex::none;
  ProcessId process = ProcessId::first;  ///< The process in whose address space it runs.

  std::vector<std::byte> values;  ///< The copied parameter buffer, aligned as operator new aligns.
  std::vector<void*>
      pointers;  ///< The argument of the kernel's entry: one into `values` per parameter.

  KernelSurroundings surroundings{};  ///< For a translated kernel: the last of `pointers` points at
                                      ///< it.

  std::shared_ptr<Grid> there;  ///< The blocks of a cooperative launch, after the first has begun.

  std::uint64_t blocks_run = 0;
  std::uint64_t slept = 0;  ///< Nanoseconds, of the thread that slept longest.

  // Their addresses represent "the launch began" and "its blocks are done" for TSan.
  char began = 0;
  char done = 0;
};

}  // namespace harness::devices
