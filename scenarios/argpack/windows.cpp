// SPDX-License-Identifier: Apache-2.0
// Which window a fault belongs to. How the object died says it where that is telling, by its site
// and by what the shadow knows of its end; else the site of who met it dead; but whatever a context
// meets that is launched again, it meets through that. What follows from an earlier fault of the
// same call, such as a wrong value, belongs where that one does. An object that is met alive, and
// in another's place, is of a program that has ended.
#include <algorithm>
#include <optional>

#include "harness/fault/kinds.h"
#include "scenarios/argpack/judges.h"

namespace scenarios::argpack {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Label;
using namespace targets::argpack;  // Most of it is about the target's sites.

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

/// Says if a context was left pointing at it by a launch.
bool is_of_context(Label kind) {
  return kind == Label("argument buffer") || kind == Label("result buffer");
}

bool is_of_storage(Label site) { return site == kFreeExternal || site == kResizeExternal; }

/// Returns the shadow's record of the end of what the fault is about, or null.
const ShadowEnd* end_of(const Judges& judges, const Fault& fault) {
  const Shadow& shadow = judges.shadow();
  if (is_of_storage(fault.death_site)) return shadow.end_of_storage(fault.object);
  const bool is_object =
      fault.death_site == kDeleteArgpack.own || fault.death_site == kDeleteNdarray.own;
  return is_object ? shadow.end_of_object(fault.object) : nullptr;
}

/// Storage goes at once. An object's memory goes in the order of the device's work: that a kernel
/// may be using it makes no difference there.
bool went_in_flight(const Fault& fault, const ShadowEnd* end) {
  return end != nullptr && end->in_flight && is_of_storage(fault.death_site);
}

/// Something who held a stale wrapper ended this object's life; or an ended program, as it went,
/// its memory's.
bool died_by_mistake(const std::vector<Fault>& faults, const Fault& fault) {
  return std::any_of(faults.begin(), faults.end(), [&](const Fault& earlier) {
    if (earlier.kind != FaultKind::wrong_owner) return false;
    return earlier.recycler == fault.object ||
           (earlier.use_site == kAtReset && fault.death_site == kAtReset);
  });
}

/// Returns who caused the fault: a kernel's is its launch's.
const ShadowUser* user_of(const Judges& judges, const Fault& fault) {
  const Shadow& shadow = judges.shadow();
  return is_kernel(fault.use_site) ? shadow.launch_of_kernel(fault.tick)
                                   : shadow.user_in(fault.activation);
}

/// It went with its program, or is alive because something still has that.
bool is_of_ended_program(const Fault& fault) {
  if (fault.death_site == kAtReset) return true;
  const bool is_object =
      fault.object_kind == Label("ArgPack") || fault.object_kind == Label("Ndarray");
  return is_object && fault.death_site == Label() &&
         (fault.kind == FaultKind::use_after_free || fault.kind == FaultKind::recycled_use);
}

/// It is memory of a program's: of an object, or of a launch.
bool is_of_program(const Fault& fault) {
  return fault.object_kind == Label("device memory") && !(fault.birth_site == kNewExternal);
}

/// The program had ended before the object's wrapper was bound, written or read. The memory that is
/// met dead there may have been another's, who had the address since.
bool ended_before_its_use(const Judges& judges, const Fault& fault) {
  if (is_of_program(fault) && is_of_wrapper(fault.use_site)) return true;
  if (!is_of_ended_program(fault)) return false;
  if (is_of_wrapper(fault.use_site)) return true;
  const ShadowUser* user = user_of(judges, fault);
  return user != nullptr && judges.shadow().was_bound_stale(*user, fault.object);
}

/// The launch was in a program that had ended, and nothing of the script's died: no more than what
/// has an address by now that was the program's.
bool is_of_launch_in_ended_program(const Judges& judges, const Fault& fault) {
  if (!(fault.death_site == Label()) && !is_of_program(fault)) return false;
  const Shadow& shadow = judges.shadow();
  const ShadowUser* launch = is_kernel(fault.use_site) ? shadow.launch_of_kernel(fault.tick)
                                                       : shadow.launch_in(fault.activation);
  return launch != nullptr && launch->ended;
}

std::optional<Window> window_of_death(const Judges& judges, const Fault& fault) {
  if (is_stale(fault.death_site) || is_stale(fault.use_site) || ended_before_its_use(judges, fault))
    return Window::stale_wrapper;
  const ShadowEnd* end = end_of(judges, fault);
  const bool in_flight = went_in_flight(fault, end);
  if ((end != nullptr && end->reentrant && !in_flight) || is_of_ended_program(fault) ||
      is_of_launch_in_ended_program(judges, fault))
    return Window::taken_reentrantly;
  if (fault.kind == FaultKind::data_race)
    return Window::dropped_in_flight;  // Ended while the device may read.
  if (!is_kernel(fault.use_site)) return std::nullopt;
  if (in_flight) return Window::dropped_in_flight;
  if (fault.birth_site == kNewExternal) return Window::external_gone;
  return std::nullopt;
}

/// The fault that this one follows from, or null: a kernel's is one of its launch.
const Fault* cause_of(const Judges& judges, const std::vector<Fault>& faults, const Fault& fault) {
  const bool is_wrong =
      fault.kind == FaultKind::wrong_value || fault.kind == FaultKind::wild_access;
  if (!is_wrong && !(fault.use_site == kLaunchBind)) return nullptr;
  const ShadowUser* user = is_kernel(fault.use_site) ? user_of(judges, fault) : nullptr;
  const harness::Name activation = user != nullptr ? user->activation : fault.activation;
  for (const Fault& earlier : faults) {
    if (&earlier == &fault) break;
    if (earlier.activation == activation && earlier.kind == FaultKind::recycled_use)
      return &earlier;
  }
  return nullptr;
}

/// Returns the window that the call went through, where neither death nor use is telling, or -1. A
/// launch that was tried before continues with what it resolved the first time.
int window_of_call(const Judges& judges, const Fault& fault) {
  const ShadowUser* user = user_of(judges, fault);
  const Passages& passages = judges.passages();
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
  const auto& judges = scene.state<Judges>();
  if (is_of_context(fault.object_kind) ||
      judges.passages().reached_in(fault.activation, Window::context_reused))
    return harness::raw(Window::context_reused);
  if (const Fault* cause = cause_of(judges, faults, fault)) return window_of(scene, *cause);
  if (const auto window = window_of_death(judges, fault)) return harness::raw(*window);
  if (const Telling* row = find(kUseSites, fault.use_site)) return harness::raw(row->window);
  if (const Telling* row = find(kReadings, fault.object_kind)) return harness::raw(row->window);
  return window_of_call(judges, fault);
}

// Code that finds the fault is in the op that went through the window, or launches the context, or
// takes away what an earlier launch uses.
int way_of(const harness::Scene& scene, const Fault& fault) {
  const auto& judges = scene.state<Judges>();
  const int window = window_of(scene, fault);
  const auto in = static_cast<Window>(window);
  if (const auto way = judges.passages().way_in(fault.activation, in))
    return static_cast<int>(*way);
  if (const ShadowUser* user = user_of(judges, fault)) return harness::raw(user->way);
  return static_cast<int>(judges.passages().last_way_in(in).value_or(0));
}

}  // namespace scenarios::argpack
