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
      : picker_(scheduler.picker()), previous_(picker_.enter(cause)) {}
  ~Causing() { picker_.leave_to(previous_); }
  Causing(const Causing&) = delete;
  Causing& operator=(const Causing&) = delete;

 private:
  harness::Picker& picker_;
  harness::Activation* previous_;
};

}  // namespace

bool Process::advance(Task& task) {
  harness::edge_acquire(&task);
  const Causing causing(core_.scheduler, task.activation);
  const Stage before = task.stage;
  const bool was_queued = task.queued;
  bool moved = false;
  while (task.queued && step(task)) moved = true;
  harness::edge_release(&task);
  return moved || task.stage != before || task.queued != was_queued;
}

// Returns true when the next stage can be tried at once.
bool Process::step(Task& task) {
  switch (task.stage) {
    case Stage::sync:
      return get_sync(task) && enter(task, Stage::setup, setup_start(task));
    case Stage::setup:
      if (!slot(task).barrier.test(rank_)) return false;
      core_.scheduler.delay_point("after the barrier test");
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
  core_.ghost.reach(Window::w9_error);
  if (core_.policy->joins_after_error()) {
    task.error = status;
    if (next == Stage::setup) {
      task.stage = next;
      return true;
    }
    drain(task);
    if (!task.copies_peers()) give_up_steps(task);
    own_entry(task).broken[parity(task)].write(harness::raw(task.generation()), task.generation());
    task.stage = Stage::copy;
    return true;
  }
  core_.ghost.disorder(Window::w9_error);
  const SiteScope site(core_.scheduler, "collective_failed");
  complete(task, status);
  return false;
}

// ---- the slot -----------------------------------------------------------------------------------

// Only rank 0 claims; all wait until the slot is theirs, and their part of its barrier is idle.
bool Process::get_sync(Task& task) {
  Slot& slot = this->slot(task);
  if (rank_ == 0) claim(task, slot);
  if (slot.state.read() != task.seq || !slot.barrier.idle(rank_)) return false;
  if (!core_.policy->numbers_posts() && slot.state.generation() != task.generation())
    core_.ghost.disorder(Window::w11_number_reused);
  return true;
}

// As upstream, whoever finds it free writes: of two threads of rank 0 both may, and the later
// collective may get it first, for which no peer may be ready that waits for the earlier.
void Process::claim(Task& task, Slot& slot) {
  if (slot.state.read() != 0) return;
  if (overtakes(task)) core_.ghost.reach(Window::w12_claim_race);
  if (!may_claim(task, slot)) return;
  const bool in_order = core_.policy->claims_in_order();
  const auto change = [&](std::uint32_t owner) {
    return owner == 0 || !in_order ? task.seq : owner;
  };
  const std::uint32_t owner = slot.state.update(change, task.generation());
  if (!in_order && (owner != 0 || overtakes(task))) core_.ghost.disorder(Window::w12_claim_race);
  if (owner != 0) return;
  slot.last_claimed = task.seq;
  core_.ghost.claiming(task.slot, task.generation());
  core_.ring();
}

bool Process::may_claim(const Task& task, const Slot& slot) const {
  if (!core_.policy->claims_in_order()) return true;
  const std::uint32_t count = core_.setup.slot_count;
  return slot.last_claimed == 0 ? task.seq <= count : task.seq == slot.last_claimed + count;
}

bool Process::overtakes(const Task& task) const {
  for (const Task* other : requests_)
    if (other != nullptr && other->stage == Stage::sync && other->slot == task.slot &&
        other->seq < task.seq)
      return true;
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
  core_.ring();
}

// ---- setup --------------------------------------------------------------------------------------

Entry& Process::own_entry(Task& task) {
  Entry*& entry = slot(task).entries[rank_];
  if (entry == nullptr) entry = core_.scheduler.arena().make<Entry>(core_.scheduler);
  return *entry;
}

Status Process::setup_start(Task& task) {
  const SiteScope site(core_.scheduler, "setup_start");
  Entry& entry = own_entry(task);
  const harness::Generation generation = task.generation();
  core_.ghost.publishing(task.slot, rank_, generation, is_proxy());
  if (core_.policy->tags_slots()) entry.tag.write(harness::raw(generation), generation);
  if (task.copies_peers()) publish(task, entry);
  const Status status = record_source(task, entry);
  if (status != Status::ok && !core_.policy->joins_after_error()) return status;
  if (core_.policy->joins_after_error())
    entry.failed.write(status == Status::ok ? 0 : 1, generation);
  if (!task.copies_peers()) publish_step(task, 0);
  if (slot(task).barrier.start(rank_)) core_.ring();
  return status;
}

void Process::publish(Task& task, Entry& entry) {
  const harness::Generation generation = task.generation();
  const Exchange& exchange = task.arguments.exchange;
  Shares shares;
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer) {
    constexpr std::uint32_t kBytes = sizeof(std::int32_t);
    shares.send_bytes[peer] = exchange.send_count[peer] * kBytes;
    shares.send_displacement[peer] = exchange.send_displacement[peer] * kBytes;
    shares.receive_displacement[peer] = exchange.receive_displacement[peer] * kBytes;
  }
  if (task.arguments.collective == Collective::alltoallv) entry.shares.write(shares, generation);
  entry.source.write(&MemInfo::ptr, task.source.ptr, generation);
  core_.scheduler.delay_point("amid the memory info");
  entry.source.write(&MemInfo::length, task.source.length, generation);
  entry.source.write(&MemInfo::offset, task.source.offset, generation);
  entry.source.write(&MemInfo::handle, task.source.handle, generation);
  if (proxies().empty())
    entry.destination.write(&MemInfo::ptr, CUdeviceptr{0}, generation);
  else
    entry.destination.write(task.destination, generation);
}

