// SPDX-License-Identifier: Apache-2.0
// Assigns a fault to a window. If an error or a mix-up of collectives came first, all later faults
// belong to it, because ranks disagree about shared words. If not, the sites decide: how a mapping
// was closed that was later unmapped, or which code unmapped it. A fault without such evidence,
// like a wrong value, belongs to the window of the first fault that has some.
#include <optional>
#include <string_view>

#include "harness/core/fault/kinds.h"
#include "scenarios/alltoallv/job.h"

namespace scenarios::alltoallv {
namespace {

using harness::Fault;
using harness::FaultKind;
using targets::alltoallv::kFailedSite;
using targets::alltoallv::kInTheWaySite;
using targets::alltoallv::kProxyUnmapSite;
using targets::alltoallv::kPurgeSite;
using targets::alltoallv::kStaleSite;
using targets::alltoallv::kUnopenedRegion;

constexpr harness::Label kDeviceMemory = "device memory";

std::optional<Window> window_of_closing(harness::Label site) {
  if (site == kStaleSite) return Window::key_reused;
  if (site == kInTheWaySite || site == kPurgeSite) return Window::blind_close;
  return std::nullopt;
}

/// Returns the window by which a mapping left the table before it was unmapped.
std::optional<Window> window_of_leaving(const Mappings& mappings, const Fault& fault) {
  const auto reason = mappings.thrown_for(fault.object);
  const bool is_of_letting_go = fault.kind == FaultKind::wrong_owner ||
                                fault.kind == FaultKind::double_free ||
                                fault.object_kind == kMissingRegion;
  if (!reason || !is_of_letting_go) return std::nullopt;
  return *reason == targets::alltoallv::Reason::stale ? Window::key_reused : Window::blind_close;
}

std::optional<Window> own_window(const harness::Scene& scene, const Fault& fault) {
  if (harness::is_caller_error(scene.scenario(), fault)) return std::nullopt;
  const Judges& judges = scene.state<Job>().judges;
  const Shadow& shadow = judges.shadow();
  if (fault.kind == FaultKind::wrong_owner &&
      (fault.object_kind == kDeviceMemory || fault.object_kind == kOpenedEvent))
    return Window::scratch_freed;
  if (fault.kind == FaultKind::wrong_value && shadow.was_read_ahead(fault.tick))
    return Window::read_ahead;
  if (fault.use_site == kFailedSite) return Window::failed_after_claim;
  if (const auto window = window_of_closing(fault.use_site)) return window;
  if (const auto window = window_of_closing(fault.death_site)) return window;
  if (const auto window = window_of_leaving(judges.mappings(), fault)) return window;
  if (!fault.death_site.empty() && fault.kind != FaultKind::ghost_generation) return std::nullopt;
  if (fault.kind == FaultKind::ghost_generation || fault.kind == FaultKind::wrong_owner ||
      fault.object_kind == kMissingRegion)
    return fault.use_site == kProxyUnmapSite ? Window::proxy_reread : Window::source_reread;
  if (fault.object_kind == kUnopenedRegion) return Window::open_failed;
  const bool unknown_address =
      fault.kind == FaultKind::wild_access || fault.kind == FaultKind::api_misuse;
  if (unknown_address && shadow.reached(Window::open_failed)) return Window::open_failed;
  return std::nullopt;
}

}  // namespace

int window_of(const harness::Scene& scene, const Fault& fault) {
  auto& job = scene.state<Job>();
  const Shadow& shadow = job.judges.shadow();
  if (const int disorder = shadow.disorder_before(fault.tick); disorder >= 0) return disorder;
  if (const auto window = own_window(scene, fault)) return harness::raw(*window);
  if (fault.kind == FaultKind::retention) return -1;
  const int first =
      job.first_told.before(fault, scene.world().history.faults(),
                            [&](const Fault& earlier) { return own_window(scene, earlier); });
  const bool hidden =
      fault.kind == FaultKind::wrong_value && shadow.reached(Window::failed_after_claim);
  return first < 0 && hidden ? harness::raw(Window::failed_after_claim) : first;
}

}  // namespace scenarios::alltoallv
