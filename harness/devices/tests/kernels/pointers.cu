// SPDX-License-Identifier: Apache-2.0
// Kernels that find their data through pointers in device memory.
#include "harness/devices/sim/kernel.h"

struct Pack {
  const std::uint32_t* data;
  std::uint64_t count;
  std::uint64_t padding[4];
};

/// Follows a pointer that it loads from device memory.
extern "C" __global__ void follow(const std::uint32_t* const* table, std::uint32_t* out) {
  *out = *table[0];
}

/// Follows a pointer that it loads in two halves.
extern "C" __global__ void follow_halves(const volatile std::uint32_t* table, std::uint32_t* out) {
  const std::uint64_t low = table[0];
  const std::uint64_t high = table[1];
  *out = *reinterpret_cast<const std::uint32_t*>(high << 32 | low);
}

/// A record whose pointer begins at no multiple of 8.
struct __attribute__((packed)) PackedRecord {
  std::uint32_t count;
  const std::uint32_t* data;
};

/// Follows the pointer of a packed record, in device memory.
extern "C" __global__ void follow_packed(const PackedRecord* records, unsigned index,
                                         std::uint32_t* out) {
  *out = *records[index].data;
}

/// The same of one that is a parameter.
extern "C" __global__ void follow_packed_value(PackedRecord record, std::uint32_t* out) {
  *out = *record.data;
}

/// Keeps a pointer in a packed record.
extern "C" __global__ void keep_packed(PackedRecord* record, const std::uint32_t* data) {
  record->data = data;
}

/// Clears a pointer of a tag in its top bits, and follows it.
extern "C" __global__ void follow_tagged(std::uint64_t tagged, std::uint32_t* out) {
  *out = *reinterpret_cast<const std::uint32_t*>(tagged << 16 >> 16);
}

/// Follows a pointer of a struct that it copies whole.
extern "C" __global__ void follow_pack(const Pack* pack, std::uint32_t* out) {
  const Pack copy = *pack;
  *out = copy.data[copy.count - 1];
}

/// Keeps its parameter in device memory.
extern "C" __global__ void keep(const std::uint32_t** table, const std::uint32_t* data) {
  table[0] = data;
}

/// Keeps a pointer in a table, by an atomic.
extern "C" __global__ void keep_atomically(unsigned long long* table, unsigned long long data) {
  atomicExch(table, data);
}

/// Copies structs, and the pointers in them, within device memory.
extern "C" __global__ void copy_pack(Pack* to, const Pack* from) { *to = *from; }

/// Copies pointers as two wide words.
extern "C" __global__ void copy_pair(ulonglong2* to, const ulonglong2* from) { *to = *from; }

/// Copies a struct byte by byte, as compilers do where its alignment is unknown.
extern "C" __global__ void copy_bytes(Pack* to, const Pack* from) {
  auto* target = reinterpret_cast<volatile std::uint8_t*>(to);
  const auto* source = reinterpret_cast<const volatile std::uint8_t*>(from);
  for (unsigned i = 0; i < sizeof(Pack); ++i) target[i] = source[i];
}

/// Reads at a distance that the host computed.
extern "C" __global__ void read_at(const std::uint8_t* memory, std::int64_t distance,
                                   std::uint8_t* out) {
  *out = memory[distance];
}

/// Walks a list of nodes, each a separate block.
struct Node {
  const Node* next;
  std::uint64_t value;
};

extern "C" __global__ void walk(const Node* node, std::uint64_t* out) {
  std::uint64_t sum = 0;
  for (; node != nullptr; node = node->next) sum += node->value;
  *out = sum;
}

/// Touches `memory` many times, in several blocks and lines.
extern "C" __global__ void read_often(const std::uint32_t* memory, std::uint32_t* out) {
  std::uint32_t sum = 0;
  for (int i = 0; i < 100; ++i) {
    sum += memory[i % 4];
    sum ^= memory[(i + threadIdx.x) % 4];
  }
  atomicAdd(out, sum | 1);
}

AFTERLIFE_KERNELS(pointers, follow, follow_halves, follow_packed, follow_packed_value, keep_packed,
                  follow_tagged, follow_pack, keep, keep_atomically, copy_pack, copy_pair,
                  copy_bytes, read_at, walk, read_often)
