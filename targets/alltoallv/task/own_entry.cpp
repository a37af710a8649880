// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/task/own_entry.h"

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

std::uint32_t parity(const Post& post) { return post.seq / post.rank.core.setup.slot_count % 2; }

Entry& OwnEntry::entry() { return post_.team().segment().entry(post_.slot, post_.rank.number); }

// ---- setup --------------------------------------------------------------------------------------

Status OwnEntry::set_up(CUstream stream) {
  const harness::SiteScope site(core_.scheduler, "setup_start");
  const std::uint32_t rank = post_.rank.number;
  Entry& entry = this->entry();
  const harness::Generation mark = post_.mark();
  core_.tell(
      [&](Observer& observer) { observer.publishing({rank, post_.request, post_.slot_id()}); });
  if (core_.policy->tags_slots()) entry.tag.write(post_.use(), mark);
  if (post_.copies_peers()) publish(entry);
  const Status status = record_source(entry, stream);
  if (status != Status::ok && !core_.policy->joins_after_error()) return status;
  if (core_.policy->tells_errors()) entry.failed.write(status == Status::ok ? 0 : 1, mark);
  if (!post_.copies_peers())
    publish_step(0);
  else
    tell_published(entry);
  const bool last = post_.shared_slot().barrier.start(rank);
  if (last) core_.ring();
  core_.tell(
      [&](Observer& observer) { observer.arrived({rank, post_.request, Crossing::setup, last}); });
  return status;
}

void OwnEntry::publish(Entry& entry) {
  const harness::Generation mark = post_.mark();
  const Exchange& exchange = post_.arguments.exchange;
  Shares shares;
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer) {
    constexpr std::uint32_t kBytes = sizeof(std::int32_t);
    shares.send_bytes[peer] = exchange.send_count[peer] * kBytes;
    shares.send_displacement[peer] = exchange.send_displacement[peer] * kBytes;
    shares.receive_displacement[peer] = exchange.receive_displacement[peer] * kBytes;
  }
  if (post_.arguments.collective == Collective::alltoallv) entry.shares.write(shares, mark);
  const MemInfo& source = operands_.exported_source();
  entry.source.write(&MemInfo::ptr, source.ptr, mark);
  core_.tell(
      [&](Observer& observer) { observer.source_written(post_.rank.number, post_.request); });
  core_.delay_point("amid the memory info");
  entry.source.write(&MemInfo::length, source.length, mark);
  entry.source.write(&MemInfo::offset, source.offset, mark);
  entry.source.write(&MemInfo::handle, source.handle, mark);
  if (post_.team().proxies().empty())
    entry.destination.write(&MemInfo::ptr, CUdeviceptr{0}, mark);
  else
    entry.destination.write(operands_.exported_destination(), mark);
}

void OwnEntry::tell_published(const Entry& entry) {
  core_.tell([&](Observer& observer) {
    const MemInfo source = entry.source.peek();
    const MemInfo destination = entry.destination.peek();
    const Shares shares = entry.shares.peek();
    observer.published({post_.rank.number,
                        post_.request,
                        {source.ptr, source.length, source.offset},
                        {destination.ptr, destination.length, destination.offset},
                        shares.send_bytes,
                        shares.send_displacement,
                        shares.receive_displacement});
  });
}

Status OwnEntry::record_source(Entry& entry, CUstream stream) {
  const CUevent event = post_.team().events().own(post_.slot, entry);
  if (stream == nullptr) stream = post_.rank.context.team_stream();
  return cuEventRecord(event, stream) == CUDA_SUCCESS ? Status::ok : Status::driver_error;
}

// ---- later --------------------------------------------------------------------------------------

void OwnEntry::publish_step(std::uint32_t step) {
  entry().step.write(step, post_.mark());
  core_.ring();
}

bool OwnEntry::is_at(std::uint32_t step) const {
  return post_.entry(post_.rank.number).step.peek() == step;
}

void OwnEntry::give_up() {
  if (!post_.copies_peers()) publish_step(kFailedStep);
  if (core_.policy->tells_errors()) entry().broken[parity(post_)].write(post_.use(), post_.mark());
}

}  // namespace targets::alltoallv
