// Which window a fault belongs to: by who met it, unless the same call went through one of the windows
// that cut across the others: a finalizer or a reset (W7), a context launched again (W11), an object that
// a stale wrapper had deleted (W6).
#include <algorithm>

#include "scenarios/argpack/script.h"

namespace scenarios::argpack {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Label;
using targets::argpack::Window;

struct Meeting {
  Label where;  ///< The use site of a fault, or what a reading was of.
  Window window;
};

constexpr std::array kMeetings{
    Meeting{"launch_kernel/nested_pack", Window::w1_nested_replaced},
    Meeting{"launch_kernel/pack", Window::w2_parent_freed},
    Meeting{"launch_kernel/parent", Window::w2_parent_freed},
    Meeting{"launch_kernel/array", Window::w3_array_deleted},
    Meeting{"launch_kernel/gradient", Window::w3_array_deleted},
    Meeting{"launch_kernel/external", Window::w4_external_gone},
    Meeting{"launch_kernel/copy_back", Window::w4_external_gone},
    Meeting{"launch_kernel/arguments", Window::w11_context_reused},
    Meeting{"pack", Window::w2_parent_freed},
    Meeting{"pack.c", Window::w1_nested_replaced},
    Meeting{"pack.c.c", Window::w1_nested_replaced},
    Meeting{"array", Window::w3_array_deleted},
    Meeting{"external", Window::w4_external_gone},
    Meeting{"saxpy", Window::w4_external_gone},
};

const Meeting* meeting(Label where) {
  const auto found = std::find_if(kMeetings.begin(), kMeetings.end(),
                                  [&](const Meeting& meeting) { return meeting.where == where; });
  return found != kMeetings.end() ? &*found : nullptr;
}

bool deleted_by_stale_wrapper(const harness::Scene& scene, const Fault& fault) {
  const auto& faults = scene.world().history.faults();
  return std::any_of(faults.begin(), faults.end(), [&](const Fault& earlier) {
    return earlier.kind == FaultKind::wrong_owner && earlier.recycler == fault.object;
  });
}

bool in_kernel(Label site) { return site == Label("walk_packs") || site == Label("read_bound"); }

}  // namespace

int window_of(const harness::Scene& scene, const Fault& fault) {
  const auto* script = static_cast<const Script*>(scene.state);
  const auto index = [](Window window) { return static_cast<int>(harness::raw(window)); };
  if (fault.kind == FaultKind::retention) return -1;
  if (fault.kind == FaultKind::wrong_owner || deleted_by_stale_wrapper(scene, fault))
    return index(Window::w6_stale_wrapper);
  for (const Window window : {Window::w11_context_reused, Window::w7_reentrant})
    if (script->reached_in(fault.activation, window)) return index(window);
  if (const Meeting* found = meeting(fault.use_site)) return index(found->window);
  if (in_kernel(fault.use_site) && script->was_reached(Window::w5_in_flight)) return index(Window::w5_in_flight);
  if (const Meeting* found = meeting(fault.object_kind)) return index(found->window);
  return script->last_window();
}

}  // namespace scenarios::argpack
