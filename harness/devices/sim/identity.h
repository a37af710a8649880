// SPDX-License-Identifier: Apache-2.0
// Identity: the name, UUID and PCI address of the simulated device. CUDA and NVML report the same.
#pragma once

#include <cstdint>
#include <cstdio>

#include "harness/devices/sim/limits.h"

namespace harness::devices {

inline constexpr char kDeviceName[] = "Afterlife simulated device";
/// A UUID of version 8, whose bytes are vendor-specific: "afterlife sim" and the device's number.
inline constexpr unsigned char kUuid[16] = {'a',  'f', 't', 'e', 'r', 'l', 0x81, 'i',
                                            0x8f, 'e', '-', 's', 'i', 'm', 0,    0};

enum class PciPlace : std::uint8_t { none, other, own };

/// Parses a PCI address: domain:bus:device.function, domain:bus:device or bus:device.function.
inline PciPlace read_pci_place(const char* text) {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned slot = 0;
  unsigned function = 0;
  if (std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
    domain = function = 0;
    if (std::sscanf(text, "%x:%x.%x", &bus, &slot, &function) != 3) return PciPlace::none;
  }
  const bool is_own = domain == kPciDomain && bus == kPciBus && slot == kPciDevice && function == 0;
  return is_own ? PciPlace::own : PciPlace::other;
}

}  // namespace harness::devices
