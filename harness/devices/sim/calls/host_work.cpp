// SPDX-License-Identifier: Apache-2.0
// Host work: kernels whose body is a function of the program.
#include <algorithm>

#include "harness/devices/sim/calls/array/copy_shape.h"
#include "harness/devices/sim/graphs/params.h"

namespace harness::devices::calls {

/// Finds the blocks that the ranges refer to. Freed memory is reported only when the work runs, as
/// for the parameters of a kernel. Returns false if a range leaves its block.
static bool find_ranges(SimDevice& sim, const HostWorkLaunch& given,
                        std::vector<HostWorkRange>& found) {
  for (std::size_t i = 0; i < given.range_count; ++i) {
    const AfterlifeRange& range = given.ranges[i];
    if (range.bytes == 0 || range.rows == 0) continue;
    const Block& block = sim.memory().block(sim.memory().newest(range.address));
    const std::uint64_t bytes = extent_bytes(range.rows - 1, range.pitch, range.bytes);
    const bool is_device = block.birth != BirthId::none;
    if (is_device && block.usable() && !block.holds(range.address, bytes) &&
        block.origin != Origin::mapped)
      return false;
    found.push_back({range.address, block.birth, range.bytes, range.rows, range.pitch, range.use});
  }
  return true;
}

/// The data is kept while a graph or an executable has the node.
static CUresult capture(SimDevice& sim, Stream& stream, Label label, const HostWork& host) {
  NodeParams& params = sim.graphs().definitions().fresh_params(CU_GRAPH_NODE_TYPE_HOST, label);
  params.host = {};
  params.host_work = host;
  params.host_work.release = nullptr;
  const CUresult status = sim.captures().add(stream, params);
  if (status == CUDA_SUCCESS && host.release != nullptr)
    stream.capture->graph->references.add(
        sim.graphs().user_objects().create_data(host.data, host.release), 1);
  return status;
}

/// Releases the data, because nothing was launched.
static CUresult give_back(const HostWorkLaunch& given, CUresult status) {
  if (given.release != nullptr) given.release(given.data);
  return status;
}

CUresult launch_host_work(SimDevice& sim, CUstream on, const HostWorkLaunch& given) {
  const Found<Stream> stream = find_work_stream(sim, on);
  if (!stream) return give_back(given, stream.error());
  if (given.function == nullptr || given.name == nullptr ||
      (given.range_count != 0 && given.ranges == nullptr))
    return give_back(given, CUDA_ERROR_INVALID_VALUE);
  const Label label = Label::of(given.name);
  const SiteScope site(sim.scheduler(), label);
  Work& work = sim.queues().fresh(WorkKind::host_work, label);
  HostWork& host = work.host_work;
  host.function = given.function;
  host.data = given.data;
  host.release = given.release;
  const bool fits = find_ranges(sim, given, host.ranges);
  if (!fits || stream->capture != nullptr) {
    const CUresult status = fits ? capture(sim, *stream, label, host) : CUDA_ERROR_INVALID_VALUE;
    sim.queues().discard(work);
    return status == CUDA_SUCCESS ? status : give_back(given, status);
  }
  sim.queues().submit(*stream, work, Lag::ask);
  return sim.faults().broken();
}

}  // namespace harness::devices::calls
