// SPDX-License-Identifier: Apache-2.0
#include "harness/core/history/history.h"

#include <array>

#include "harness/core/fault/former_words.h"

namespace harness {

Label to_label(EventKind kind) {
  static constexpr std::array<Label, 12> kLabels{"op",      "birth",  "death",   "call",
                                                 "step",    "submit", "start",   "finish",
                                                 "observe", "use",    "collect", "note"};
  return kLabels[raw(kind)];
}

// A fatal fault may not end its run. The last fatal one does. A debugger has its breakpoint here.
[[gnu::noinline]] void History::add(Fault fault) {
  if (!counts(fault.kind)) return;
  if (faults_.size() < kFaultLimit) return faults_.push_back(std::move(fault));
  if (!fault.fatal) return;
  faults_.resize(kFaultLimit);
  faults_.push_back(std::move(fault));
}

std::uint64_t History::trace_hash() const {
  std::uint64_t hash = 0;
  for (const Event& event : events_) {
    hash = mix(hash,
               raw(event.kind) | std::uint64_t{event.task} << 8 | std::uint64_t{event.tick} << 32);
    hash = mix(hash, event.what.hash());
    hash = mix(hash, event.activation);
    hash = mix(hash, event.object);
    hash = mix(hash, event.value);
  }
  for (const Fault& fault : faults_) {
    hash = mix(hash, hash_name(in_former_words(fault.signature())));
    hash = mix(mix(hash, fault.object), mix(fault.activation, fault.tick));
  }
  return hash;
}

}  // namespace harness
