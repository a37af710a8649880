// SPDX-License-Identifier: Apache-2.0
// One kernel per kind of access. Each touches `memory` in one line, which the tests find by its
// mark and expect in the fault when `memory` is stale. `out` is always alive.
#include "harness/devices/sim/kernel.h"

struct Record {
  std::uint32_t words[12];
};

extern "C" __global__ void load_1(const std::uint8_t* memory, std::uint8_t* out) {
  *out = *memory;  // stale: load_1
}

extern "C" __global__ void load_2(const std::uint16_t* memory, std::uint16_t* out) {
  *out = *memory;  // stale: load_2
}

extern "C" __global__ void load_4(const std::uint32_t* memory, std::uint32_t* out) {
  *out = *memory;  // stale: load_4
}

extern "C" __global__ void load_8(const std::uint64_t* memory, std::uint64_t* out) {
  *out = *memory;  // stale: load_8
}

extern "C" __global__ void load_16(const uint4* memory, uint4* out) {
  *out = *memory;  // stale: load_16
}

extern "C" __global__ void load_32(const ulonglong4_32a* memory, ulonglong4_32a* out) {
  *out = *memory;  // stale: load_32
}

extern "C" __global__ void store_1(std::uint8_t* memory, std::uint8_t*) {
  *memory = 1;  // stale: store_1
}

extern "C" __global__ void store_2(std::uint16_t* memory, std::uint16_t*) {
  *memory = 1;  // stale: store_2
}

extern "C" __global__ void store_4(std::uint32_t* memory, std::uint32_t*) {
  *memory = 1;  // stale: store_4
}

extern "C" __global__ void store_8(std::uint64_t* memory, std::uint64_t*) {
  *memory = 1;  // stale: store_8
}

extern "C" __global__ void store_16(uint4* memory, const uint4* out) {
  const uint4 value = *out;
  *memory = value;  // stale: store_16
}

extern "C" __global__ void store_32(ulonglong4_32a* memory, const ulonglong4_32a* out) {
  const ulonglong4_32a value = *out;
  *memory = value;  // stale: store_32
}

extern "C" __global__ void atomic_4(std::uint32_t* memory, std::uint32_t* out) {
  const std::uint32_t old = atomicAdd(memory, 5u);  // stale: atomic_4
  *out = old;
}

extern "C" __global__ void atomic_8(unsigned long long* memory, unsigned long long* out) {
  const unsigned long long old = atomicCAS(memory, 0ull, 5ull);  // stale: atomic_8
  *out = old;
}

extern "C" __global__ void atomic_float(float* memory, float* out) {
  const float old = atomicAdd(memory, 0.5f);  // stale: atomic_float
  *out = old;
}

extern "C" __global__ void read_modify_write(std::uint32_t* memory, std::uint32_t*) {
  *memory += 3;  // stale: read_modify_write
}

extern "C" __global__ void copy_struct_from(const Record* memory, Record* out) {
  *out = *memory;  // stale: copy_struct_from
}

extern "C" __global__ void copy_struct_to(Record* memory, const Record* out) {
  *memory = *out;  // stale: copy_struct_to
}

extern "C" __global__ void set_bytes(std::uint8_t* memory, std::uint8_t*) {
  memset(memory, 7, 48);  // stale: set_bytes
}

extern "C" __global__ void set_by_loop(std::uint32_t* memory, std::uint32_t*) {
  for (int i = 0; i < 12; ++i) memory[i] = 0;  // stale: set_by_loop
}

extern "C" __global__ void copy_bytes_from(const std::uint8_t* memory, std::uint8_t* out) {
  memcpy(out, memory, 48);  // stale: copy_bytes_from
}

/// Reads in a helper, as every kernel does: the line is the helper's.
__device__ std::uint32_t first_of(const std::uint32_t* memory) {
  return *memory;  // stale: in_helper
}

extern "C" __global__ void in_helper(const std::uint32_t* memory, std::uint32_t* out) {
  *out = first_of(memory);
}

AFTERLIFE_KERNELS(stale, load_1, load_2, load_4, load_8, load_16, load_32, store_1, store_2,
                  store_4, store_8, store_16, store_32, atomic_4, atomic_8, atomic_float,
                  read_modify_write, copy_struct_from, copy_struct_to, set_bytes, set_by_loop,
                  copy_bytes_from, in_helper)
