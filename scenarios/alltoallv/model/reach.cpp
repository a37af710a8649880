// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/model/reach.h"

#include <algorithm>
#include <functional>

#include "harness/core/fault/kinds.h"
#include "scenarios/alltoallv/model/choices.h"
#include "scenarios/alltoallv/model/expect.h"

namespace scenarios::alltoallv {

using harness::Fault;
using harness::FaultKind;
using targets::alltoallv::kFailedSite;
using targets::alltoallv::kInTheWaySite;
using targets::alltoallv::kProxyUnmapSite;
using targets::alltoallv::kPurgeSite;
using targets::alltoallv::kStaleSite;
using targets::alltoallv::kUnopenedRegion;
using targets::alltoallv::Status;

void Reach::disorder(Window window) {
  reach(window);
  if (disorder_ >= 0) return;
  disorder_ = harness::raw(window);
  disordered_at_ = scene_.world().scheduler.now();
}

// ---- collectives --------------------------------------------------------------------------------

// A rank that took a number in vain is one ahead of the others from then on.
void Reach::init_failed(const targets::alltoallv::FailedInit& failed) {
  if (failed.answer != Status::driver_error) return;
  reach(Window::number_skipped);
  if (failed.numbered) disorder(Window::number_skipped);
}

void Reach::entered(const targets::alltoallv::Entering& entering) {
  if (entering.mark != state_.mark(entering.rank, entering.request))
    disorder(Window::number_reused);
}

// ---- slots --------------------------------------------------------------------------------------

bool Reach::overtakes(Request request) const {
  const Post* own = state_.last_post(0, request);
  if (own == nullptr) return false;
  return std::any_of(&state_.posts[0].front(), own, [&](const Post& earlier) {
    return earlier.waits && earlier.slot == own->slot;
  });
}

bool Reach::others_in(std::uint32_t slot, std::uint32_t rank, harness::Generation use,
                      bool as_proxy) const {
  for (std::uint32_t other = 0; other < kRankLimit; ++other) {
    const Slot::User& user = state_.slots[slot].users[other];
    const bool earlier = user.use != harness::Generation::none && user.use != use;
    if (other != rank && earlier && (user.as_proxy || !as_proxy)) return true;
  }
  return false;
}

void Reach::claimed(const targets::alltoallv::Taking& taking) {
  const Post* post = state_.last_post(0, taking.request);
  const bool written = post != nullptr && taking.state == post->number;
  if (written && (taking.former != 0 || overtakes(taking.request))) disorder(Window::claim_race);
  if (taking.former == 0 && others_in(taking.slot, 0, state_.mark(0, taking.request), false))
    reach(Window::slot_released);
}

void Reach::publishing(const targets::alltoallv::Publishing& publishing) {
  const auto [rank, request, slot] = publishing;
  const harness::Generation use = state_.mark(rank, request);
  if (others_in(slot, rank, use, false)) reach(Window::source_reread);
  if (others_in(slot, rank, use, true)) reach(Window::proxy_reread);
}

// ---- copies -------------------------------------------------------------------------------------

bool Reach::is_filled_on(std::uint32_t stream, Request request) const {
  return std::any_of(state_.tensors.begin(), state_.tensors.end(), [&](const auto& tensors) {
    return std::any_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
      return tensor.is_source_of(request) && tensor.stream == stream;
    });
  });
}

void Reach::value_is_wrong(std::uint32_t rank, Request request) {
  for (const harness::Name collective : collectives_of(scene_.world(), rank, request))
    if (was_read_ahead(scene_.world(), collective))
      read_ahead_.push_back(scene_.world().scheduler.now());
}

void Reach::batching(const targets::alltoallv::Batching& batching) {
  const auto [rank, request, one_call] = batching;
  const Step& step = state_.step_at(request);
  if (has_proxied_share(step, rank, state_.topology(rank, request))) {
    reach(Window::pair_ignored);
    if (one_call) disorder(Window::pair_ignored);
  }
  if (step.stream != 0 && is_filled_on(step.stream, request)) reach(Window::read_ahead);
}

// ---- mappings -----------------------------------------------------------------------------------

