// Which window a fault belongs to. Sites say it: how the object died where that is telling, else
// who met it dead; but whatever a context meets that is launched again, it meets through that. What
// follows from an earlier fault of the same call, such as a wrong value, belongs where that one
// does.
#include <algorithm>
#include <optional>

#include "scenarios/argpack/judges.h"

namespace scenarios::argpack {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Label;
using namespace targets::argpack;  // NOLINT: most of it is about the target's sites.

struct Telling {
  Label what;  ///< A site, or what a reading was of.
  Window window;
};

constexpr std::array kUseSites{
    Telling{kCompile, Window::taken_reentrantly},
    Telling{kLaunch, Window::taken_reentrantly},
    Telling{kLaunchNestedPack, Window::nested_replaced},
    Telling{kLaunchPack, Window::parent_freed},
    Telling{kLaunchParent, Window::parent_freed},
    Telling{kLaunchArray, Window::array_deleted},
    Telling{kLaunchGradient, Window::array_deleted},
    Telling{kLaunchExternal, Window::external_gone},
    Telling{kLaunchCopyBack, Window::external_gone},
    Telling{kLaunchArguments, Window::context_reused},
};
constexpr std::array kReadings{
    Telling{"gradient", Window::array_deleted}, Telling{"pack", Window::parent_freed},
    Telling{"pack.c", Window::nested_replaced}, Telling{"pack.c.c", Window::nested_replaced},
    Telling{"array", Window::array_deleted},    Telling{"external", Window::external_gone},
    Telling{"saxpy", Window::external_gone},
};

template <std::size_t count>
const Telling* find(const std::array<Telling, count>& table, Label what) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Telling& row) { return row.what == what; });
  return found != table.end() ? &*found : nullptr;
}

bool is_stale(Label site) { return site == kDeleteArgpack.stale || site == kDeleteNdarray.stale; }

bool is_in_flight(Label site) {
  return site == kFreeExternal.in_flight || site == kResizeExternal.in_flight;
}

bool is_reentrant(Label site) {
  return site == kDeleteArgpack.reentrant || site == kDeleteNdarray.reentrant ||
         site == kFreeExternal.reentrant || site == kResizeExternal.reentrant;
}

/// Somebody who held a stale wrapper ended this object's life.
bool died_by_mistake(const std::vector<Fault>& faults, const Fault& fault) {
  return std::any_of(faults.begin(), faults.end(), [&](const Fault& earlier) {
    return earlier.kind == FaultKind::wrong_owner && earlier.recycler == fault.object;
  });
}

std::optional<Window> window_of_death(const Fault& fault) {
  if (is_stale(fault.death_site) || is_stale(fault.use_site)) return Window::stale_wrapper;
  if (is_reentrant(fault.death_site) || fault.death_site == kAtReset)
    return Window::taken_reentrantly;
  if (fault.kind == FaultKind::data_race)
    return Window::dropped_in_flight;  // Ended while the device may read.
  if (!is_kernel(fault.use_site)) return std::nullopt;
  if (is_in_flight(fault.death_site)) return Window::dropped_in_flight;
  if (fault.birth_site == kNewExternal) return Window::external_gone;
  return std::nullopt;
}

/// The fault that this one follows from, or null.
const Fault* cause_of(const std::vector<Fault>& faults, const Fault& fault) {
  if (fault.kind != FaultKind::wrong_value && !(fault.use_site == kLaunchBind)) return nullptr;
  for (const Fault& earlier : faults) {
    if (&earlier == &fault) break;
    if (earlier.activation == fault.activation && earlier.kind == FaultKind::recycled_use)
      return &earlier;
  }
  return nullptr;
}

/// The window that the call went through, where neither death nor use is telling. A wild access
/// without one is a launch that was tried again: what it resolved the first time is no address.
int window_of_call(const Judges& judges, const Fault& fault) {
  for (const Window window : {Window::external_gone, Window::taken_reentrantly})
    if (judges.passages().reached_in(fault.activation, window)) return harness::raw(window);
  if (fault.kind == FaultKind::wild_access) return harness::raw(Window::context_reused);
  return judges.passages().last();
}

}  // namespace

int window_of(const harness::Scene& scene, const Fault& fault) {
  if (fault.kind == FaultKind::retention || fault.kind == FaultKind::refusal) return -1;
  const std::vector<Fault>& faults = scene.world().history.faults();
  if (fault.kind == FaultKind::wrong_owner || died_by_mistake(faults, fault))
    return harness::raw(Window::stale_wrapper);
  const auto& judges = scene.state<Judges>();
  if (judges.passages().reached_in(fault.activation, Window::context_reused))
    return harness::raw(Window::context_reused);
  if (const Fault* cause = cause_of(faults, fault)) return window_of(scene, *cause);
  if (const auto window = window_of_death(fault)) return harness::raw(*window);
  if (const Telling* row = find(kUseSites, fault.use_site)) return harness::raw(row->window);
  if (const Telling* row = find(kReadings, fault.object_kind)) return harness::raw(row->window);
  return window_of_call(judges, fault);
}

}  // namespace scenarios::argpack
