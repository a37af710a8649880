// Which window a fault belongs to. Sites say it: how the mapping died that was let go of, else who
// let go. What follows from an earlier fault of the run, such as a count that was stolen, or a wrong
// value, belongs where the first one does.
#include <optional>
#include <string_view>

#include "scenarios/alltoallv/ranks.h"

namespace scenarios::alltoallv {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Label;
using targets::alltoallv::Window;

std::optional<Window> window_of_closing(Label site) {
  if (site == Label("map/stale")) return Window::w4_key_reused;
  if (site == Label("map/invalidate") || site == Label("map/purge")) return Window::w5_blind_close;
  return std::nullopt;
}

bool is_stuck(FaultKind kind) {
  return kind == FaultKind::deadlock || kind == FaultKind::livelock ||
         kind == FaultKind::step_limit;
}

bool is_unmap(Label site) { return site.view().starts_with("alltoallv_unmap"); }

/// Two collectives in one slot at once.
Window mixed_up(const Job& job) {
  return job.reached(Window::w12_claim_race) ? Window::w12_claim_race : Window::w11_number_reused;
}

std::optional<Window> own_window(const Job& job, const Fault& fault) {
  const bool is_mixed_up = job.reached(Window::w11_number_reused) || job.reached(Window::w12_claim_race);
  if (is_stuck(fault.kind) && is_mixed_up) return mixed_up(job);
  if (is_stuck(fault.kind) || fault.use_site == Label("collective_failed") ||
      fault.use_site == Label("destroy_team"))
    return Window::w9_error;
  if (const auto window = window_of_closing(fault.use_site)) return window;
  if (const auto window = window_of_closing(fault.death_site)) return window;
  if (fault.kind == FaultKind::ghost_generation && !is_unmap(fault.use_site))
    return mixed_up(job);
  if (fault.kind == FaultKind::ghost_generation || fault.kind == FaultKind::wrong_owner ||
      fault.object_kind == Label("missing region"))
    return fault.use_site == Label("alltoallv_unmap/proxy") ? Window::w2_proxy_reread
                                                            : Window::w1_source_reread;
  if (fault.object_kind == Label("unopened region")) return Window::w6_open_failed;
  const bool unknown_address =
      fault.kind == FaultKind::wild_access || fault.kind == FaultKind::api_misuse;
  if (unknown_address && job.reached(Window::w6_open_failed)) return Window::w6_open_failed;
  return std::nullopt;
}

}  // namespace

int window_of(const harness::Scene& scene, const Fault& fault) {
  const auto& job = *static_cast<const Job*>(scene.state);
  if (const auto window = own_window(job, fault)) return harness::raw(*window);
  if (fault.kind == FaultKind::retention) return -1;
  for (const Fault& earlier : scene.world().history.faults()) {
    if (&earlier == &fault) break;
    if (const auto window = own_window(job, earlier)) return harness::raw(*window);
  }
  return job.reached(Window::w9_error) ? harness::raw(Window::w9_error) : -1;
}

}  // namespace scenarios::alltoallv
