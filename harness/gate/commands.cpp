#include "harness/gate/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "harness/base.h"
#include "harness/gate/benchmark_output.h"
#include "harness/gate/random.h"

namespace harness::gate {
namespace {

constexpr std::string_view kPlaceholder = "{benchmarks}";

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Command filled(Command command, const std::vector<std::string>& wanted) {
  const std::string filter = filter_of(wanted);
  for (std::string& word : command)
    for (std::size_t at = 0; (at = word.find(kPlaceholder, at)) != word.npos; at += filter.size())
      word.replace(at, kPlaceholder.size(), filter);
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
  return filter + ")$";
}

Commands::Commands(Command base, Command head, Limits limits, std::uint64_t seed,
                   const std::atomic<bool>& stop, Sink sink)
    : base_(std::move(base)),
      head_(std::move(head)),
      limits_(limits),
      seed_(seed),
      stop_(stop),
      sink_(std::move(sink)) {}

std::optional<Round> Commands::measure(const Request& request) {
  if (is_out_of_time()) {
    end_ = End::out_of_time;
    return std::nullopt;
  }
  const auto begin = std::chrono::steady_clock::now();
  Random random(mix(mix(seed_, request.confirmation), request.round));
  const Side first = random.coin() ? Side::base : Side::head;
  const Side second = first == Side::base ? Side::head : Side::base;
  Round round;
  for (const Side side : {first, second}) {
    std::optional<Reading> reading = run(side, request);
    if (!reading) {
      end_ = End::stopped;
      return std::nullopt;
    }
    sink_({request.confirmation, request.round, side, *reading});
    (side == Side::base ? round.base : round.head) = std::move(*reading);
  }
  longest_round_ = std::max(longest_round_, seconds_since(begin));
  return round;
}

/// Returns whether there is no time left for one more round.
bool Commands::is_out_of_time() const {
  return limits_.seconds > 0 && longest_round_ > 0 &&
         seconds_since(begin_) + longest_round_ > limits_.seconds;
}

/// Returns what one process printed, or nothing where the user ends it.
std::optional<Reading> Commands::run(Side side, const Request& request) {
  const auto refuse = [&](std::string_view why) {
    throw std::runtime_error(
        fmt::format("round {}: the {} {}", request.round + 1, name_of(side), why));
  };
  const Command& command = side == Side::base ? base_ : head_;
  if (stop_.load(std::memory_order_relaxed)) return std::nullopt;
  ProcessEnd ended;
  try {
    ended = run_process(filled(command, request.wanted), {limits_.timeout_seconds, {}, kErrKept},
                        stop_);
  } catch (const std::runtime_error& error) {
    refuse(error.what());
  }
  if (ended.stopped) return std::nullopt;
  if (const std::string why = ended.complaint(limits_.timeout_seconds); !why.empty()) refuse(why);
  try {
    return read_output(ended.out);
  } catch (const std::runtime_error& error) {
    refuse(error.what());
  }
  return std::nullopt;
}

}  // namespace harness::gate
