// SPDX-License-Identifier: Apache-2.0
// Store decoder: how wide a store was that a debug register trapped, and where it began.
//
// A trap gives the address of the *next* instruction. The one before it is looked for backwards: of
// all that decode to a store that ends there, only those whose address, by the registers of the
// trap, meets the watched place are left, and the longest is it (a shorter one lacks a prefix).
// x86-64 only: moves, arithmetic on memory, exchanges, and vector stores of up to 32 bytes; of what
// it does not know (string instructions, above all) the width is 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace harness::instruments {

/// By number, as instructions encode them: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15.
using GeneralRegisters = std::array<std::uint64_t, 16>;

struct DecodedStore {
  std::uint8_t width = 0;  ///< In bytes; 0 if it is not known.
  std::uintptr_t address = 0;
};

/// The store whose code ends where `before` does, which is at `next`, and that meets `bytes` bytes
/// at `place`. Calls nothing that a signal handler must not.
DecodedStore decode_store(std::span<const std::uint8_t> before, std::uintptr_t next,
                          const GeneralRegisters& registers, std::uintptr_t place,
                          std::size_t bytes);

}  // namespace harness::instruments
