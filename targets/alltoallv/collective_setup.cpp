// Setup: getting the slot, publishing in it, and mapping what the peers have published.
#include "targets/alltoallv/process.h"

namespace targets::alltoallv {

using harness::SiteScope;

// ---- the slot -----------------------------------------------------------------------------------

// Only rank 0 claims; all wait until the slot is theirs, and their part of its barrier is idle.
bool Process::get_sync(Task& task) {
  Slot& slot = this->slot(task);
  if (rank_ == 0) claim(task, slot);
  if (slot.state.read() != task.seq || !slot.barrier.idle(rank_)) return false;
  core_.tell([&](Observer& observer) {
    observer.entered({rank_, task.request, slot.state.generation()});
  });
  return true;
}

// As upstream, whoever finds it free writes: of two threads of rank 0 both may, and the later
// collective may get it first, for which no peer may be ready that waits for the earlier.
void Process::claim(Task& task, Slot& slot) {
  if (slot.state.read() != 0) return;
  core_.tell([&](Observer& observer) { observer.found_free(task.request); });
  if (!may_claim(task, slot)) return;
  const bool in_order = core_.policy->claims_in_order();
  const auto change = [&](std::uint32_t owner) {
    return owner == 0 || !in_order ? task.seq : owner;
  };
  const std::uint32_t owner = slot.state.update(change, task.generation());
  core_.tell([&](Observer& observer) {
    observer.claimed({task.slot, task.request, owner, slot.state.peek()});
  });
  if (owner != 0) return;
  slot.last_claimed = task.seq;
  core_.ring();
}

bool Process::may_claim(const Task& task, const Slot& slot) const {
  if (!core_.policy->claims_in_order()) return true;
  const std::uint32_t count = core_.setup.slot_count;
  return slot.last_claimed == 0 ? task.seq <= count : task.seq == slot.last_claimed + count;
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
  core_.tell([&](Observer& observer) { observer.publishing({rank_, task.request, task.slot}); });
  if (core_.policy->tags_slots()) entry.tag.write(task.use(), generation);
  if (task.copies_peers()) publish(task, entry);
  const Status status = record_source(task, entry);
  if (status != Status::ok && !core_.policy->joins_after_error()) return status;
  if (core_.policy->joins_after_error())
    entry.failed.write(status == Status::ok ? 0 : 1, generation);
  if (!task.copies_peers())
    publish_step(task, 0);
  else
    tell_published(task, entry);
  if (slot(task).barrier.start(rank_)) core_.ring();
  core_.tell([&](Observer& observer) { observer.set_up(rank_, task.request); });
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
  core_.delay_point("amid the memory info");
  entry.source.write(&MemInfo::length, task.source.length, generation);
  entry.source.write(&MemInfo::offset, task.source.offset, generation);
  entry.source.write(&MemInfo::handle, task.source.handle, generation);
  if (proxies().empty())
    entry.destination.write(&MemInfo::ptr, CUdeviceptr{0}, generation);
  else
    entry.destination.write(task.destination, generation);
}

void Process::tell_published(const Task& task, const Entry& entry) {
  core_.tell([&](Observer& observer) {
    const MemInfo source = entry.source.peek();
    const MemInfo destination = entry.destination.peek();
    const Shares shares = entry.shares.peek();
    observer.published({rank_,
                        task.request,
                        {source.ptr, source.length, source.offset},
                        {destination.ptr, destination.length, destination.offset},
                        shares.send_bytes,
                        shares.send_displacement,
                        shares.receive_displacement});
  });
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
    const Status status = map(task, pair.destination, entry.destination, Side::destination);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

// What a mapping that is still held keeps from being mapped is tried again when that has gone.
Status Process::map(Task& task, std::uint32_t peer, harness::SharedSlot<MemInfo>& published,
                    Side side) {
  const MemInfo info = read_info(published, task.generation());
  const bool writes = side == Side::destination;
  const Use use{rank_, task.request, peer, writes};
  Mapping& mapping = writes ? task.destinations[peer] : task.sources[peer];
  const Status status = caches_[peer]->map(info, use, mapping);
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
  Status status = map(task, peer, entry(task, peer).source, Side::source);
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
  if (cuIpcOpenEventHandle(&event, std::bit_cast<CUipcEventHandle>(published.event)) ==
      CUDA_SUCCESS)
    return Status::ok;
  event = nullptr;
  return Status::driver_error;
}

}  // namespace targets::alltoallv
