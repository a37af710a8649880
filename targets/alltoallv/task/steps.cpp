#include "targets/alltoallv/task/steps.h"

#include "targets/alltoallv/layout.h"

namespace targets::alltoallv {
namespace {

constexpr std::size_t kBytes = sizeof(std::int32_t);

}  // namespace

Status Steps::advance(bool& last) {
  if (copies_.in_flight())
    if (const Status status = copies_.poll(); status != Status::ok) return status;
  if (step_ > 0) {  // Work submitted before has landed.
    if (!own_.is_at(step_)) own_.publish_step(step_);
    if (const Status status = neighbours_at(); status != Status::ok) return status;
  }
  Status status = is_ring() ? ring_step(last) : linear_step(last);
  if (status == Status::ok) status = copies_.record();
  if (status == Status::ok) ++step_;
  return status;
}

// ---- neighbours ---------------------------------------------------------------------------------

/// Whether those whose data the next step needs are there.
Status Steps::neighbours_at() {
  const std::uint32_t count = core_.setup.rank_count;
  for (std::uint32_t i = 1; i < count; ++i) {
    const std::uint32_t peer = (post_.rank.number + count - i) % count;
    const std::uint32_t step = post_.entry(peer).step.read(post_.mark());
    if (step < step_) return Status::in_progress;
    if (step == kFailedStep) return Status::peer_error;
    if (is_ring()) break;
  }
  return Status::ok;
}

bool Steps::can_advance() const {
  if (copies_.in_flight()) return true;
  const std::uint32_t count = core_.setup.rank_count;
  for (std::uint32_t i = 1; i < count; ++i) {
    const std::uint32_t peer = (post_.rank.number + count - i) % count;
    if (post_.entry(peer).step.peek() < step_) return false;
    if (is_ring()) break;
  }
  return true;
}

// ---- what a step does ---------------------------------------------------------------------------

CUdeviceptr Steps::scratch_of(std::uint32_t rank) const {
  return post_.rank.team.scratch().at(post_.slot, rank);
}

Status Steps::ring_step(bool& last) {
  const std::uint32_t rank = post_.rank.number;
  const std::uint32_t count = core_.setup.rank_count;
  const Exchange& exchange = post_.arguments.exchange;
  const std::size_t bytes = exchange.send_count[0] * kBytes;
  last = step_ + 1 == count;
  CUdeviceptr from = scratch_of(rank) + (step_ - 1) * bytes;  // Data that came from the left.
  if (step_ == 0) from = operands_.source() + exchange.send_displacement[0] * kBytes;
  const std::uint32_t origin = (rank + count - step_) % count;
  const CUdeviceptr to = operands_.destination() + exchange.receive_displacement[origin] * kBytes;
  if (bytes == 0) return Status::ok;
  if (const Status status = copies_.submit(to, from, bytes); status != Status::ok || last)
    return status;
  return copies_.submit(scratch_of((rank + 1) % count) + step_ * bytes, from, bytes);
}

Status Steps::linear_step(bool& last) {
  last = step_ == 1;
  if (last) return reduce();
  const std::size_t bytes = (core_.element_count - post_.arguments.offset) * kBytes;
  return copies_.submit(scratch_of(post_.rank.number), operands_.source(), bytes);
}

Status Steps::reduce() {
  const Exchange& exchange = post_.arguments.exchange;
  ReduceBlock block{};
  block.target = operands_.destination();
  block.piece_count = static_cast<std::int32_t>(core_.setup.rank_count);
  block.count = exchange.receive_count[0];
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer)
    block.pieces[peer] = scratch_of(peer) + exchange.send_displacement[post_.rank.number] * kBytes;
  CUdeviceptr at = post_.rank.context.block_of(post_.request);
  void* parameters[] = {&at};
  const unsigned threads = block_threads(core_.element_count);
  if (cuMemcpyHtoD(at, &block, sizeof block) != CUDA_SUCCESS ||
      cuLaunchKernel(post_.rank.context.reduce(), 1, 1, 1, threads, 1, 1, 0, copies_.stream(),
                     parameters, nullptr) != CUDA_SUCCESS)
    return Status::driver_error;
  copies_.add_kernel();
  return Status::ok;
}

}  // namespace targets::alltoallv
