// SPDX-License-Identifier: Apache-2.0
// Bytes: a tape as a fuzzer sees it. Any byte string is a tape, and any tape is a byte string.
//
// Records of 16 bytes, little-endian: activation (8), site tag (2), nth (2), value (4). No lengths,
// no counts, any order; the meaning of a record does not depend on its position. Missing bytes at
// the end are zero.
//
// Most activations are hashes that a fuzzer cannot guess. So a record whose activation is neither
// an op slot (below 2^33) nor a derived name (top bits 10) is *loose*. It refers to activations by
// the order of their first choices, modulo 8, and to choices by `nth`, modulo 8. A site tag that no
// site has is taken modulo the number of sites, and the value modulo the number of options. A run
// never records a loose entry: its tape names the choices that came up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/pick/replay.h"

namespace harness::strategies {

/// Number of sites that a run of a scenario uses. The last one, `watch`, is only used by programs.
inline constexpr std::size_t kRunSiteCount = kSiteCount - 1;
static_assert(raw(Site::watch) == kRunSiteCount);

/// Returns the tape of a byte string. Every byte string has one.
Tape decode(std::span<const std::uint8_t> bytes);

/// Returns the canonical form of the tape, so that decode(encode(tape)) == canonical(tape).
std::vector<std::uint8_t> encode(const Tape& tape);

/// Returns whether a record refers to activations by their order instead of by name.
constexpr bool is_loose(Name activation) {
  return (activation >> 33) != 0 && (activation >> 62) != 2;
}

/// Makes choices from a byte string. Ownership: owns the decoded records, in buffers that are
/// reused.
class Bytes final : public Strategy {
 public:
  Bytes() = default;
  explicit Bytes(std::span<const std::uint8_t> bytes) { assign(bytes); }

  void assign(std::span<const std::uint8_t> bytes);  ///< Replaces the byte string.
  void begin() override;
  std::uint32_t answer(const Question& question) override {
    const std::uint32_t value = exact_.value(question.activation, question.site, question.nth);
    if (value != 0) return question.index(value);
    return loose_.empty() ? 0 : answer_loosely(question);
  }

 private:
  std::uint32_t answer_loosely(const Question& question);
  std::uint32_t place_of(Name activation);

  TapeIndex exact_;
  TapeIndex loose_;   ///< Keyed by the order of activations.
  TapeIndex places_;  ///< Ordinals, plus one, of the activations that made choices in this run.
  std::uint32_t place_count_ = 0;
};

}  // namespace harness::strategies
