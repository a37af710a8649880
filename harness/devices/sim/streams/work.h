// SPDX-License-Identifier: Apache-2.0
// Work: one thing that a stream was told to do, with everything it needs from the call that said
// so.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <vector>

#include "harness/devices/sim/kernels/launch.h"
#include "harness/devices/sim/lent/lent_memory.h"
#include "harness/devices/sim/memory/memory.h"
#include "harness/devices/sim/streams/block_uses.h"
#include "harness/devices/sim/streams/clock.h"
#include "harness/devices/sim/streams/host_work.h"

namespace harness::devices {

struct Event;
struct Module;
class GraphRun;

enum class WorkKind : std::uint8_t {
  kernel,
  host_work,  ///< A kernel whose body is a function of the program's.
  copy,
  set,
  prefetch,
  install,  ///< An allocation begins to count.
  free,
  record,      ///< An event is recorded.
  wait,        ///< Nothing but its dependencies.
  function,    ///< A host function or a stream callback.
  memory_ops,  ///< Waits for values in memory, and writes of them.
  graph,       ///< A launch of an executable graph.
};

/// One side of a copy or set: device memory as the call meant it, or the host's.
struct Place {
  std::uint64_t address = 0;
  BirthId birth = BirthId::none;  ///< None for pageable host memory.
  LentId lent = LentId::none;     ///< Pageable memory that a node was given.
};

/// A wait for a value in memory, or a write of one.
struct MemoryOp {
  bool waits = false;
  std::uint32_t bytes = 4;
  unsigned condition = 0;  ///< When a wait is over: of CUstreamWaitValue_flags.
  std::uint64_t value = 0;
  Place place;
};

/// The rows that a copy or set consists of: how many, and how far apart they begin.
struct Rows {
  std::uint64_t height = 1;
  std::uint64_t depth = 1;
  std::uint64_t target_pitch = 0;
  std::uint64_t target_slice = 0;
  std::uint64_t source_pitch = 0;
  std::uint64_t source_slice = 0;
};

/// The bytes in a place of the host's when work with it was queued. No one sees the host write;
/// that the bytes are others when the work gets there, and no work was at them, shows it.
struct HostBytes {
  std::uint32_t block = 0;  ///< 0: not the host's, or too much to look at.
  std::uint32_t use_count = 0;
  std::uint64_t hash = 0;
};

/// Ownership: owns what it copied from the caller. Kept and reused: buffers keep their capacity.
struct Work {
  WorkKind kind = WorkKind::wait;
  Label label;                     ///< "copy", or the kernel's name.
  Label site;                      ///< The site at which it was submitted.
  Name activation = 0;             ///< The activation that submitted it.
  Name on = 0;                     ///< The stream that it was submitted to.
  Tick submitted = 0;              ///< When.
  std::vector<StreamPoint> after;  ///< Points of other streams that must be done first.
  bool started = false;
  OrderPoint at;  ///< Its place in its line.
  Clock before;   ///< The work that comes before it, by the program's orders.

  Launch launch;
  std::uint64_t block_index = 0;  ///< Index of the block that runs next.
  BlockUses block_uses;           ///< Uses of the blocks that have run.
  Module* module = nullptr;       ///< The module whose kernel it is.
  std::uint32_t unloads = 0;      ///< This many modules were unloaded before its submission.
  std::uint64_t regions = 0;      ///< The same of changes of regions.

  HostWork host_work;

  Place target;
  Place source;
  std::uint64_t bytes = 0;  ///< The bytes of a row.
  Rows rows;
  std::uint64_t row = 0;  ///< Number of the row that is copied now.
  HostBytes source_bytes;
  HostBytes target_bytes;
  CapturedAt captured;  ///< Where the addresses come from, if not the call that submitted this.
  bool staged = false;  ///< The source is `staging`: bytes copied by the call.
  StagedCopies staged_copy = 0;      ///< Its number, if the call was synchronous.
  StagedCopies copies_returned = 0;  ///< This many staged copies came before its submission.
  std::vector<std::byte> staging;
  CapturedWords words;      ///< The pointers among them.
  std::uint32_t value = 0;  ///< The value to set.
  std::uint32_t width = 0;  ///< The bytes of each element that is set.

  std::uint32_t block = 0;
  Event* event = nullptr;
  std::uint64_t event_record = 0;  ///< The number of the record among those of the event.
  CUhostFn function = nullptr;
  CUstreamCallback callback = nullptr;  ///< Instead of `function`.
  CUstream stream = nullptr;            ///< The stream that the callback is reported.
  void* data = nullptr;
  LentId lent = LentId::none;  ///< The data.
  GraphRun* run = nullptr;

  std::vector<MemoryOp> memory_ops;
  std::size_t memory_op_index = 0;  ///< Index of the next operation.
  bool was_held_up = false;         ///< By a wait: it continues as soon as that is over.
  bool is_late = false;             ///< A function that is not called as soon as it may be.

  void reset(WorkKind new_kind, Label new_label) {
    kind = new_kind;
    label = new_label;
    after.clear();
    started = false;
    block_index = 0;
    rows = {};
    source_bytes = target_bytes = {};
    captured = launch.captured = {};
    staged = false;
    staged_copy = 0;
    on = 0;
    words.clear();
    host_work.clear();
    function = nullptr;
    callback = nullptr;
    lent = LentId::none;
    memory_ops.clear();
    memory_op_index = 0;
    was_held_up = is_late = false;
  }
};

/// Work that takes no time on the device.
inline bool is_marker(const Work& work) {
  return work.kind == WorkKind::install || work.kind == WorkKind::record ||
         work.kind == WorkKind::wait;
}

}  // namespace harness::devices
