// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "harness/base/base.h"
#include "harness/gate/benchmark_output.h"
#include "harness/gate/random.h"

namespace harness::gate {
namespace {

constexpr std::string_view kBenchmarksPlace = "{benchmarks}";
/// A command line argument is limited to 128 KiB (MAX_ARG_STRLEN of Linux).
constexpr std::size_t kLongestFilter = 100'000;
/// Number of rounds after which the duration of a round is known.
constexpr std::size_t kEnoughRounds = 3;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Replaces `place` in the command by `value`.
Command filled(Command command, std::string_view place, const std::string& value) {
  for (std::string& word : command)
    for (std::size_t at = 0; (at = word.find(place, at)) != word.npos; at += value.size())
      word.replace(at, place.size(), value);
  return command;
}

}  // namespace

std::string_view name_of(Side side) { return side == Side::base ? "base" : "head"; }

std::string filter_of(const std::vector<std::string>& names) {
  if (names.empty()) return ".*";
  std::string filter;
  for (const std::string& name : names) {
    filter += filter.empty() ? "^(" : "|";
    for (const char c : name) {
      if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) filter += '\\';
      filter += c;
    }
  }
  return filter.size() > kLongestFilter ? ".*" : filter + ")$";
}

Commands::Commands(const Command& base, const Command& head, double repetition_seconds,
                   Limits limits, std::uint64_t seed, const std::atomic<bool>& stop, Sink sink)
    : base_(filled(base, kMinTimePlace, fmt::format("{}", repetition_seconds))),
      head_(filled(head, kMinTimePlace, fmt::format("{}", repetition_seconds))),
      limits_(limits),
      seed_(seed),
      stop_(stop),
      sink_(std::move(sink)) {}

std::optional<Round> Commands::measure(const Request& request) {
  if (const std::optional<End> why = no_time_for(request)) {
    end_ = *why;
    return std::nullopt;
  }
  const auto begin = std::chrono::steady_clock::now();
  Random random(mix(mix(seed_, request.confirmation), request.round));
  const Side first = random.coin() ? Side::base : Side::head;
  const Side second = first == Side::base ? Side::head : Side::base;
  Round round;
  for (const Side side : {first, second}) {
    std::optional<Reading> reading = run(side, request);
    if (!reading) return std::nullopt;
    sink_({request.confirmation, request.round, side, *reading});
    (side == Side::base ? round.base : round.head) = std::move(*reading);
  }
  note_round(request, seconds_since(begin));
  return round;
}

/// Returns the reason if there is no time for another round: it would end too late, or the next
/// look would, so that nothing more could be decided.
std::optional<End> Commands::no_time_for(const Request& request) const {
  if (limits_.seconds <= 0 || longest_round_ <= 0) return std::nullopt;
  const double left = limits_.seconds - seconds_since(begin_);
  if (longest_round_ > left) return End::out_of_time;
  const bool is_known = like_rounds_ >= kEnoughRounds && request.wanted.size() == wanted_count_;
  const double until_look = shortest_round_ * static_cast<double>(request.to_look);
  return is_known && until_look > left ? std::optional(End::too_short) : std::nullopt;
}

void Commands::note_round(const Request& request, double seconds) {
  longest_round_ = std::max(longest_round_, seconds);
  const bool is_like = like_rounds_ > 0 && request.wanted.size() == wanted_count_;
  shortest_round_ = is_like ? std::min(shortest_round_, seconds) : seconds;
  like_rounds_ = is_like ? like_rounds_ + 1 : 1;
  wanted_count_ = request.wanted.size();
}

bool Commands::must_end() {
  if (stop_.load(std::memory_order_relaxed)) {
    end_ = End::stopped;
    return true;
  }
  if (limits_.seconds <= 0 || seconds_since(begin_) <= limits_.seconds) return false;
  end_ = End::out_of_time;
  return true;
}

/// Returns the output of one process; nothing if the user or the time limit ended it.
std::optional<Reading> Commands::run(Side side, const Request& request) {
  const auto refuse = [&](std::string_view why) {
    throw std::runtime_error(
        fmt::format("round {}: the {} {}", request.round + 1, name_of(side), why));
  };
  const Command& command = side == Side::base ? base_ : head_;
  if (must_end()) return std::nullopt;
  const double left = limits_.seconds > 0 ? limits_.seconds - seconds_since(begin_)
                                          : std::numeric_limits<double>::infinity();
  ProcessEnd ended;
  try {
    ended = run_process(filled(command, kBenchmarksPlace, filter_of(request.wanted)),
                        {std::min(left, limits_.timeout_seconds), {}, kErrKept}, stop_);
  } catch (const std::runtime_error& error) {
    refuse(error.what());
  }
  if (ended.stopped || (ended.timed_out && left < limits_.timeout_seconds)) {
    end_ = ended.stopped ? End::stopped : End::out_of_time;
    return std::nullopt;
  }
  if (const std::string why = ended.complaint(limits_.timeout_seconds); !why.empty()) refuse(why);
  try {
    return read_output(ended.out);
  } catch (const std::runtime_error& error) {
    refuse(error.what());
  }
  return std::nullopt;
}

}  // namespace harness::gate
