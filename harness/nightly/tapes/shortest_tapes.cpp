// SPDX-License-Identifier: Apache-2.0
// How it works. Features have numbers while runs are taken; only those that are kept are put into
// words.
#include "harness/nightly/tapes/shortest_tapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <stdexcept>
#include <tuple>

namespace harness::nightly {
namespace {

constexpr std::size_t kBits = WindowSet::kLimit;
constexpr std::size_t kFails = kBits, kWays = 2 * kBits;
constexpr std::size_t kFeatures = kWays + kWayLimit * kBits;
/// A longer tape says little about how it reached a feature.
constexpr std::size_t kMostDecisions = 256;
constexpr std::size_t kDigits = 32;

template <class Number>
Number hexadecimal(const std::string& text, std::size_t begin, std::size_t digits) {
  Number number{};
  const char* first = text.data() + begin;
  const auto [end, failed] = std::from_chars(first, first + digits, number, 16);
  if (failed != std::errc{} || end != first + digits)
    throw std::runtime_error("a tape is hexadecimal digits");
  return number;
}

}  // namespace

std::string to_text(const Tape& tape) {
  std::string text;
  for (const Decision& one : tape)
    text +=
        fmt::format("{:016x}{:04x}{:04x}{:08x}", one.activation, one.site_tag, one.nth, one.value);
  return text;
}

Tape parse_tape(const std::string& text) {
  if (text.size() % kDigits != 0) throw std::runtime_error("a tape has 32 digits for each choice");
  Tape tape;
  for (std::size_t at = 0; at < text.size(); at += kDigits)
    tape.push_back({hexadecimal<std::uint64_t>(text, at, 16),
                    hexadecimal<std::uint16_t>(text, at + 16, 4),
                    hexadecimal<std::uint16_t>(text, at + 20, 4),
                    hexadecimal<std::uint32_t>(text, at + 24, 8)});
  return tape;
}

std::size_t decision_count(const std::string& tape) { return tape.size() / kDigits; }

ShortestTapes::ShortestTapes(const Scenario& scenario) : scenario_(scenario), best_(kFeatures) {}

template <class Action>
void ShortestTapes::for_each_feature(const Outcome& outcome, Action action) const {
  const WindowSet failed = outcome.failed_windows();
  for (const std::size_t window : outcome.reached | failed) action(window);
  for (const std::size_t window : failed) action(kFails + window);
  for (std::size_t way = 0; scenario_.ways.size() > 1 && way < kWayLimit; ++way)
    for (const std::size_t window : outcome.reached_by[way])
      if (!scenario_.windows[window].has_one_way) action(kWays + kBits * way + window);
}

void ShortestTapes::take_in(const Outcome& outcome, const Config& config) {
  const std::size_t decisions = outcome.tape.size();
  if (outcome.endless || decisions > kMostDecisions) return;
  std::shared_ptr<const Sample> sample;
  for_each_feature(outcome, [&](std::size_t feature) {
    Best& best = best_[feature];
    if (decisions >= best.decisions) return;
    if (sample == nullptr) sample = std::make_shared<const Sample>(Sample{config, outcome.tape});
    best = {decisions, sample};
  });
}

std::string ShortestTapes::name_of(std::size_t feature) const {
  const std::string_view window = scenario_.windows[feature % kBits].name.view();
  if (feature < kFails) return fmt::format("reaches {}", window);
  if (feature < kWays) return fmt::format("fails in {}", window);
  return fmt::format("reaches {} by {}", window, scenario_.ways[(feature - kWays) / kBits].view());
}

std::vector<std::string> ShortestTapes::features_of(const Outcome& outcome) const {
  std::vector<std::string> names;
  for_each_feature(outcome, [&](std::size_t feature) { names.push_back(name_of(feature)); });
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<KeptTape> ShortestTapes::kept(std::size_t limit) const {
  std::vector<std::pair<std::string, const Sample*>> features;
  for (std::size_t feature = 0; feature < best_.size(); ++feature)
    if (const Sample* sample = best_[feature].sample.get(); sample != nullptr)
      features.emplace_back(name_of(feature), sample);
  std::sort(features.begin(), features.end());
  features.resize(std::min(limit, features.size()));
  std::map<const Sample*, std::vector<std::string>> by_sample;
  for (auto& [name, sample] : features) by_sample[sample].push_back(std::move(name));
  std::vector<KeptTape> kept;
  for (const auto& [sample, names] : by_sample)
    kept.push_back({to_string(scenario_, sample->config), to_text(sample->tape), names});
  std::sort(kept.begin(), kept.end(),
            [](const KeptTape& a, const KeptTape& b) { return a.features < b.features; });
  return kept;
}

}  // namespace harness::nightly
