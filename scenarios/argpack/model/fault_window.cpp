// SPDX-License-Identifier: Apache-2.0
// Assigns a fault to a window. The death of the object decides if it is specific, by its site and
// the record of Reach; if not, the site of the use decides. But every fault of a context that is
// launched again belongs to that window. A consequence of an earlier fault of the same call, like a
// wrong value, belongs to that fault's window. A live object in another's place belongs to a
// program that has ended.
#include <algorithm>
#include <optional>

#include "harness/core/fault/kinds.h"
#include "scenarios/argpack/model/reach.h"
#include "scenarios/argpack/scenario.h"

namespace scenarios::argpack {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Label;
using namespace targets::argpack;  // For the target's sites.

struct Telling {
  Label what;  ///< A site, or the name of a reading.
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
    Telling{kLaunchResults, Window::context_reused},
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

/// Returns whether an earlier launch left a context pointing at such an object.
bool is_of_context(Label kind) {
  return kind == Label("argument buffer") || kind == Label("result buffer");
}

bool is_of_storage(Label site) { return site == kFreeExternal || site == kResizeExternal; }

/// Returns the end of the fault's object, or null.
const End* end_of(const Reach& reach, const Fault& fault) {
  if (is_of_storage(fault.death_site)) return reach.end_of_storage(fault.object);
  const bool is_object =
      fault.death_site == kDeleteArgpack.own || fault.death_site == kDeleteNdarray.own;
  return is_object ? reach.end_of_object(fault.object) : nullptr;
}

/// Returns whether a kernel may have been using storage when it ended. An object's memory is freed
/// in stream order, where this makes no difference.
bool went_in_flight(const Fault& fault, const End* end) {
  return end != nullptr && end->in_flight && is_of_storage(fault.death_site);
}

/// Returns whether a stale wrapper deleted this object, or an ended program freed its memory when
/// it was destroyed.
bool died_by_mistake(const std::vector<Fault>& faults, const Fault& fault) {
  return std::any_of(faults.begin(), faults.end(), [&](const Fault& earlier) {
    if (earlier.kind != FaultKind::wrong_owner) return false;
    return earlier.recycler == fault.object ||
           (earlier.use_site == kAtReset && fault.death_site == kAtReset);
  });
}

/// Returns the user that caused the fault. For a kernel, this is its launch.
const User* user_of(const Reach& reach, const Fault& fault) {
  return is_kernel(fault.use_site) ? reach.launch_of_kernel(fault.tick)
                                   : reach.user_in(fault.activation);
}

/// Returns whether it died with its program, or is alive because the program still is.
bool is_of_ended_program(const Fault& fault) {
  if (fault.death_site == kAtReset) return true;
  const bool is_object =
      fault.object_kind == Label("ArgPack") || fault.object_kind == Label("Ndarray");
  return is_object && fault.death_site == Label() &&
         (fault.kind == FaultKind::use_after_free || fault.kind == FaultKind::recycled_use);
}

/// Returns whether it is a program's memory: of an object, or of a launch.
bool is_of_program(const Fault& fault) {
  return fault.object_kind == Label("device memory") && !(fault.birth_site == kNewExternal);
}

/// Returns whether the program had ended before the object's wrapper was bound, written or read.
/// The dead memory found there may belong to a later owner of the address.
bool ended_before_its_use(const Reach& reach, const Fault& fault) {
  if (is_of_program(fault) && is_of_wrapper(fault.use_site)) return true;
  if (!is_of_ended_program(fault)) return false;
  if (is_of_wrapper(fault.use_site)) return true;
  const User* user = user_of(reach, fault);
  return user != nullptr && reach.was_bound_stale(*user, fault.object);
}

/// Returns whether the launch was in a program that had ended, and no object of the script died:
/// only the addresses of the program's memory were reused.
bool is_of_launch_in_ended_program(const Reach& reach, const Fault& fault) {
  if (!(fault.death_site == Label()) && !is_of_program(fault)) return false;
  const User* launch = is_kernel(fault.use_site) ? reach.launch_of_kernel(fault.tick)
                                                 : reach.launch_in(fault.activation);
  return launch != nullptr && launch->ended;
}

std::optional<Window> window_of_death(const Reach& reach, const Fault& fault) {
  if (is_stale(fault.death_site) || is_stale(fault.use_site) || ended_before_its_use(reach, fault))
    return Window::stale_wrapper;
  const End* end = end_of(reach, fault);
  const bool in_flight = went_in_flight(fault, end);
  if ((end != nullptr && end->reentrant && !in_flight) || is_of_ended_program(fault) ||
      is_of_launch_in_ended_program(reach, fault))
    return Window::taken_reentrantly;
  if (fault.kind == FaultKind::data_race)
    return Window::dropped_in_flight;  // It ended while the device may read it.
  if (!is_kernel(fault.use_site)) return std::nullopt;
  if (in_flight) return Window::dropped_in_flight;
  if (fault.birth_site == kNewExternal) return Window::external_gone;
  return std::nullopt;
}

/// Returns the fault that caused this one, or null. A kernel's fault follows from its launch's.
const Fault* cause_of(const Reach& reach, const std::vector<Fault>& faults, const Fault& fault) {
  const bool is_wrong =
      fault.kind == FaultKind::wrong_value || fault.kind == FaultKind::wild_access;
  if (!is_wrong && !(fault.use_site == kLaunchBind)) return nullptr;
  const User* user = is_kernel(fault.use_site) ? user_of(reach, fault) : nullptr;
  const harness::Name activation = user != nullptr ? user->activation : fault.activation;
  for (const Fault& earlier : faults) {
    if (&earlier == &fault) break;
    if (earlier.activation == activation && earlier.kind == FaultKind::recycled_use)
      return &earlier;
  }
  return nullptr;
}

/// Returns a window that the call reached, or -1, if neither death nor use is specific. A retried
/// launch continues with what it resolved the first time.
int window_of_call(const Reach& reach, const Fault& fault) {
  const User* user = user_of(reach, fault);
  const Passages& passages = reach.passages();
  for (const Window window : {Window::external_gone, Window::taken_reentrantly})
    if (passages.reached_in(user != nullptr ? user->activation : fault.activation, window))
      return harness::raw(window);
  if (user != nullptr && user->again) return harness::raw(Window::context_reused);
  const bool in_flight = passages.last_way_in(Window::dropped_in_flight).has_value();
  return in_flight && is_kernel(fault.use_site) ? harness::raw(Window::dropped_in_flight) : -1;
}

}  // namespace

int window_of(const harness::Scene& scene, const Fault& fault) {
  if (fault.kind == FaultKind::retention || fault.kind == FaultKind::refusal) return -1;
  const std::vector<Fault>& faults = scene.world().history.faults();
  if (fault.kind == FaultKind::wrong_owner || died_by_mistake(faults, fault))
    return harness::raw(Window::stale_wrapper);
  const auto& reach = scene.state<const Reach>();
  if (is_of_context(fault.object_kind) ||
      reach.passages().reached_in(fault.activation, Window::context_reused))
    return harness::raw(Window::context_reused);
  if (const Fault* cause = cause_of(reach, faults, fault)) return window_of(scene, *cause);
  if (const auto window = window_of_death(reach, fault)) return harness::raw(*window);
  if (const Telling* row = find(kUseSites, fault.use_site)) return harness::raw(row->window);
  if (const Telling* row = find(kReadings, fault.object_kind)) return harness::raw(row->window);
  return window_of_call(reach, fault);
}

// Finds the way by the op of the fault: it reached the window itself, launches the context, or
// removes an object that an earlier launch uses.
int way_of(const harness::Scene& scene, const Fault& fault) {
  const auto& reach = scene.state<const Reach>();
  const int window = window_of(scene, fault);
  const auto in = static_cast<Window>(window);
  if (const auto way = reach.passages().way_in(fault.activation, in)) return static_cast<int>(*way);
  if (const User* user = user_of(reach, fault)) return harness::raw(user->context->way);
  return static_cast<int>(reach.passages().last_way_in(in).value_or(0));
}

}  // namespace scenarios::argpack
