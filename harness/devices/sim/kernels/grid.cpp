// SPDX-License-Identifier: Apache-2.0
// The blocks of a cooperative launch, which are all on the device at once.
//
// How it works. A thread that polls the grid's barrier lets the other threads of its block
// continue, and then the other blocks: the block's state, with its fibers and shared memory, is put
// aside. When all blocks have had a turn, the next round begins. A turn ends at each barrier, so
// that the uses of a turn are those between two barriers.
#include <cstring>
#include <utility>

#include "harness/core/fault/kinds.h"
#include "harness/devices/sim/kernels/runner.h"
#include "harness/devices/sim/kernels/runner_state.h"

namespace harness::devices {

/// The threads of a grid add to the barrier so that this bit changes when the last one arrives.
constexpr std::uint32_t kPhase = 1u << 31;

struct Grid {
  struct Block {
    std::unique_ptr<KernelRunner::State> state;  ///< Null if the block does not wait.
    std::vector<std::byte> shared;               ///< The block's shared memory, while it waits.
    bool is_done = false;
  };

  explicit Grid(std::uint64_t count) : blocks(count) {}

  /// Returns the block that has the next turn.
  std::uint64_t next() {
    while (blocks[turn].is_done) ++turn;
    return turn;
  }
  bool is_last_turn() const {
    for (std::size_t i = turn + 1; i < blocks.size(); ++i)
      if (!blocks[i].is_done) return false;
    return true;
  }
  /// Begins a round. Returns whether the barrier has opened since the last round began.
  bool begin_round() {
    const bool has_opened = ((memory.barrier ^ barrier) & kPhase) != 0;
    barrier = memory.barrier;
    has_moved = false;
    return has_opened;
  }

  std::vector<Block> blocks;
  std::size_t turn = 0;
  std::size_t done_count = 0;
  GridMemory memory;
  bool has_begun = false;
  bool has_moved = false;     ///< True if a block has ended or has changed the barrier in this
                              ///< round.
  std::uint32_t barrier = 0;  ///< The barrier when the round began.
};

namespace {

/// Restores the shared memory of a waiting block.
void restore(const Grid::Block& block) {
  if (!block.shared.empty())
    std::memcpy(dynamic_shared_memory(), block.shared.data(), block.shared.size());
}

}  // namespace

/// Puts aside the state of a waiting block, so that the next block gets another state.
std::unique_ptr<KernelRunner::State> KernelRunner::set_aside() {
  std::unique_ptr<State> left = std::move(state_);
  if (spare_.empty()) {
    state_ = std::make_unique<State>(left->provenance);
  } else {
    state_ = std::move(spare_.back());
    spare_.pop_back();
  }
  state_->slept = std::exchange(left->slept, 0);
  return left;
}

GridStep KernelRunner::step_grid(Launch& launch) {
  if (launch.there == nullptr) launch.there = std::make_shared<Grid>(launch.block_count());
  Grid& grid = *launch.there;
  GridStep step;
  if (grid.turn == 0) {
    step.begins_phase = grid.begin_round() || !grid.has_begun;
    grid.has_begun = true;
  }
  const std::uint64_t index = grid.next();
  Grid::Block& block = grid.blocks[index];
  grid_memory() = grid.memory;
  if (block.state == nullptr) {
    step.ending = state_->run(launch, index);
    if (step.ending == BlockEnding::waiting) block.state = set_aside();
  } else {
    restore(block);
    step.ending = resume(*block.state);
    state_->slept += std::exchange(block.state->slept, 0);
    if (step.ending != BlockEnding::waiting) spare_.push_back(std::move(block.state));
  }
  const bool is_waiting = step.ending == BlockEnding::waiting;
  grid.has_moved |= !is_waiting || grid_memory() != grid.memory;
  grid.memory = grid_memory();
  if (is_waiting) {
    block.shared.assign(dynamic_shared_memory(),
                        dynamic_shared_memory() + launch.all_shared_bytes());
    step.ending = BlockEnding::finished;
  } else if (step.ending == BlockEnding::finished) {
    block.is_done = true;
    ++grid.done_count;
  } else {
    launch.there = nullptr;
    return step;
  }
  step.is_last = grid.done_count == grid.blocks.size();
  if (!grid.is_last_turn()) {
    ++grid.turn;
    return step;
  }
  grid.turn = 0;
  if (!step.is_last && !grid.has_moved) {
    state_->provenance.failed(
        FaultKind::deadlock,
        {"barrier", "blocks of a grid wait for others that do not come to the barrier"});
    step.ending = BlockEnding::aborted;
  }
  if (step.is_last || step.ending != BlockEnding::finished) launch.there = nullptr;
  return step;
}

/// Called when a thread polls for other blocks. The other threads of its block run first.
static void wait_for_grid(KernelRunner::State& state) {
  if (!state.launch->is_cooperative) return;
  KernelRunner::State::Carrier& self = *state.current;
  KernelRunner::State::Warp& warp = state.warps[self.thread / kWarpLanes];
  const std::uint32_t lane = 1u << self.thread % kWarpLanes;
  warp.at_barrier |= lane;
  state.settle_active(warp);
  state.at_grid.push_back(&self);
  device_edge_release(&state.launch->done);
  state.park(self);
  device_edge_acquire(&state.launch->done);
  warp.at_barrier &= ~lane;
}

}  // namespace harness::devices

extern "C" void afterlife_wait_for_grid() {
  harness::devices::wait_for_grid(*harness::devices::running);
}
