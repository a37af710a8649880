// Work: one thing that a stream was told to do, with everything it needs from the call that said
// so.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <vector>

#include "harness/devices/sim/launch.h"
#include "harness/devices/sim/memory.h"

namespace harness::devices {

struct Event;
struct Module;
class GraphRun;

enum class WorkKind : std::uint8_t {
  kernel,
  copy,
  set,
  install,  ///< An allocation begins to count.
  free,
  record,    ///< An event is recorded.
  wait,      ///< Nothing but its dependencies.
  function,  ///< A host function.
  graph,     ///< A launch of an executable graph.
};

/// One side of a copy or set: device memory as the call meant it, or the host's.
struct Place {
  std::uint64_t address = 0;
  BirthId birth = BirthId::none;  ///< None for pageable host memory.
};

/// How many rows a copy or set consists of, and how far apart they begin.
struct Rows {
  std::uint64_t height = 1;
  std::uint64_t depth = 1;
  std::uint64_t target_pitch = 0;
  std::uint64_t target_slice = 0;
  std::uint64_t source_pitch = 0;
  std::uint64_t source_slice = 0;
};

/// Ownership: owns what it copied from the caller. Kept and reused: buffers keep their capacity.
struct Work {
  WorkKind kind = WorkKind::wait;
  Label label;                     ///< "copy", or the kernel's name.
  Label site;                      ///< Where it was submitted.
  Name activation = 0;             ///< Who submitted it.
  std::vector<StreamPoint> after;  ///< What must be done first, in other streams.
  bool started = false;

  Launch launch;
  std::uint64_t block_index = 0;  ///< Of the block that runs next.
  Module* module = nullptr;       ///< Whose kernel it is.

  Place target;
  Place source;
  std::uint64_t bytes = 0;  ///< Of a row.
  Rows rows;
  Label
      captured_site;  ///< Where the addresses come from, if not from the call that submitted this.
  bool staged = false;  ///< The source is `staging`: bytes copied by the call.
  std::vector<std::byte> staging;
  CapturedWords words;      ///< The pointers among them.
  std::uint32_t value = 0;  ///< What to set to,
  std::uint32_t width = 0;  ///< in elements of so many bytes.

  std::uint32_t block = 0;
  Event* event = nullptr;
  std::uint64_t event_record = 0;  ///< How many-th record of the event.
  CUhostFn function = nullptr;
  void* data = nullptr;
  GraphRun* run = nullptr;

  void reset(WorkKind new_kind, Label new_label) {
    kind = new_kind;
    label = new_label;
    after.clear();
    started = false;
    block_index = 0;
    rows = {};
    captured_site = {};
    launch.captured_site = {};
    staged = false;
    words.clear();
  }
};

/// Work that takes no time on the device.
inline bool is_marker(const Work& work) {
  return work.kind == WorkKind::install || work.kind == WorkKind::record ||
         work.kind == WorkKind::wait;
}

}  // namespace harness::devices