// What the stream holds so far is what peers wait for before they copy.
Status Process::record_source(Task& task, Entry& entry) {
  CUevent& event = slot_events_[task.slot];
  if (event == nullptr) {
    constexpr unsigned kShared = CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (cuEventCreate(&event, kShared) != CUDA_SUCCESS) {
      event = nullptr;
      return Status::driver_error;
    }
  }
  Published published;
  if (!entry.is_published) {
    CUipcEventHandle handle;
    if (cuIpcGetEventHandle(&handle, event) != CUDA_SUCCESS) return Status::driver_error;
    published.event = std::bit_cast<Handle>(handle);
    entry.published.write(published, task.generation());
    entry.is_published = true;
  }
  const CUstream stream = task.stream != nullptr ? task.stream : team_stream_;
  return cuEventRecord(event, stream) == CUDA_SUCCESS ? Status::ok : Status::driver_error;
}

// Whether everybody takes part.
Status Process::agree(Task& task) {
  if (task.error != Status::ok) return task.error;
  return peer_failed(task) ? Status::peer_error : Status::ok;
}

Status Process::map_peers(Task& task) {
  if (!task.copies_peers()) return Status::ok;
  const SiteScope site(core_.scheduler, "setup_test");
  const std::uint32_t count = core_.setup.rank_count;
  for (std::uint32_t& peer = task.next_peer; peer < count; ++peer) {
    if (peer == rank_ || !direct(rank_, peer)) continue;
    if (const Status status = map_peer(task, peer); status != Status::ok) return status;
  }
  for (; task.next_peer - count < proxies().size(); ++task.next_peer) {
    const ProxyEntry& pair = proxies()[task.next_peer - count];
    if (pair.proxy != rank_) continue;
    Entry& entry = this->entry(task, pair.destination);
    const Status status = map(task, pair.destination, entry.destination,
                              task.destinations[pair.destination]);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

// What a mapping that is still held keeps from being mapped is tried again when that has gone.
Status Process::map(Task& task, std::uint32_t peer, harness::SharedSlot<MemInfo>& published,
                    Mapping& mapping) {
  const MemInfo info = read_info(published, task.generation());
  const Status status = caches_[peer]->map(info, mapping);
  if (status == Status::in_progress) {
    task.blocked_by = peer;
    task.blocked_on = info;
  }
  return status;
}

bool Process::peer_failed(Task& task) {
  if (!core_.policy->joins_after_error()) return false;
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer)
    if (peer != rank_ && entry(task, peer).failed.read(task.generation()) != 0) return true;
  return false;
}

Status Process::map_peer(Task& task, std::uint32_t peer) {
  Status status = map(task, peer, entry(task, peer).source, task.sources[peer]);
  if (status == Status::ok) status = open_event(task, peer);
  if (status != Status::ok) return status;
  return cuStreamWaitEvent(task.stream, peer_events_[task.slot][peer], 0) == CUDA_SUCCESS
             ? Status::ok
             : Status::driver_error;
}

MemInfo Process::read_info(harness::SharedSlot<MemInfo>& slot, harness::Generation generation) {
  MemInfo info;
  info.ptr = slot.read(&MemInfo::ptr, generation);
  if (info.ptr == 0) return info;
  info.length = slot.read(&MemInfo::length, generation);
  info.handle = read_wide(slot, &MemInfo::handle, generation);
  return info;
}

Status Process::open_event(Task& task, std::uint32_t peer) {
  CUevent& event = peer_events_[task.slot][peer];
  if (event != nullptr) return Status::ok;
  const Published published{
      read_wide(entry(task, peer).published, &Published::event, harness::Generation::any)};
  if (cuIpcOpenEventHandle(&event, std::bit_cast<CUipcEventHandle>(published.event)) == CUDA_SUCCESS) return Status::ok;
  event = nullptr;
  return Status::driver_error;
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
  core_.scheduler.delay_point("after the barrier test");
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

void Process::end(Task& task) {
  put_sync(task);
  core_.scheduler.delay_point("between release and completion");
  complete(task, task.error);
}

void Process::complete(Task& task, Status status) {
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer) {
    core_.ghost.ended(task.sources[peer].hold);
    core_.ghost.ended(task.destinations[peer].hold);
  }
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
        entry(task, pair.proxy).broken[parity(task)].read() == harness::raw(task.generation()))
      return true;
  return false;
}

