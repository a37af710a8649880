// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/judges/shadow.h"

#include <algorithm>

namespace scenarios::alltoallv {

using targets::alltoallv::Eviction;
using targets::alltoallv::Reason;
using targets::alltoallv::Status;
using targets::alltoallv::Taking;

void Shadow::disorder(Window window) {
  reach(window);
  if (disorder_ >= 0) return;
  disorder_ = harness::raw(window);
  disordered_at_ = scene_.world().scheduler.now();
}

// ---- collectives --------------------------------------------------------------------------------

// A rank that took a number in vain is one ahead of the others from then on.
void Shadow::init_failed(const targets::alltoallv::FailedInit& failed) {
  if (failed.answer != Status::driver_error) return;
  reach(Window::number_skipped);
  if (failed.numbered) disorder(Window::number_skipped);
}

void Shadow::posting_again(const targets::alltoallv::Reposting& posting) {
  if (posting.state == posting.number) reach(Window::number_reused);
}

void Shadow::posted(const targets::alltoallv::Posting& posting) {
  if (posting.rank == 0)
    waiters_[posting.request] = {true, posting.slot, posting.number, post_count_++};
}

void Shadow::entered(const targets::alltoallv::Entering& entering) {
  if (entering.mark != slots_.mark(entering.rank, entering.request))
    disorder(Window::number_reused);
}

void Shadow::waits_no_more(std::uint32_t rank, Request request) {
  if (rank == 0) waiters_[request].waits = false;
}

// ---- slots --------------------------------------------------------------------------------------

bool Shadow::overtakes(Request request) const {
  const Waiter& own = waiters_[request];
  return std::any_of(waiters_.begin(), waiters_.end(), [&](const Waiter& other) {
    return other.waits && other.slot == own.slot && other.place < own.place;
  });
}

bool Shadow::others_in(std::uint32_t slot, std::uint32_t rank, harness::Generation use,
                       bool as_proxy) const {
  for (std::uint32_t other = 0; other < targets::alltoallv::kRankLimit; ++other) {
    const User& user = users_[slot][other];
    const bool earlier = user.use != harness::Generation::none && user.use != use;
    if (other != rank && earlier && (user.as_proxy || !as_proxy)) return true;
  }
  return false;
}

void Shadow::found_free(Request request) {
  if (overtakes(request)) reach(Window::claim_race);
}

void Shadow::claimed(const Taking& taking) {
  const bool written = taking.state == waiters_[taking.request].number;
  if (written && (taking.former != 0 || overtakes(taking.request))) disorder(Window::claim_race);
  if (taking.former == 0 && others_in(taking.slot, 0, slots_.mark(0, taking.request), false))
    reach(Window::slot_released);
}

void Shadow::publishing(const targets::alltoallv::Publishing& publishing, bool as_proxy) {
  const auto [rank, request, slot] = publishing;
  const harness::Generation use = slots_.mark(rank, request);
  if (others_in(slot, rank, use, false)) reach(Window::source_reread);
  if (others_in(slot, rank, use, true)) reach(Window::proxy_reread);
  users_[slot][rank] = {use, as_proxy};
}

void Shadow::ended(std::uint32_t rank, Request request) {
  const harness::Generation use = slots_.mark(rank, request);
  for (auto& users : users_)
    if (users[rank].use == use) users[rank] = {};
}

// ---- mappings -----------------------------------------------------------------------------------

void Shadow::evicting(const Eviction& eviction, bool is_used) {
  if (!is_used) return;
  reach(eviction.reason == Reason::stale ? Window::key_reused : Window::blind_close);
}

}  // namespace scenarios::alltoallv