// Peers have the scratch mapped, whether or not the policy waits for them.
void Reach::leaving(const targets::alltoallv::Leaving& leaving) {
  if (leaving.has_scratch && state_.mapper_of_scratch(leaving.rank, leaving.team))
    reach(Window::scratch_freed);
}

static Window window_of_reason(Reason reason) {
  return reason == Reason::stale ? Window::key_reused : Window::blind_close;
}

// The collective or team that mapped it has not ended on its rank, whether or not the policy has
// unmapped it.
void Reach::evicting(const targets::alltoallv::Eviction& eviction) {
  if (state_.is_used(eviction.region)) reach(window_of_reason(eviction.reason));
}

// ---- the window of a fault ----------------------------------------------------------------------

static std::optional<Window> window_of_closing(harness::Label site) {
  if (site == kStaleSite) return Window::key_reused;
  if (site == kInTheWaySite || site == kPurgeSite) return Window::blind_close;
  return std::nullopt;
}

/// Returns the window by which a mapping left the table before it was unmapped.
std::optional<Window> Reach::window_of_eviction(const Fault& fault) const {
  const auto reason = state_.evicted_for(fault.object);
  const bool is_of_letting_go = fault.kind == FaultKind::wrong_owner ||
                                fault.kind == FaultKind::double_free ||
                                fault.object_kind == kMissingRegion;
  return reason && is_of_letting_go ? std::optional(window_of_reason(*reason)) : std::nullopt;
}

std::optional<Window> Reach::own_window(const Fault& fault) const {
  if (harness::is_caller_error(scene_.scenario(), fault)) return std::nullopt;
  if (fault.kind == FaultKind::wrong_owner &&
      (fault.object_kind == kDeviceMemory || fault.object_kind == kOpenedEvent))
    return Window::scratch_freed;
  if (fault.kind == FaultKind::wrong_value &&
      std::find(read_ahead_.begin(), read_ahead_.end(), fault.tick) != read_ahead_.end())
    return Window::read_ahead;
  if (fault.use_site == kFailedSite) return Window::failed_after_claim;
  if (const auto window = window_of_closing(fault.use_site)) return window;
  if (const auto window = window_of_closing(fault.death_site)) return window;
  if (const auto window = window_of_eviction(fault)) return window;
  if (!fault.death_site.empty() && fault.kind != FaultKind::ghost_generation) return std::nullopt;
  if (fault.kind == FaultKind::ghost_generation || fault.kind == FaultKind::wrong_owner ||
      fault.object_kind == kMissingRegion)
    return fault.use_site == kProxyUnmapSite ? Window::proxy_reread : Window::source_reread;
  const bool is_of_unknown_address =
      fault.kind == FaultKind::wild_access || fault.kind == FaultKind::api_misuse;
  if (fault.object_kind == kUnopenedRegion ||
      (is_of_unknown_address && reached(Window::open_failed)))
    return Window::open_failed;
  return std::nullopt;
}

/// Returns the window of the first fault of the run that has one, if `fault` comes after it or is
/// not in the list; else -1. More faults may be appended between calls.
int Reach::first_window_before(const Fault& fault) {
  const std::vector<Fault>& faults = scene_.world().history.faults();
  for (; first_window_ < 0 && seen_count_ < faults.size(); ++seen_count_)
    if (const auto window = own_window(faults[seen_count_])) first_window_ = harness::raw(*window);
  if (first_window_ < 0) return -1;
  const Fault& first = faults[seen_count_ - 1];
  const bool follows = std::less<>()(&first, &fault) || std::less<>()(&fault, faults.data());
  return follows ? first_window_ : -1;
}

int Reach::window_of(const Fault& fault) {
  if (disorder_ >= 0 && disordered_at_ < fault.tick) return disorder_;
  if (const auto window = own_window(fault)) return harness::raw(*window);
  if (fault.kind == FaultKind::retention) return -1;
  const int first = first_window_before(fault);
  const bool hidden = fault.kind == FaultKind::wrong_value && reached(Window::failed_after_claim);
  return first < 0 && hidden ? harness::raw(Window::failed_after_claim) : first;
}

}  // namespace scenarios::alltoallv
