// SPDX-License-Identifier: Apache-2.0
#include "harness/search/price/meter.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <unordered_map>

#include "harness/core/world.h"

namespace harness::pricing {
namespace {

bool is_launch(std::string_view call) {
  const bool is_of_host = call.starts_with("cuLaunchHostFunc");
  return (call.starts_with("cuLaunch") && !is_of_host) || call.starts_with("cuGraphLaunch");
}

bool waits_for_device(std::string_view call) {
  return call.find("Synchronize") != std::string_view::npos;
}

/// Finds the launches of a run, and the wait of each. Must get all events in order.
class Launches {
 public:
  explicit Launches(Tick end) : end_(end) {}

  void op(const Event& event) { ops_[event.task] = {event.activation, event.tick}; }

  void call(const Event& event) {
    callers_[event.task] = is_launch(event.what.view()) ? &event : nullptr;
  }

  void submit(const Event& event) {
    const Event*& caller = callers_[event.task];
    queues_[work_of(event)].push_back(caller == nullptr ? kNoLaunch : add(*caller));
    caller = nullptr;
  }

  void start(const Event& event) {
    std::deque<std::size_t>& queue = queues_[work_of(event)];
    if (queue.empty()) return;  // A part of a graph, which was queued as a whole.
    if (queue.front() != kNoLaunch)
      found_[queue.front()].wait = event.tick - begins_[queue.front()];
    queue.pop_front();
  }

  std::vector<Launch> take() { return std::move(found_); }

 private:
  /// The current op of a task.
  struct Op {
    Name activation = 0;
    Tick begin = 0;
  };
  /// Work of one stream with the same label and cause, which begins in the order of submission.
  using Work = std::tuple<Name, Name, Name>;
  static constexpr std::size_t kNoLaunch = ~std::size_t{0};

  static Work work_of(const Event& event) {
    return {event.object, event.what.hash(), event.activation};
  }

  std::size_t add(const Event& caller) {
    const Op& op = ops_[caller.task];
    found_.push_back({{op.activation, launches_of_op_[op.activation]++}, end_ - op.begin});
    begins_.push_back(op.begin);
    return found_.size() - 1;
  }

  Tick end_;
  std::map<std::uint16_t, Op> ops_;                 ///< By task.
  std::map<std::uint16_t, const Event*> callers_;   ///< Launches that have queued nothing yet.
  std::map<Work, std::deque<std::size_t>> queues_;  ///< Submitted work that has not begun.
  std::map<Name, std::uint32_t> launches_of_op_;
  std::vector<Launch> found_;
  std::vector<Tick> begins_;  ///< For each of `found_`, the tick at which its op began.
};

/// Adds up the live bytes. Must get all births and deaths in order.
class Bytes {
 public:
  explicit Bytes(const Ledger& ledger) : ledger_(ledger) {}

  void birth(const Event& event) {
    const std::uint64_t bytes = ledger_.lives()[++births_].bytes;
    bytes_of_[event.object] = bytes;
    peak_ = std::max(peak_, alive_ += bytes);
  }
  void death(const Event& event) { alive_ -= bytes_of_[event.object]; }

  std::uint64_t births() const { return births_; }
  std::uint64_t peak() const { return peak_; }

 private:
  const Ledger& ledger_;
  std::unordered_map<Name, std::uint64_t> bytes_of_;
  std::uint64_t births_ = 0;  ///< The ledger has the lifetimes in the order of their births, from 1
                              ///< on.
  std::uint64_t alive_ = 0;
  std::uint64_t peak_ = 0;
};

std::uint64_t byte_turns(const Ledger& ledger, Tick end) {
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i < ledger.lives().size(); ++i) {
    const Life& life = ledger.lives()[i];
    sum += life.bytes * ((life.alive ? end : life.death_tick) - life.birth_tick);
  }
  return sum;
}

}  // namespace

RunCost read_cost(const World& world) {
  const Tick end = world.scheduler.now();
  RunCost cost;
  Launches launches(end);
  Bytes bytes(world.ledger);
  for (const Event& event : world.history.events()) {
    if (event.kind == EventKind::birth) bytes.birth(event);
    if (event.kind == EventKind::death) bytes.death(event);
    if (event.kind == EventKind::submit) launches.submit(event);
    if (event.kind == EventKind::start) launches.start(event);
    if (event.kind == EventKind::call) {
      launches.call(event);
      ++cost.calls;
      cost.host_waits += waits_for_device(event.what.view());
    }
    if (event.kind == EventKind::op) {
      launches.op(event);
      ++cost.ops;
    }
  }
  cost.allocations = bytes.births();
  cost.peak_bytes = bytes.peak();
  cost.byte_turns = byte_turns(world.ledger, end);
  cost.launches = launches.take();
  return cost;
}

}  // namespace harness::pricing
