// SPDX-License-Identifier: Apache-2.0
// Definitions that every layer shares: names, ids, time, hashing, and the assertion macro.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <type_traits>

namespace harness {

/// Names an object by its cause: a hash of (parent activation, kind, ordinal). Unlike a running
/// number, it stays the same when unrelated ops, preemptions or objects are added or removed.
using Name = std::uint64_t;

/// Identity of one lifetime of one object: counts up from 1 within a run, never reused. 0 is
/// "none".
enum class BirthId : std::uint32_t { none = 0 };

/// Turns taken since the run began. The only clock a run may read.
using Tick = std::uint64_t;

/// Probability as a ratio of integers, so that no result depends on floating point.
struct Ratio {
  std::uint32_t numerator;
  std::uint32_t denominator;
};

/// Mixes one word into a hash (the finalizer of splitmix64, after Steele, Lea and Flood 2014).
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  std::uint64_t z = (hash ^ word) + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// FNV-1a. Tags and kinds are hashes of their names, so that reordering a table changes nothing.
constexpr std::uint64_t hash_name(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// Unsigned value of an enumerator.
template <class Enum>
constexpr auto raw(Enum value) {
  return static_cast<std::underlying_type_t<Enum>>(value);
}

/// Set when a check of the harness has failed: a crash after that is not a fault of the target.
inline constinit bool check_has_failed = false;

/// Prints the failed condition with its place and reason, and aborts.
[[noreturn]] inline void check_failed(const char* file, int line, const char* condition,
                                      const char* why) {
  check_has_failed = true;
  std::fprintf(stderr, "%s:%d: check failed: %s (%s)\n", file, line, condition, why);
  std::abort();
}

}  // namespace harness

/// States what must be true for the *harness* to be correct; a bug in a target is a fault, never
/// a failed check. Always on: a wrong harness is worse than a slow one.
#define HARNESS_CHECK(condition, why)                               \
  do {                                                              \
    if (!(condition)) [[unlikely]]                                  \
      ::harness::check_failed(__FILE__, __LINE__, #condition, why); \
  } while (false)
