// KernelImage: what a kernel.cu, compiled for the host, exports. The host's answer to a fatbin: it
// is what cuModuleLoadData takes on the simulated device. Plain data, so that it crosses a shared
// library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace harness {

inline constexpr std::uint64_t kKernelImageMagic = 0x414645524c494645;  // "AFERLIFE"

/// The operation of a kernel's atomic, for the one function that does them all.
enum class AtomicOp : std::uint8_t {
  add,
  add_float,
  exchange,
  compare_exchange,
  min_signed,
  min_unsigned,
  max_signed,
  max_unsigned,
  bit_and,
  bit_or,
  bit_xor,
};

struct KernelParameter {
  std::uint32_t offset;  ///< In the parameter buffer, as nvcc lays it out.
  std::uint32_t bytes;
};

struct KernelEntry {
  const char* name;
  /// Runs one thread of the kernel. `parameters[i]` points at the copied value of parameter i.
  void (*call)(void* const* parameters);
  const KernelParameter* parameters;
  std::uint32_t parameter_count;
  std::uint32_t parameter_bytes;
};

struct KernelImage {
  std::uint64_t magic;
  const char* path;
  const KernelEntry* entries;
  std::uint32_t entry_count;
};

}  // namespace harness
