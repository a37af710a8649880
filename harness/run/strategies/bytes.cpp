// SPDX-License-Identifier: Apache-2.0
#include "harness/run/strategies/bytes.h"

#include <algorithm>

#include "harness/run/tables.h"

namespace harness::strategies {
namespace {

constexpr std::uint32_t kLooseModulus = 8;

template <class Word>
Word read_word(std::span<const std::uint8_t> bytes) {
  Word word = 0;
  for (std::size_t i = 0; i < sizeof(Word) && i < bytes.size(); ++i)
    word = static_cast<Word>(word | Word{bytes[i]} << (8 * i));
  return word;
}

template <class Word>
void write_word(std::vector<std::uint8_t>& bytes, Word word) {
  for (std::size_t i = 0; i < sizeof(Word); ++i)
    bytes.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
}

Decision read_record(std::span<const std::uint8_t> bytes) {
  const auto from = [&](std::size_t at) { return bytes.subspan(std::min(at, bytes.size())); };
  return {read_word<std::uint64_t>(from(0)), read_word<std::uint16_t>(from(8)),
          read_word<std::uint16_t>(from(10)), read_word<std::uint32_t>(from(12))};
}

template <class Use>
void for_each_record(std::span<const std::uint8_t> bytes, Use use) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Decision))
    use(read_record(bytes.subspan(at, std::min(sizeof(Decision), bytes.size() - at))));
}

Decision tighten(Decision loose) {
  loose.activation %= kLooseModulus;
  loose.nth = static_cast<std::uint16_t>(loose.nth % kLooseModulus);
  if (site_of_tag(loose.site_tag) < 0) loose.site_tag = kSiteTags[loose.site_tag % kRunSiteCount];
  return loose;
}

}  // namespace

Tape decode(std::span<const std::uint8_t> bytes) {
  Tape tape;
  for_each_record(bytes, [&](const Decision& decision) { tape.push_back(decision); });
  return canonical(tape);
}

std::vector<std::uint8_t> encode(const Tape& tape) {
  std::vector<std::uint8_t> bytes;
  for (const Decision& decision : canonical(tape)) {
    write_word(bytes, decision.activation);
    write_word(bytes, decision.site_tag);
    write_word(bytes, decision.nth);
    write_word(bytes, decision.value);
  }
  return bytes;
}

void Bytes::assign(std::span<const std::uint8_t> bytes) {
  exact_.clear();
  loose_.clear();
  for_each_record(bytes, [&](const Decision& decision) {
    if (is_loose(decision.activation))
      loose_.add(tighten(decision));
    else
      exact_.add(decision);
  });
}

void Bytes::begin() {
  exact_.begin_run();
  loose_.begin_run();
  places_.clear();
  place_count_ = 0;
}

std::uint32_t Bytes::place_of(Name activation) {
  const std::uint32_t known = places_.value(activation, Site::op, 0);
  if (known != 0) return known - 1;
  places_.add({activation, site_tag(Site::op), 0, ++place_count_});
  return place_count_ - 1;
}

std::uint32_t Bytes::answer_loosely(const Question& question) {
  const std::uint32_t value =
      loose_.value(place_of(question.activation) % kLooseModulus, question.site,
                   static_cast<std::uint16_t>(question.nth % kLooseModulus));
  return value % question.option_count;
}

namespace {

/// Makes new random records for every run, like a fuzzer without a corpus.
class RandomBytes final : public Strategy {
 public:
  explicit RandomBytes(std::uint64_t seed) : state_(mix(0, seed)) {}

  void begin() override {
    bytes_.clear();
    const std::uint64_t record_count = 1 + (next() & 255);
    for (std::uint64_t i = 0; i < record_count; ++i) add_record();
    inner_.assign(bytes_);
    inner_.begin();
  }
  std::uint32_t answer(const Question& question) override { return inner_.answer(question); }

 private:
  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15, 0); }
  void add_record() {
    write_word(bytes_, next() | (std::uint64_t{3} << 62));
    write_word(bytes_, kSiteTags[next() % kRunSiteCount]);
    write_word(bytes_, static_cast<std::uint16_t>(next()));
    write_word(bytes_, static_cast<std::uint32_t>(next()));
  }

  std::uint64_t state_;
  std::vector<std::uint8_t> bytes_;
  Bytes inner_;
};

}  // namespace

extern const StrategyInfo bytes;
const StrategyInfo bytes{"bytes", "choices from byte strings, as a fuzzer provides them",
                         [](std::uint64_t seed) -> std::unique_ptr<Strategy> {
                           return std::make_unique<RandomBytes>(seed);
                         }};

}  // namespace harness::strategies
