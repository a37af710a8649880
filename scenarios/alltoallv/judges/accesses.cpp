// SPDX-License-Identifier: Apache-2.0
// How it works. An event can only carry a label and the name of an object, so there is a label for
// each number that is reported (Labels).
#include "scenarios/alltoallv/judges/accesses.h"

#include <fmt/format.h>

#include <algorithm>

namespace scenarios::alltoallv {

using harness::BirthId;
using harness::EventKind;
using harness::Label;
using targets::alltoallv::Crossing;
using targets::alltoallv::Labels;

namespace {

constexpr std::uint32_t kNumbers =
    64;  ///< Numbers of collectives; larger ones are reported as the last.
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

const char* name_of(std::uint32_t crossing) {
  constexpr std::array kNames{"setup", "completion", "third"};
  return kNames[crossing];
}

}  // namespace

void Accesses::tell(EventKind kind, Label label, BirthId object) {
  const harness::World& world = scene_.world();
  scene_.world().scheduler.note(
      kind, label, object != BirthId::none ? world.ledger.life(object).name : harness::Name{0});
}

// ---- slots --------------------------------------------------------------------------------------

void Accesses::number_lost(Request request) {
  static const Labels kLabels =
      by_collective("collective_init: an error, and the number of ", " is taken all the same");
  tell(EventKind::note, kLabels[request + 1]);
}

void Accesses::posting_again(const targets::alltoallv::Reposting& posting) {
  static const Labels kLabels =
      by_collective("collective_post: ", " again, while sync_state has its number still");
  if (posting.state == posting.number) tell(EventKind::note, kLabels[posting.request + 1]);
}

void Accesses::claimed(const targets::alltoallv::Taking& taking) {
  static const Labels kLabels(targets::alltoallv::kSlotIds * kNumbers, [](std::uint32_t i) {
    return fmt::format("get_sync: {} = {}", state_of(i / kNumbers), i % kNumbers);
  });
  tell(EventKind::note, kLabels[taking.slot * kNumbers + std::min(taking.state, kNumbers - 1)]);
}

void Accesses::entered(const targets::alltoallv::Entering& entering) {
  static const Labels kLabels =
      by_collective("get_sync: ", " takes the sync_state of its last post for its own");
  if (entering.mark != slots_.mark(entering.rank, entering.request))
    tell(EventKind::note, kLabels[entering.request + 1]);
}

void Accesses::source_written(Request request, BirthId memory) {
  static const Labels kThere = by_collective("setup_start: ", ", mem_info_src.ptr =");
  static const Labels kNull = by_collective("setup_start: ", ", mem_info_src.ptr = NULL");
  tell(EventKind::note, (memory != BirthId::none ? kThere : kNull)[request + 1], memory);
}

void Accesses::arrived(const targets::alltoallv::Arrival& arrival) {
  const auto words = [](const char* who, std::uint32_t i) {
    return fmt::format("shm_barrier_start: {} the {} barrier of collective {}", who,
                       name_of(i / kRequests), i % kRequests);
  };
  static const Labels kOne(3 * kRequests, [&](std::uint32_t i) { return words("in", i); });
  static const Labels kAll(3 * kRequests, [&](std::uint32_t i) { return words("all are in", i); });
  const std::uint32_t which = harness::raw(arrival.crossing) * kRequests + arrival.request + 1;
  const bool is_note = arrival.last && arrival.crossing != Crossing::setup;
  tell(is_note ? EventKind::note : EventKind::step, (arrival.last ? kAll : kOne)[which]);
}

void Accesses::passed(const targets::alltoallv::Passage& passage) {
  static const Labels kLabels(3 * kRequests, [](std::uint32_t i) {
    return fmt::format("shm_barrier_test: out of the {} barrier of collective {}",
                       name_of(i / kRequests), i % kRequests);
  });
  tell(passage.crossing == Crossing::setup ? EventKind::step : EventKind::note,
       kLabels[harness::raw(passage.crossing) * kRequests + passage.request + 1]);
}

void Accesses::gave_up(Request request) {
  static const Labels kLabels = by_collective("", " returns an error, and its peers wait for it");
  tell(EventKind::note, kLabels[request + 1]);
}

void Accesses::went_on(Request request) {
  static const Labels kLabels = by_collective(
      "triggered_post: ", ", whose triggered_post_setup failed, is posted all the same");
  tell(EventKind::note, kLabels[request + 1]);
}

void Accesses::released(std::uint32_t slot) {
  static const Labels kLabels(targets::alltoallv::kSlotIds, [](std::uint32_t i) {
    return fmt::format("put_sync: {} = 0", state_of(i));
  });
  tell(EventKind::note, kLabels[slot]);
}

void Accesses::key_read(const targets::alltoallv::KeyReading& reading, BirthId memory) {
  const auto words = [](const char* what, std::uint32_t i) {
    return fmt::format("unmap: rank {}'s mem_info_{}.ptr{}", i / 2, i % 2 == 0 ? "src" : "dst",
                       what);
  };
  constexpr std::uint32_t kKeys = 2 * targets::alltoallv::kRankLimit;
  static const Labels kThere(kKeys, [&](std::uint32_t i) { return words(" is", i); });
  static const Labels kGone(kKeys, [&](std::uint32_t i) { return words("", i); });
  static const Labels kNull(kKeys, [&](std::uint32_t i) { return words(" is NULL", i); });
  const targets::alltoallv::Use& use = reading.use;
  const Labels& labels = reading.null ? kNull : memory != BirthId::none ? kThere : kGone;
  const bool own = reading.mark == slots_.mark(use.rank, use.request);
  tell(own ? EventKind::step : EventKind::note, labels[2 * use.peer + (use.destination ? 1 : 0)],
       reading.null ? BirthId::none : memory);
}

// ---- mappings -----------------------------------------------------------------------------------

void Accesses::opened(BirthId region) { tell(EventKind::step, "map_memhandle: opens", region); }

void Accesses::mapped(BirthId region, std::uint64_t count) {
  static const Labels kLabels(
      kCountLimit, [](std::uint32_t i) { return fmt::format("map_memhandle: refcount {} of", i); });
  tell(EventKind::step, kLabels[count], region);
}

void Accesses::let_go(const targets::alltoallv::Use& use, BirthId met, std::uint64_t count,
                      bool own) {
  static const Labels kLabels(kRequests * kCountLimit, [](std::uint32_t i) {
    const std::uint32_t left = i % kCountLimit;
    return fmt::format("unmap_memhandle: collective {}, refcount {} of", i / kCountLimit,
                       left == 0 ? "0 - 1" : fmt::format("{}", left - 1));
  });
  const std::uint64_t told = std::min<std::uint64_t>(count, kCountLimit - 1);
  constexpr std::array kScratch{Label("unmap_memhandle: the team's scratch,"),
                                Label("unmap_memhandle: the scratch of team 2,")};
  tell(own ? EventKind::step : EventKind::note,
       use.is_of_scratch() ? kScratch[use.team] : kLabels[(use.request + 1) * kCountLimit + told],
       met);
}

void Accesses::evicting(const targets::alltoallv::Eviction& eviction) {
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
