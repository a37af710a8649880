// SPDX-License-Identifier: Apache-2.0
// Store decoder: width and address of a store that a debug register trapped.
//
// A trap gives the address of the *next* instruction. The store before it is searched backwards. Of
// all encodings of a store that end there, only those remain whose address, computed from the
// registers of the trap, meets the watched place. The longest of them is the store (a shorter one
// lacks a prefix). x86-64 only: moves, arithmetic on memory, exchanges, and vector stores of up to
// 32 bytes. The width of other stores (above all, string instructions) is 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace harness::instruments {

/// Registers in the order of their encoding: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15.
using GeneralRegisters = std::array<std::uint64_t, 16>;

struct DecodedStore {
  std::uint8_t width = 0;  ///< Width in bytes; 0 if unknown.
  std::uintptr_t address = 0;
};

/// Returns the store whose code ends at the end of `before`, which is the address `next`, and that
/// meets `bytes` bytes at `place`. Async-signal-safe.
DecodedStore decode_store(std::span<const std::uint8_t> before, std::uintptr_t next,
                          const GeneralRegisters& registers, std::uintptr_t place,
                          std::size_t bytes);

}  // namespace harness::instruments
