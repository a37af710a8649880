// Ring and linear: collectives that go through scratch, which is mapped once per team, and so leave
// no mapping in the slot. They use slots and barriers like the others, and their step counters.
//
// Ring allgather: in each step a rank passes on to its right neighbour's scratch what came into its
// own in the step before. Scratch has an area per step; upstream alternates between two.
// Linear reduce-scatter: everybody puts its source into its own scratch; then a kernel adds up
// everybody's share, straight out of the peers' memory.
#include "targets/alltoallv/process.h"

namespace targets::alltoallv {

using harness::SiteScope;

namespace {

constexpr std::uint32_t kBytes = sizeof(std::int32_t);
/// A rank that failed is at every step.
constexpr std::uint32_t kFailedStep = 0xffff;

}  // namespace

void Process::publish_step(Task& task, std::uint32_t step) {
  entry(task, rank_).step.write(step, task.generation());
  core_.ring();
}

void Process::give_up_steps(Task& task) { publish_step(task, kFailedStep); }

bool Process::step_on(Task& task) {
  const SiteScope site(core_.scheduler, "collective_steps");
  if (task.in_flight) {
    const Status status = copies_done(task);
    if (status == Status::in_progress) return false;
    if (status != Status::ok) return fail(task, Stage::copy, status);
  }
  if (task.step > 0) {  // What was submitted before has landed.
    if (entry(task, rank_).step.peek() != task.step) publish_step(task, task.step);
    const Status status = neighbours_at(task);
    if (status == Status::in_progress) return false;
    if (status != Status::ok) return fail(task, Stage::copy, status);
  }
  bool last = false;
  Status status = task.arguments.collective == Collective::allgather_ring ? ring_step(task, last)
                                                                          : linear_step(task, last);
  if (status == Status::ok) status = record_copies(task);
  if (status != Status::ok) return fail(task, Stage::copy, status);
  ++task.step;
  if (last) {
    task.stage = Stage::copy;
    core_.tell([](Observer& observer) { observer.copied(); });
  }
  return true;
}

/// Whether those whose data the next step needs are there.
Status Process::neighbours_at(Task& task) {
  const std::uint32_t count = core_.setup.rank_count;
  const bool ring = task.arguments.collective == Collective::allgather_ring;
  for (std::uint32_t i = 1; i < count; ++i) {
    const std::uint32_t peer = (rank_ + count - i) % count;
    const std::uint32_t step = entry(task, peer).step.read(task.generation());
    if (step < task.step) return Status::in_progress;
    if (step == kFailedStep) return Status::peer_error;
    if (ring) break;
  }
  return Status::ok;
}

bool Process::neighbours_ready(const Task& task) const {
  if (task.in_flight) return true;
  const std::uint32_t count = core_.setup.rank_count;
  for (std::uint32_t i = 1; i < count; ++i) {
    const std::uint32_t peer = (rank_ + count - i) % count;
    if (entry(task, peer).step.peek() < task.step) return false;
    if (task.arguments.collective == Collective::allgather_ring) break;
  }
  return true;
}

Status Process::ring_step(Task& task, bool& last) {
  const std::uint32_t count = core_.setup.rank_count;
  const Exchange& exchange = task.arguments.exchange;
  const std::uint32_t bytes = exchange.send_count[0] * kBytes;
  const CUdeviceptr own = scratch_of(task, rank_);
  const std::uint32_t step = task.step;
  last = step + 1 == count;
  CUdeviceptr from = own + (step - 1) * std::size_t{bytes};  // What came from the left.
  if (step == 0)
    from = task.source_base +
           (task.arguments.offset + exchange.send_displacement[0]) * std::size_t{kBytes};
  const std::uint32_t origin = (rank_ + count - step) % count;
  const CUdeviceptr to =
      task.destination_base + exchange.receive_displacement[origin] * std::size_t{kBytes};
  if (bytes == 0) return Status::ok;
  if (const Status status = copy(task, to, from, bytes); status != Status::ok || last)
    return status;
  const CUdeviceptr right = scratch_of(task, (rank_ + 1) % count) + step * std::size_t{bytes};
  return copy(task, right, from, bytes);
}

Status Process::linear_step(Task& task, bool& last) {
  last = task.step == 1;
  if (last) return reduce(task);
  const std::size_t bytes = (element_count_ - task.arguments.offset) * std::size_t{kBytes};
  const CUdeviceptr from = task.source_base + task.arguments.offset * std::size_t{kBytes};
  return copy(task, scratch_of(task, rank_), from, bytes);
}

Status Process::reduce(Task& task) {
  const Exchange& exchange = task.arguments.exchange;
  ReduceBlock block{};
  block.target = task.destination_base;
  block.piece_count = static_cast<std::int32_t>(core_.setup.rank_count);
  block.count = exchange.receive_count[0];
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer)
    block.pieces[peer] =
        scratch_of(task, peer) + exchange.send_displacement[rank_] * std::size_t{kBytes};
  CUdeviceptr at = blocks_ + task.request * kBlockBytes;
  void* parameters[] = {&at};
  const unsigned threads = block_threads(element_count_);
  if (cuMemcpyHtoD(at, &block, sizeof block) != CUDA_SUCCESS ||
      cuLaunchKernel(reduce_, 1, 1, 1, threads, 1, 1, 0, task.stream, parameters, nullptr) !=
          CUDA_SUCCESS)
    return Status::driver_error;
  task.in_flight = true;
  return Status::ok;
}

}  // namespace targets::alltoallv
