// Which window a fault belongs to. Sites say it: how the object died where that is telling
// ("*/stale", "*/reentrant", "*/in_flight"), else who met it dead; but whatever a context meets
// that is launched again, it meets through that. What follows from an earlier fault of the same
// call, such as a wrong value, belongs where that one does.
#include <algorithm>
#include <optional>
#include <string_view>

#include "scenarios/argpack/script.h"

namespace scenarios::argpack {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Label;

struct Telling {
  Label what;  ///< A site, or what a reading was of.
  Window window;
};

constexpr std::array kUseSites{
    Telling{"compile_kernel", Window::w7_reentrant},
    Telling{"launch_kernel", Window::w7_reentrant},
    Telling{"launch_kernel/nested_pack", Window::w1_nested_replaced},
    Telling{"launch_kernel/pack", Window::w2_parent_freed},
    Telling{"launch_kernel/parent", Window::w2_parent_freed},
    Telling{"launch_kernel/array", Window::w3_array_deleted},
    Telling{"launch_kernel/gradient", Window::w3_array_deleted},
    Telling{"launch_kernel/external", Window::w4_external_gone},
    Telling{"launch_kernel/copy_back", Window::w4_external_gone},
    Telling{"launch_kernel/arguments", Window::w11_context_reused},
};
constexpr std::array kReadings{
    Telling{"gradient", Window::w3_array_deleted},
    Telling{"pack", Window::w2_parent_freed},        Telling{"pack.c", Window::w1_nested_replaced},
    Telling{"pack.c.c", Window::w1_nested_replaced}, Telling{"array", Window::w3_array_deleted},
    Telling{"external", Window::w4_external_gone},   Telling{"saxpy", Window::w4_external_gone},
};

template <std::size_t count>
const Telling* find(const std::array<Telling, count>& table, Label what) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Telling& row) { return row.what == what; });
  return found != table.end() ? &*found : nullptr;
}

bool ends_with(Label site, std::string_view ending) { return site.view().ends_with(ending); }

/// Somebody who held a stale wrapper ended this object's life.
bool died_by_mistake(const std::vector<Fault>& faults, const Fault& fault) {
  return std::any_of(faults.begin(), faults.end(), [&](const Fault& earlier) {
    return earlier.kind == FaultKind::wrong_owner && earlier.recycler == fault.object;
  });
}

bool is_kernel(Label site) { return site == Label("walk_packs") || site == Label("read_bound"); }

std::optional<Window> window_of_death(const Fault& fault) {
  if (ends_with(fault.death_site, "/stale") || ends_with(fault.use_site, "/stale"))
    return Window::w6_stale_wrapper;
  if (ends_with(fault.death_site, "/reentrant") || fault.death_site == Label("reset"))
    return Window::w7_reentrant;
  if (fault.kind == FaultKind::order) return Window::w5_in_flight;  // Ended while the device may read.
  if (!is_kernel(fault.use_site)) return std::nullopt;
  if (ends_with(fault.death_site, "/in_flight")) return Window::w5_in_flight;
  if (ends_with(fault.birth_site, "_external")) return Window::w4_external_gone;
  return std::nullopt;
}

/// The fault that this one follows from, or null.
const Fault* cause_of(const std::vector<Fault>& faults, const Fault& fault) {
  if (fault.kind != FaultKind::wrong_value && !(fault.use_site == Label("launch_kernel/bind")))
    return nullptr;
  for (const Fault& earlier : faults) {
    if (&earlier == &fault) break;
    if (earlier.activation == fault.activation && earlier.kind == FaultKind::recycled_use)
      return &earlier;
  }
  return nullptr;
}

/// The window that the call went through, where neither death nor use is telling. A wild access
/// without one is a launch that was tried again: what it resolved the first time is no address.
int window_of_call(const Script& script, const Fault& fault) {
  for (const Window window : {Window::w4_external_gone, Window::w7_reentrant})
    if (script.passages().reached_in(fault.activation, window)) return harness::raw(window);
  if (fault.kind == FaultKind::wild_access) return harness::raw(Window::w11_context_reused);
  return script.passages().last();
}

}  // namespace

int window_of(const harness::Scene& scene, const Fault& fault) {
  if (fault.kind == FaultKind::retention || fault.kind == FaultKind::refusal) return -1;
  const std::vector<Fault>& faults = scene.world().history.faults();
  if (fault.kind == FaultKind::wrong_owner || died_by_mistake(faults, fault))
    return harness::raw(Window::w6_stale_wrapper);
  const auto& script = *static_cast<const Script*>(scene.state);
  if (script.passages().reached_in(fault.activation, Window::w11_context_reused))
    return harness::raw(Window::w11_context_reused);
  if (const Fault* cause = cause_of(faults, fault)) return window_of(scene, *cause);
  if (const auto window = window_of_death(fault)) return harness::raw(*window);
  if (const Telling* row = find(kUseSites, fault.use_site)) return harness::raw(row->window);
  if (const Telling* row = find(kReadings, fault.object_kind)) return harness::raw(row->window);
  return window_of_call(script, fault);
}

}  // namespace scenarios::argpack
