// A collective, stage by stage. Each stage polls once and returns; what is there is taken at once
// to the next. Sites of what happens are named after UCC's functions.
#include "targets/alltoallv/process.h"

namespace targets::alltoallv {

using harness::SiteScope;

namespace {

/// What a collective does is caused by whoever made it, and not by whoever polls it.
class Causing {
 public:
  Causing(harness::Scheduler& scheduler, harness::Activation& cause)
      : scheduler_(scheduler), previous_(scheduler.picker().enter(cause)) {}
  ~Causing() { scheduler_.picker().leave_to(previous_); }
  Causing(const Causing&) = delete;
  Causing& operator=(const Causing&) = delete;

 private:
  harness::Scheduler& scheduler_;
  harness::Activation* previous_;
};

}  // namespace

bool Process::advance(Task& task) {
  task.handover.take();
  const Causing causing(core_.scheduler, task.activation);
  const Stage before = task.stage;
  const bool was_queued = task.queued;
  bool moved = false;
  while (task.queued && step(task)) moved = true;
  task.handover.give();
  return moved || task.stage != before || task.queued != was_queued;
}

// Returns true when the next stage can be tried at once.
bool Process::step(Task& task) {
  switch (task.stage) {
    case Stage::sync:
      return get_sync(task) && enter(task, Stage::setup, setup_start(task));
    case Stage::setup:
      if (!slot(task).barrier.test(rank_)) return false;
      core_.delay_point("after the barrier test");
      task.next_peer = 0;
      return enter(task, Stage::map, agree(task));
    case Stage::map:
      return enter(task, task.copies_peers() ? Stage::post_copies : Stage::steps, map_peers(task));
    case Stage::post_copies:
      return enter(task, Stage::copy, post_copies(task));
    case Stage::steps:
      return step_on(task);
    case Stage::copy:
      return finish_copies(task);
    case Stage::completion:
      return pass_completion(task);
    case Stage::third_barrier:
      if (!slot(task).barrier.test(rank_)) return false;
      end(task);
      return false;
    case Stage::initialized:
      return false;
  }
  return false;
}

bool Process::enter(Task& task, Stage next, Status status) {
  if (status == Status::ok) {
    task.stage = next;
    return true;
  }
  if (status == Status::in_progress) return false;
  return fail(task, next, status);
}

// As upstream: the error is returned, and whoever waits at a barrier waits for ever. In order: the
// rank takes no further part in copying, but goes on from barrier to barrier.
bool Process::fail(Task& task, Stage next, Status status) {
  core_.tell([&](Observer& observer) { observer.failed(rank_, task.request); });
  if (core_.policy->joins_after_error()) {
    task.error = status;
    if (next == Stage::setup) {
      task.stage = next;
      return true;
    }
    drain(task);
    if (!task.copies_peers()) give_up_steps(task);
    own_entry(task).broken[parity(task)].write(task.use(), task.generation());
    task.stage = Stage::copy;
    return true;
  }
  core_.tell([&](Observer& observer) { observer.gave_up(rank_, task.request); });
  const SiteScope site(core_.scheduler, kFailedSite);
  complete(task, status);
  return false;
}

// ---- the end ------------------------------------------------------------------------------------

bool Process::finish_copies(Task& task) {
  const Status status = copies_done(task);
  if (status == Status::in_progress) return false;
  if (status != Status::ok) return fail(task, Stage::completion, status);
  if (core_.policy->unmaps_before_barrier()) unmap_all(task);
  start_barrier(task, Stage::completion);
  return true;
}

void Process::start_barrier(Task& task, Stage next) {
  task.stage = next;
  if (slot(task).barrier.start(rank_)) core_.ring();
}

bool Process::pass_completion(Task& task) {
  if (!slot(task).barrier.test(rank_)) return false;
  core_.delay_point("after the barrier test");
  if (!core_.policy->unmaps_before_barrier()) unmap_all(task);
  if (core_.policy->joins_after_error() && task.error == Status::ok && proxy_failed(task))
    task.error = Status::peer_error;
  if (core_.policy->has_third_barrier()) {
    start_barrier(task, Stage::third_barrier);
    return true;
  }
  end(task);
  return false;
}

// The slot is free when rank 0 is done, whoever else is not.
void Process::put_sync(Task& task) {
  Slot& slot = this->slot(task);
  if (core_.policy->release() == Release::by_all) {
    const std::uint32_t last = core_.setup.rank_count - 1;
    const auto wrap = [last](std::uint32_t done) { return done == last ? 0 : done + 1; };
    if (slot.done.update(wrap) != last) return;
  } else if (rank_ != 0) {
    return;
  }
  slot.state.write(0);
  core_.tell([&](Observer& observer) { observer.released(task.slot); });
  core_.ring();
}

void Process::end(Task& task) {
  put_sync(task);
  core_.delay_point("between release and completion");
  complete(task, task.error);
}

void Process::complete(Task& task, Status status) {
  core_.tell([&](Observer& observer) { observer.ended(rank_, task.request); });
  task.stage = Stage::initialized;
  task.status = status;
  task.queued = false;
  task.error = Status::ok;
  core_.ring();
}

// A proxy that failed says so in one of two words, by turns: until everybody has passed the next
// setup, and so has read this one, it writes the other.
bool Process::proxy_failed(Task& task) {
  for (const ProxyEntry& pair : proxies())
    if (pair.destination == rank_ && task.copies_peers() &&
        entry(task, pair.proxy).broken[parity(task)].read() == task.use())
      return true;
  return false;
}

std::uint32_t Process::parity(const Task& task) const {
  return task.seq / core_.setup.slot_count % 2;
}

// In the order of UCC: all sources, then what was mapped as a proxy.
void Process::unmap_all(Task& task) {
  const SiteScope site(core_.scheduler, kUnmapSite);
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer) {
    if (peer == rank_ || !direct(rank_, peer) || !task.copies_peers()) continue;
    core_.policy->unmap(task, Side::source, peer);
    core_.delay_point("between peers in unmap");
  }
  const SiteScope proxy(core_.scheduler, kProxyUnmapSite);
  for (const ProxyEntry& entry : proxies())
    if (entry.proxy == rank_ && task.copies_peers())
      core_.policy->unmap(task, Side::destination, entry.destination);
  core_.tell([&](Observer& observer) { observer.unmapped(rank_, task.slot); });
}

// ---- topology -----------------------------------------------------------------------------------

std::span<const ProxyEntry> Process::proxies() const {
  static constexpr ProxyEntry kProxies[] = {{0, 2, 1}, {2, 0, 1}};
  if (topology_ == Topology::direct) return {};
  return kProxies;
}

bool Process::direct(std::uint32_t a, std::uint32_t b) const {
  for (const ProxyEntry& entry : proxies())
    if (entry.source == a && entry.destination == b) return false;
  return true;
}

}  // namespace targets::alltoallv
