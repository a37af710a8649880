// SPDX-License-Identifier: Apache-2.0
// Assigns a fault to a window by its kind. A crash belongs to the window of the run's first fault,
// because the crashing code has used the faulty bytes. If there was none, the crashing code
// decides.
#include "scenarios/managed_dict/model/reach.h"

#include "harness/core/fault/kinds.h"

namespace scenarios::managed_dict {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Label;

/// The kinds of objects whose faults belong to a window.
struct Objects {
  Window window;
  std::array<Label, 3> kinds;
};

constexpr auto kObjects = std::to_array<Objects>({
#define WINDOW(name, summary, ...) {Window::name, {__VA_ARGS__}},
#include "scenarios/managed_dict/windows.def"
});

constexpr std::array<Label, 3> kOfDicts{"PyDict_GetItem", "PyDict_SetItem", "PyDict_DelItem"};

int direct_window(const Fault& fault) {
  if (fault.kind == FaultKind::api_misuse) return harness::raw(Window::word_counted);
  if (fault.object_kind == Label("tagged word") && fault.kind != FaultKind::wrong_value)
    return harness::raw(Window::instance_recycled);
  if (fault.object_kind.empty()) return -1;
  for (const auto& [window, kinds] : kObjects)
    for (const Label kind : kinds)
      if (kind == fault.object_kind) return harness::raw(window);
  return -1;
}

bool is_writers(const harness::Event& event) {
  return event.kind == harness::EventKind::note && event.what == Label("the writer acts");
}

/// Returns the window of a crash without an earlier fault, or -1: a dict function got the word;
/// other code uses memory next to an overgrown insertion order; or a counted pointer has changed an
/// object's count and type.
int window_of_crash(const harness::Scene& scene, const Fault& fault) {
  for (const Label function : kOfDicts)
    if (fault.use_site == function) return harness::raw(Window::word_read);
  if (!scene.has_state()) return -1;
  const Reached& reached = scene.state<Reached>();
  if (reached.overran()) return harness::raw(Window::order_appended);
  return reached.miscounted() ? harness::raw(Window::value_counted) : -1;
}

}  // namespace

void Reached::reach(Window window) {
  if (writes_in_append()) {
    overran_ = true;
    scene_.reach(harness::raw(Window::order_appended));
  }
  const bool appends = window == Window::order_appended;
  appended_at_ = appends ? scene_.world().history.events().size() : kNone;
  if (acted_ || has_acted()) scene_.reach(harness::raw(window));
}

bool Reached::has_acted() {
  const auto& events = scene_.world().history.events();
  for (; !acted_ && seen_ < events.size(); ++seen_) acted_ = is_writers(events[seen_]);
  return acted_;
}

/// Returns whether the writer acts immediately after an append.
bool Reached::writes_in_append() const {
  const auto& events = scene_.world().history.events();
  return appended_at_ < events.size() && is_writers(events[appended_at_]);
}

int window_of(const harness::Scene& scene, const Fault& fault) {
  if (fault.kind == FaultKind::retention) return -1;
  const bool follows = fault.fatal || fault.kind == FaultKind::double_free;
  if (!follows)
    if (const int window = direct_window(fault); window >= 0) return window;
  for (const Fault& earlier : scene.world().history.faults())
    if (const int window = direct_window(earlier); window >= 0) return window;
  return window_of_crash(scene, fault);
}

}  // namespace scenarios::managed_dict
