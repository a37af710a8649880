// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/guide/stream_wait.h"

#include "harness/driver/cuda/cuda.h"
#include "harness/driver/device.h"

namespace harness::entries {

void wait_for_stream(World& world, Name stream) {
  const DriverTable& table = world.device->table();
  for (const Life& life : world.ledger.lives())
    if (life.name == stream && life.alive && stream != 0) {
      table.cuStreamSynchronize(reinterpret_cast<CUstream>(life.address));
      return;
    }
  table.cuCtxSynchronize();
}

}  // namespace harness::entries
