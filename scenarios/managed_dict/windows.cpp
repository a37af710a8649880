// Which window a fault belongs to. What was found tells it; a crash belongs where the first finding
// of its run does, because what crashes is whoever believed what was found wrong before.
#include "harness/fault/kinds.h"
#include "scenarios/managed_dict/player.h"

namespace scenarios::managed_dict {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Label;

struct Telling {
  Label what;
  Window window;
};

constexpr std::array kTellings{
    Telling{"tagged word", Window::word_read},
    Telling{"padding", Window::order_appended},
    Telling{"prefix", Window::chunk_freed},
    Telling{"values", Window::chunk_freed},
    Telling{"misaligned values", Window::chunk_freed},
    Telling{"class attribute", Window::type_modified},
    Telling{"cache entry", Window::type_modified},
    Telling{"attribute", Window::value_counted},
    Telling{"reference count", Window::value_counted},
    Telling{"small integer",
            Window::value_counted},  // A null that was counted, where nothing was found before.
};

int direct_window(const Fault& fault) {
  if (fault.kind == FaultKind::api_misuse) return harness::raw(Window::word_counted);
  if (fault.object_kind == Label("tagged word") && fault.kind != FaultKind::wrong_value)
    return harness::raw(Window::instance_recycled);
  for (const Telling& telling : kTellings)
    if (telling.what == fault.object_kind) return harness::raw(telling.window);
  return -1;
}

}  // namespace

int window_of(const harness::Scene& scene, const Fault& fault) {
  if (fault.kind == FaultKind::retention) return -1;
  const bool follows = fault.fatal || fault.kind == FaultKind::double_free;
  if (!follows)
    if (const int window = direct_window(fault); window >= 0) return window;
  for (const Fault& earlier : scene.world().history.faults())
    if (const int window = direct_window(earlier); window >= 0) return window;
  return harness::raw(Window::word_read);
}

}  // namespace scenarios::managed_dict
