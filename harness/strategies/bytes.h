// SPDX-License-Identifier: Apache-2.0
// Bytes: a tape as a fuzzer sees it. Any byte string is a tape, and any tape is a byte string.
//
// Records of 16 bytes, little-endian: activation (8), site tag (2), nth (2), value (4). No lengths,
// no counts, any order; each record means the same wherever it stands. What is missing at the end
// is zero.
//
// Most activations are hashes that a fuzzer cannot guess. So a record whose activation is neither
// an op slot (below 2^33) nor a derived name (top bits 10) is *loose*: it speaks of the activations
// whose place in the order of their first questions is its activation modulo 8, of site tag modulo
// the number of sites that runs ask where no site has that tag, of nth modulo 8, and its value is
// an index modulo the number of options. A run's tape never holds one: it names what was met.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/pick/replay.h"

namespace harness::strategies {

/// Number of sites that a run of a scenario uses. The last one, `watch`, is used by programs only.
inline constexpr std::size_t kRunSiteCount = kSiteCount - 1;
static_assert(raw(Site::watch) == kRunSiteCount);

/// Returns the tape of a byte string: any is one.
Tape decode(std::span<const std::uint8_t> bytes);

/// The canonical form of the tape, so that decode(encode(tape)) == canonical(tape).
std::vector<std::uint8_t> encode(const Tape& tape);

/// True for a record that speaks of activations by their place instead of by name.
constexpr bool is_loose(Name activation) {
  return (activation >> 33) != 0 && (activation >> 62) != 2;
}

/// Makes choices from a byte string. Ownership: owns the decoded records, in buffers that are kept.
class Bytes final : public Strategy {
 public:
  Bytes() = default;
  explicit Bytes(std::span<const std::uint8_t> bytes) { assign(bytes); }

  void assign(std::span<const std::uint8_t> bytes);  ///< Reads another byte string from now on.
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
  TapeIndex loose_;   ///< Keyed by place.
  TapeIndex places_;  ///< Places of the activations that made choices so far in this run, plus one.
  std::uint32_t place_count_ = 0;
};

}  // namespace harness::strategies
