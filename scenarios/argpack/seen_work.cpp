// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/seen_work.h"

#include "targets/argpack/argpack.h"

namespace scenarios::argpack {

using harness::EventKind;
using targets::argpack::is_kernel;

void SeenWork::look() {
  const auto& events = history_.events();
  for (; seen_events_ < events.size(); ++seen_events_) {
    const harness::Event& event = events[seen_events_];
    if (event.kind == EventKind::submit) {
      ++all_.submitted;
      kernels_.submitted += is_kernel(event.what);
    } else if (event.kind == EventKind::finish) {
      ++all_.finished;
      kernels_.finished += is_kernel(event.what);
    }
  }
}

}  // namespace scenarios::argpack
