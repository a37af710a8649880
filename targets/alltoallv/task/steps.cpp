// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/task/steps.h"

#include <algorithm>

#include "targets/alltoallv/layout.h"
#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

Status Steps::advance(bool& last) {
  if (copies_.in_flight())
    if (const Status status = copies_.poll(); status != Status::ok) return status;
  if (step_ > 0) {  // Previously submitted work is complete.
    if (!own_.is_at(step_)) own_.publish_step(step_);
    if (const Status status = await_neighbours(); status != Status::ok) return status;
  }
  Status status = is_ring() ? ring_step(last) : linear_step(last);
  if (status == Status::ok) status = copies_.record();
  if (status == Status::ok) ++step_;
  return status;
}

// ---- neighbours ---------------------------------------------------------------------------------

/// Returns the steps per fragment. With two ranks there is no other rank in between to read from.
std::uint32_t Steps::ring_steps() const {
  const std::uint32_t count = core_.setup.rank_count;
  return count == 2 ? 2 : count - 1;
}

// Ring: the left rank, whose data arrive, and the right one, whose half is written. At the start of
// a fragment also the rank after the right one, which has read its scratch; at the end also the
// rank before the left one, which has written its scratch. Linear: all ranks.
std::size_t Steps::neighbours(Neighbours& found) const {
  std::size_t count = 0;
  if (!is_ring()) {
    for (std::uint32_t i = 1; i < core_.setup.rank_count; ++i)
      found[count++] = {-static_cast<std::int32_t>(i), true};
    return count;
  }
  found[count++] = {-1, true};
  found[count++] = {1, false};
  const std::uint32_t steps = ring_steps();
  if (step_ % steps == 0)
    found[count++] = {2, false};
  else if (step_ % steps == steps - 1)
    found[count++] = {-2, true};
  return count;
}

std::uint32_t Steps::at_distance(std::int32_t distance) const {
  const auto count = static_cast<std::int32_t>(core_.setup.rank_count);
  const auto rank = static_cast<std::int32_t>(post_.rank.number);
  return static_cast<std::uint32_t>((rank + distance + 2 * count) % count);
}

/// Returns ok if all ranks that the next step depends on have reached it.
Status Steps::await_neighbours() {
  Neighbours found;
  const std::size_t count = neighbours(found);
  bool all_given = true;
  bool all_read = true;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t step = post_.entry(at_distance(found[i].distance)).step.read(post_.mark());
    if (step == kFailedStep) return Status::peer_error;
    if (step < step_) (found[i].gives ? all_given : all_read) = false;
  }
  const bool goes_on = all_given && (all_read || !core_.policy->waits_for_readers());
  if (!all_read && writes())
    core_.tell([&](Observer& observer) {
      observer.overwriting({post_.rank.number, post_.request, goes_on});
    });
  return goes_on ? Status::ok : Status::in_progress;
}

/// Returns whether the next step of a ring writes into a neighbour's scratch.
bool Steps::writes() const { return step_ % ring_steps() + 1 < ring_steps(); }

bool Steps::can_advance() const {
  if (copies_.in_flight()) return true;
  Neighbours found;
  const std::size_t count = neighbours(found);
  return std::all_of(found.begin(), found.begin() + count, [&](const Neighbour& neighbour) {
    return post_.entry(at_distance(neighbour.distance)).step.peek() >= step_ ||
           (!neighbour.gives && !core_.policy->waits_for_readers());
  });
}

// ---- what a step does ---------------------------------------------------------------------------

CUdeviceptr Steps::scratch_of(std::uint32_t rank) const {
  return post_.team().scratch().at(post_.slot, rank);
}

// The last step of a fragment reads from the left rank's scratch and passes nothing
// on.
Status Steps::ring_step(bool& last) {
  const std::uint32_t rank = post_.rank.number;
  const std::uint32_t count = core_.setup.rank_count;
  const Exchange& exchange = post_.arguments.exchange;
  const std::uint32_t steps = ring_steps();
  const std::uint32_t fragment = step_ / steps;
  const std::uint32_t within = step_ % steps;
  const std::uint32_t elements = exchange.send_count[0];
  const std::uint32_t first = fragment * kFragmentElements;
  last = within + 1 == steps && first + kFragmentElements >= elements;
  if (first >= elements) return Status::ok;
  const std::size_t bytes = std::min(kFragmentElements, elements - first) * kElementBytes;
  const auto target_of = [&](std::uint32_t origin) {
    return operands_.destination() +
           (exchange.receive_displacement[origin] + first) * kElementBytes;
  };
  const std::size_t written = step_ % 2 * kScratchHalf;
  const std::size_t read = kScratchHalf - written;
  CUdeviceptr from = scratch_of(rank) + read;  // Data that came from the left.
  if (within == 0)
    from = operands_.source() + (exchange.send_displacement[0] + first) * kElementBytes;
  const Status status = copies_.submit(target_of((rank + count - within) % count), from, bytes);
  if (status != Status::ok) return status;
  if (within + 1 < steps)
    return copies_.submit(scratch_of((rank + 1) % count) + written, from, bytes);
  if (count == 2) return Status::ok;
  return copies_.submit(target_of((rank + 1) % count),
                        scratch_of((rank + count - 1) % count) + read, bytes);
}

Status Steps::linear_step(bool& last) {
  last = step_ == 1;
  if (last) return reduce();
  const std::size_t bytes = (core_.element_count - post_.arguments.offset) * kElementBytes;
  return copies_.submit(scratch_of(post_.rank.number), operands_.source(), bytes);
}

Status Steps::reduce() {
  const Exchange& exchange = post_.arguments.exchange;
  ReduceBlock block{};
  block.target = operands_.destination();
  block.piece_count = static_cast<std::int32_t>(core_.setup.rank_count);
  block.count = exchange.receive_count[0];
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer)
    block.pieces[peer] =
        scratch_of(peer) + exchange.send_displacement[post_.rank.number] * kElementBytes;
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
