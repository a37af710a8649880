// SPDX-License-Identifier: Apache-2.0
// Device: executes CUDA calls behind the seam. The simulated driver, or a real one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/label.h"

namespace harness {

struct World;
struct DriverTable;

/// Ownership: a World creates its device once, and begins it again for every run.
class Device {
 public:
  virtual ~Device() = default;
  /// Forgets the previous run. The other parts of the world have begun already.
  virtual void begin(World& world) = 0;
  /// The run is over: completes or drops what is in flight, and frees what the run left behind.
  virtual void end() = 0;
  /// The functions that execute the calls.
  virtual const DriverTable& table() const = 0;
  /// True when modules are KernelImages, false when they are fatbins.
  virtual bool runs_host_kernels() const = 0;
};

struct DeviceInfo {
  Label name;
  std::string_view summary;
  /// Creates the device. Throws std::runtime_error, with one line that says what to do, if it is
  /// not available.
  Device* (*make)();
  /// Returns the source line of a program counter that a fault carries ("kernel.cu:37 sum"), or
  /// empty. Slow; for stories. Null if code addresses have no meaning on the device.
  std::string (*source_line)(std::uintptr_t code) = nullptr;
};

}  // namespace harness