std::uint32_t Process::parity(const Task& task) const {
  return task.seq / core_.setup.slot_count % 2;
}

// In the order of UCC: all sources, then what was mapped as a proxy.
void Process::unmap_all(Task& task) {
  const SiteScope site(core_.scheduler, "alltoallv_unmap");
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer) {
    if (peer == rank_ || !direct(rank_, peer) || !task.copies_peers()) continue;
    core_.policy->unmap(task, Side::source, peer);
    core_.scheduler.delay_point("between peers in unmap");
  }
  const SiteScope proxy(core_.scheduler, "alltoallv_unmap/proxy");
  for (const ProxyEntry& entry : proxies())
    if (entry.proxy == rank_ && task.copies_peers())
      core_.policy->unmap(task, Side::destination, entry.destination);
  core_.ghost.unmapped(task.slot, rank_);
}

// ---- topology -----------------------------------------------------------------------------------

std::span<const ProxyEntry> Process::proxies() const {
  static constexpr ProxyEntry kProxies[] = {{0, 2, 1}, {2, 0, 1}};
  if (topology_ == Topology::direct) return {};
  return kProxies;
}

bool Process::is_proxy() const { return !proxies().empty() && proxies()[0].proxy == rank_; }

bool Process::direct(std::uint32_t a, std::uint32_t b) const {
  for (const ProxyEntry& entry : proxies())
    if (entry.source == a && entry.destination == b) return false;
  return true;
}

}  // namespace targets::alltoallv
