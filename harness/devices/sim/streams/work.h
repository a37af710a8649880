// SPDX-License-Identifier: Apache-2.0
// Work: a piece of work of a stream, with all data from the call that submitted it.
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
  host_work,  ///< A kernel whose body is a function of the program.
  copy,
  set,
  prefetch,
  install,  ///< An allocation takes effect.
  free,
  record,      ///< An event is recorded.
  wait,        ///< Only waits for its dependencies.
  function,    ///< A host function or a stream callback.
  memory_ops,  ///< Waits for values in memory, and writes of them.
  graph,       ///< A launch of an executable graph.
};

/// One side of a copy or set: device memory, resolved at the call, or host memory.
struct Place {
  std::uint64_t address = 0;
  BirthId birth = BirthId::none;  ///< None for pageable host memory.
  LentId lent = LentId::none;     ///< The loan of pageable memory in a node.
};

/// A wait for a value in memory, or a write of one.
struct MemoryOp {
  bool waits = false;
  std::uint32_t bytes = 4;
  unsigned condition = 0;  ///< The condition that ends a wait: of CUstreamWaitValue_flags.
  std::uint64_t value = 0;
  Place place;
};

/// The rows of a copy or set: their numbers, and the distances between them.
struct Rows {
  std::uint64_t height = 1;
  std::uint64_t depth = 1;
  std::uint64_t target_pitch = 0;
  std::uint64_t target_slice = 0;
  std::uint64_t source_pitch = 0;
  std::uint64_t source_slice = 0;
};

/// The bytes at a host address when work with it was queued. Writes of the host are not visible.
/// They are detected if the bytes have changed when the work runs, and no other work has used them.
struct HostBytes {
  std::uint32_t block = 0;  ///< 0 if it is not host memory, or too large to compare.
  std::uint32_t use_count = 0;
  std::uint64_t hash = 0;
};

/// Ownership: owns its copies of the caller's data. Kept and reused: buffers keep their capacity.
struct Work {
  WorkKind kind = WorkKind::wait;
  Label label;                     ///< "copy", or the kernel's name.
  Label site;                      ///< The site at which it was submitted.
  Name activation = 0;             ///< The activation that submitted it.
  Name on = 0;                     ///< The stream that it was submitted to.
  Tick submitted = 0;              ///< The tick of its submission.
  std::vector<StreamPoint> after;  ///< Points of other streams that must be done first.
  bool started = false;
  OrderPoint at;  ///< Its position in its line.
  Clock before;   ///< The work that precedes it, by the program's order.

  Launch launch;
  std::uint64_t block_index = 0;  ///< Index of the block that runs next.
  BlockUses block_uses;           ///< Uses of the blocks that have run.
  Module* module = nullptr;       ///< The module of its kernel.
  std::uint32_t unloads = 0;      ///< Number of modules that were unloaded before its submission.
  std::uint64_t regions = 0;      ///< Number of changes of regions before its submission.

  HostWork host_work;

  Place target;
  Place source;
  std::uint64_t bytes = 0;  ///< Bytes of a row.
  Rows rows;
  std::uint64_t row = 0;  ///< Number of the current row.
  HostBytes source_bytes;
  HostBytes target_bytes;
  CapturedAt captured;  ///< The call from which the addresses come, if it was not this one.
  bool staged = false;  ///< The source is `staging`, a copy made by the call.
  StagedCopies staged_copy = 0;      ///< Its number, if the call was synchronous.
  StagedCopies copies_returned = 0;  ///< Number of staged copies before its submission.
  std::vector<std::byte> staging;
  CapturedWords words;      ///< The pointers among `staging`.
  std::uint32_t value = 0;  ///< The value to set.
  std::uint32_t width = 0;  ///< Bytes of each element that is set.

  std::uint32_t block = 0;
  Event* event = nullptr;
  std::uint64_t event_record = 0;  ///< The number of this record of the event.
  CUhostFn function = nullptr;
  CUstreamCallback callback = nullptr;  ///< Called in place of `function`.
  CUstream stream = nullptr;            ///< The stream that is passed to the callback.
  void* data = nullptr;
  LentId lent = LentId::none;  ///< The loan of the data.
  GraphRun* run = nullptr;

  std::vector<MemoryOp> memory_ops;
  std::size_t memory_op_index = 0;  ///< Index of the next operation.
  bool was_held_up = false;         ///< It waited for a value. It continues as soon as the wait is
                                    ///< over.
  bool is_late = false;             ///< A function that is called later than possible.

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

/// Returns whether work takes no time on the device.
inline bool is_marker(const Work& work) {
  return work.kind == WorkKind::install || work.kind == WorkKind::record ||
         work.kind == WorkKind::wait;
}

}  // namespace harness::devices
