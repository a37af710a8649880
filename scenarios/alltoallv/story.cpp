// SPDX-License-Identifier: Apache-2.0
// How it works. An event can only carry a label and the name of an object, so there is a label for
// each number that is reported (Labels).
#include "scenarios/alltoallv/story.h"

#include <fmt/format.h>

#include <algorithm>

namespace scenarios::alltoallv {

using harness::EventKind;
using harness::Label;
using targets::alltoallv::Crossing;
using targets::alltoallv::Labels;

namespace {

/// Numbers of collectives; larger ones are reported as the last.
constexpr std::uint32_t kShownNumbers = 64;
constexpr std::uint32_t kRequests = 33;   ///< Requests, from 1.
constexpr std::uint32_t kCountLimit = 9;  ///< Uses of a mapping; more are reported as this many.

/// Makes a label for each collective.
Labels by_collective(const char* before, const char* after) {
  return {kRequests,
          [=](std::uint32_t i) { return fmt::format("{}collective {}{}", before, i, after); }};
}

std::string state_of(std::uint32_t slot_id) {
  return fmt::format("sync_state[{}]{}", slot_id % targets::alltoallv::kSlotLimit,
                     targets::alltoallv::team_of_slot(slot_id));
}

/// Makes a label for each barrier of each collective.
Labels by_barrier(const char* before) {
  return {3 * kRequests, [=](std::uint32_t i) {
            constexpr std::array kNames{"setup", "completion", "third"};
            return fmt::format("{} the {} barrier of collective {}", before, kNames[i / kRequests],
                               i % kRequests);
          }};
}

/// Returns the index of the label of a fact about a barrier.
template <class Fact>
std::uint32_t index_of(const Fact& fact) {
  return harness::raw(fact.crossing) * kRequests + fact.request + 1;
}

}  // namespace

void Story::tell(EventKind kind, Label label, BirthId object) {
  world_.scheduler.note(
      kind, label, object != BirthId::none ? world_.ledger.life(object).name : harness::Name{0});
}

// ---- slots --------------------------------------------------------------------------------------

void Story::init_failed(const targets::alltoallv::FailedInit& failed) {
  static const Labels kLabels =
      by_collective("collective_init: an error, and the number of ", " is taken all the same");
  if (failed.numbered) tell(EventKind::note, kLabels[failed.request + 1]);
}

void Story::posting_again(const targets::alltoallv::Reposting& posting) {
  static const Labels kLabels =
      by_collective("collective_post: ", " again, while sync_state has its number still");
  if (posting.state == posting.number) tell(EventKind::note, kLabels[posting.request + 1]);
}

void Story::claimed(const targets::alltoallv::Taking& taking) {
  static const Labels kLabels(targets::alltoallv::kSlotIds * kShownNumbers, [](std::uint32_t i) {
    return fmt::format("get_sync: {} = {}", state_of(i / kShownNumbers), i % kShownNumbers);
  });
  tell(EventKind::note,
       kLabels[taking.slot * kShownNumbers + std::min(taking.state, kShownNumbers - 1)]);
}

void Story::entered(const targets::alltoallv::Entering& entering) {
  static const Labels kLabels =
      by_collective("get_sync: ", " takes the sync_state of its last post for its own");
  if (entering.mark != state_.mark(entering.rank, entering.request))
    tell(EventKind::note, kLabels[entering.request + 1]);
}

void Story::source_written(std::uint32_t rank, Request request) {
  static const Labels kThere = by_collective("setup_start: ", ", mem_info_src.ptr =");
  static const Labels kNull = by_collective("setup_start: ", ", mem_info_src.ptr = NULL");
  const BirthId memory = state_.source_of(rank, request).allocation;
  tell(EventKind::note, (memory != BirthId::none ? kThere : kNull)[request + 1], memory);
}

void Story::arrived(const targets::alltoallv::Arrival& arrival) {
  static const Labels kOne = by_barrier("shm_barrier_start: in");
  static const Labels kLast = by_barrier("shm_barrier_start: all are in");
  const bool is_note = arrival.last && arrival.crossing != Crossing::setup;
  tell(is_note ? EventKind::note : EventKind::step,
       (arrival.last ? kLast : kOne)[index_of(arrival)]);
}

void Story::passed(const targets::alltoallv::Passage& passage) {
  static const Labels kLabels = by_barrier("shm_barrier_test: out of");
  tell(passage.crossing == Crossing::setup ? EventKind::step : EventKind::note,
       kLabels[index_of(passage)]);
}

void Story::gave_up(std::uint32_t, Request request) {
  static const Labels kLabels = by_collective("", " returns an error, and its peers wait for it");
  tell(EventKind::note, kLabels[request + 1]);
}

void Story::went_on(std::uint32_t, Request request) {
  static const Labels kLabels = by_collective(
      "triggered_post: ", ", whose triggered_post_setup failed, is posted all the same");
  tell(EventKind::note, kLabels[request + 1]);
}

void Story::released(std::uint32_t slot) {
  static const Labels kLabels(targets::alltoallv::kSlotIds, [](std::uint32_t i) {
    return fmt::format("put_sync: {} = 0", state_of(i));
  });
  tell(EventKind::note, kLabels[slot]);
}

// The tag of a key tells which request wrote it.
void Story::key_read(const targets::alltoallv::KeyReading& reading) {
  const auto words = [](const char* what, std::uint32_t i) {
    return fmt::format("unmap: rank {}'s mem_info_{}.ptr{}", i / 2, i % 2 == 0 ? "src" : "dst",
                       what);
  };
  constexpr std::uint32_t kKeys = 2 * targets::alltoallv::kRankLimit;
  static const Labels kThere(kKeys, [&](std::uint32_t i) { return words(" is", i); });
  static const Labels kGone(kKeys, [&](std::uint32_t i) { return words("", i); });
  static const Labels kNull(kKeys, [&](std::uint32_t i) { return words(" is NULL", i); });
  const Use& use = reading.use;
  const auto written_for = static_cast<std::uint32_t>(harness::raw(reading.mark));
  Use written = use;
  written.request = written_for - 1;
  const BirthId memory = written_for != 0 ? state_.memory_of(written) : BirthId::none;
  const Labels& labels = reading.null ? kNull : memory != BirthId::none ? kThere : kGone;
  const bool own = reading.mark == state_.mark(use.rank, use.request);
  tell(own ? EventKind::step : EventKind::note, labels[2 * use.peer + (use.destination ? 1 : 0)],
       reading.null ? BirthId::none : memory);
}

// ---- mappings -----------------------------------------------------------------------------------

void Story::opened(const Opening& opening) {
  tell(EventKind::step, "map_memhandle: opens", opening.region);
}

void Story::mapped(const Use&, BirthId region, std::uint64_t count) {
  static const Labels kLabels(
      kCountLimit, [](std::uint32_t i) { return fmt::format("map_memhandle: refcount {} of", i); });
  tell(EventKind::step, kLabels[count], region);
}

void Story::let_go(const Use& use, BirthId met, std::uint64_t count) {
  static const Labels kLabels(kRequests * kCountLimit, [](std::uint32_t i) {
    const std::uint32_t left = i % kCountLimit;
    return fmt::format("unmap_memhandle: collective {}, refcount {} of", i / kCountLimit,
                       left == 0 ? "0 - 1" : fmt::format("{}", left - 1));
  });
  const std::uint64_t shown = std::min<std::uint64_t>(count, kCountLimit - 1);
  constexpr std::array kScratch{Label("unmap_memhandle: the team's scratch,"),
                                Label("unmap_memhandle: the scratch of team 2,")};
  const Hold* hold = state_.find_hold(use);
  const bool own = hold != nullptr && hold->region == met;
  tell(own ? EventKind::step : EventKind::note,
       use.is_of_scratch() ? kScratch[use.team] : kLabels[(use.request + 1) * kCountLimit + shown],
       met);
}

void Story::evicting(const targets::alltoallv::Eviction& eviction) {
  static const Labels kLabels(3 * kCountLimit, [](std::uint32_t i) {
    constexpr std::array kWhy{"stale handle", "in the way", "purge"};
    return fmt::format("map_memhandle: {}, refcount {}: throws out", kWhy[i / kCountLimit],
                       i % kCountLimit);
  });
  tell(EventKind::note,
       kLabels[harness::raw(eviction.reason) * kCountLimit +
               std::min<std::uint64_t>(eviction.count, kCountLimit - 1)],
       eviction.region);
}

}  // namespace scenarios::alltoallv
