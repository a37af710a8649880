// SPDX-License-Identifier: Apache-2.0
// Waits for values in memory and writes of values (cuStreamBatchMemOp), as steps of work.
#include <cstring>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/devices/sim/memory/ops.h"
#include "harness/devices/sim/sim_device.h"
#include "harness/devices/sim/streams/work_steps.h"

namespace harness::devices {

bool WorkSteps::held_up(Work& work) {
  if (work.kind != WorkKind::memory_ops || work.memory_op_index == work.memory_ops.size())
    return false;
  const MemoryOp& op = work.memory_ops[work.memory_op_index];
  const BlockRef here = sim_.memory().find(op.place.address);
  if (!op.waits || here.id != op.place.birth || !here.alive) return false;
  std::uint64_t found = 0;
  std::memcpy(&found, reinterpret_cast<const void*>(op.place.address), op.bytes);
  if (wait_is_over(op.condition, op.bytes, found, op.value)) return false;
  return work.was_held_up = true;
}

/// Does the next operation, which is not held up. Returns true if none is left.
bool WorkSteps::do_memory_op(Work& work) {
  if (work.memory_op_index == work.memory_ops.size()) return true;
  const MemoryOp& op = work.memory_ops[work.memory_op_index++];
  work.bytes = op.bytes;
  if (!met(work, op.place)) return true;
  if (sim_.data_races().on())
    sim_.data_races().used(sim_.memory().installed(op.place.address), use_by(work, work.site));
  if (op.waits) {
    sim_.data_races().passed_wait(work.at);
    sim_.processes().sharing().looked(sim_.memory().installed(op.place.address), work.at);
    const auto& streams = sim_.handles().streams;
    if constexpr (kTsan)
      for (std::size_t i = 0; i < streams.size(); ++i) device_edge_acquire(&streams[i].done_edge);
  } else {
    std::memcpy(reinterpret_cast<void*>(op.place.address), &op.value, op.bytes);
    sim_.data_races().host_uses().announce(op.place.address, op.bytes);
  }
  return work.memory_op_index == work.memory_ops.size();
}

}  // namespace harness::devices
