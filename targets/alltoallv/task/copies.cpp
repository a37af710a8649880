// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/task/copies.h"

#include "targets/alltoallv/layout.h"
#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

using harness::SiteScope;

namespace {

Status status_of(CUresult result) {
  return result == CUDA_SUCCESS ? Status::ok : Status::driver_error;
}

}  // namespace

// Uses the team's stream for a batch, as upstream: the default stream takes no batch.
Status Copies::find_stream() {
  const Context& context = post_.rank.context;
  const Status status = post_.rank.context.find_stream(post_.arguments.stream, stream_);
  const bool batch = core_.setup.batch_copies && post_.copies_peers();
  if (status == Status::ok && batch && stream_ == nullptr) stream_ = context.team_stream();
  return status;
}

Status Copies::take_event() {
  return copied_ == nullptr ? post_.rank.context.take_event(copied_) : Status::ok;
}

void Copies::give_back_event() {
  if (copied_ != nullptr) post_.rank.context.give_back(std::exchange(copied_, nullptr));
}

// ---- an alltoall(v) -----------------------------------------------------------------------------

Status Copies::submit_all() {
  if (core_.setup.batch_copies)
    core_.tell([&](Observer& observer) {
      observer.batching({post_.rank.number, post_.request, is_batch()});
    });
  const Status status = is_batch() ? submit_batch() : submit_each();
  if (status != Status::ok) return status;
  core_.tell([](Observer& observer) { observer.copied(); });
  return record();
}

// A batch does not support proxies: a policy that heeds this copies one by one if there are any.
bool Copies::is_batch() const {
  return core_.setup.batch_copies &&
         (post_.team().proxies().empty() || !core_.policy->heeds_proxies_in_batches());
}

// Starts with the rank itself, so that the ranks do not all read from rank 0 first.
Status Copies::submit_each() {
  const SiteScope site(core_.scheduler, "post_copies");
  const Rank& rank = post_.rank;
  const std::uint32_t count = core_.setup.rank_count;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t peer = (rank.number + i) % count;
    if (!post_.team().direct(rank.number, peer)) continue;
    if (const Status status = copy_from(peer); status != Status::ok) return status;
  }
  for (const ProxyEntry& entry : post_.team().proxies())
    if (entry.proxy == rank.number)
      if (const Status status = copy_as_proxy(entry); status != Status::ok) return status;
  return Status::ok;
}

// Submits one call, which fails as a whole.
Status Copies::submit_batch() {
  const SiteScope site(core_.scheduler, "post_batch_copies");
  const std::uint32_t rank = post_.rank.number;
  std::array<CUdeviceptr, kRankLimit> targets;
  std::array<CUdeviceptr, kRankLimit> sources;
  std::array<std::size_t, kRankLimit> sizes;
  std::array<CUmemcpyAttributes, kRankLimit> attributes{};
  std::array<std::size_t, kRankLimit> first_of;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < core_.setup.rank_count; ++i) {
    const std::uint32_t peer = (rank + i) % core_.setup.rank_count;
    const Share share = share_of(peer, rank);
    if (share.bytes == 0) continue;
    targets[count] = operands_.destination() +
                     post_.arguments.exchange.receive_displacement[peer] * kElementBytes;
    sources[count] = source_of(peer) + share.displacement;
    sizes[count] = share.bytes;
    attributes[count].srcAccessOrder = core_.policy->reads_in_stream_order()
                                           ? CU_MEMCPY_SRC_ACCESS_ORDER_STREAM
                                           : CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
    attributes[count].flags = CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE;
    first_of[count] = count;
    ++count;
  }
  if (count == 0) return Status::ok;
  const CUresult result = cuMemcpyBatchAsync(targets.data(), sources.data(), sizes.data(), count,
                                             attributes.data(), first_of.data(), count, stream_);
  in_flight_ |= result == CUDA_SUCCESS;
  return status_of(result);
}

/// Returns the local address of the data that a peer sends.
CUdeviceptr Copies::source_of(std::uint32_t peer) const {
  if (peer == post_.rank.number) return operands_.source();
  return mappings_.of(Side::source, peer).mapped +
         post_.entry(peer).source.read(&MemInfo::offset, post_.mark());
}

Copies::Share Copies::share_of(std::uint32_t from, std::uint32_t to) const {
  const Exchange& exchange = post_.arguments.exchange;
  if (post_.arguments.collective == Collective::alltoall) {
    const std::uint32_t bytes = exchange.send_count[to] * kElementBytes;
    return {bytes, to * bytes};
  }
  if (from == post_.rank.number)
    return {exchange.send_count[to] * kElementBytes,
            exchange.send_displacement[to] * kElementBytes};
  Entry& entry = post_.entry(from);
  const std::uint32_t bytes = entry.shares.read(&Shares::send_bytes, to, post_.mark());
  if (bytes == 0) return {};
  return {bytes, entry.shares.read(&Shares::send_displacement, to, post_.mark())};
}

Status Copies::copy_from(std::uint32_t peer) {
  const Share share = share_of(peer, post_.rank.number);
  if (share.bytes == 0) return Status::ok;
  const CUdeviceptr from = source_of(peer);
  const std::uint32_t displacement =
      post_.arguments.exchange.receive_displacement[peer] * kElementBytes;
  return submit(operands_.destination() + displacement, from + share.displacement, share.bytes);
}

Status Copies::copy_as_proxy(const ProxyEntry& pair) {
  const SiteScope site(core_.scheduler, "post_copies/proxy");
  const Share share = share_of(pair.source, pair.destination);
  const Mapping& source = mappings_.of(Side::source, pair.source);
  const Mapping& destination = mappings_.of(Side::destination, pair.destination);
  if (share.bytes == 0) return Status::ok;
  const CUdeviceptr from =
      source.mapped + post_.entry(pair.source).source.read(&MemInfo::offset, post_.mark());
  const CUdeviceptr to =
      destination.mapped +
      post_.entry(pair.destination).destination.read(&MemInfo::offset, post_.mark());
  const std::uint32_t displacement =
      post_.arguments.collective == Collective::alltoall
          ? pair.source * share.bytes
          : post_.entry(pair.destination)
                .shares.read(&Shares::receive_displacement, pair.source, post_.mark());
  return submit(to + displacement, from + share.displacement, share.bytes);
}

// ---- what is in flight --------------------------------------------------------------------------

Status Copies::submit(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  const CUresult result = cuMemcpyDtoDAsync(to, from, bytes, stream_);
  in_flight_ |= result == CUDA_SUCCESS;
  return status_of(result);
}

Status Copies::record() {
  if (!in_flight_) return Status::ok;
  return status_of(cuEventRecord(copied_, stream_));
}

Status Copies::poll() {
  if (!in_flight_) return Status::ok;
  const CUresult result = cuEventQuery(copied_);
  if (result == CUDA_ERROR_NOT_READY) return Status::in_progress;
  if (result == CUDA_SUCCESS) in_flight_ = false;
  return status_of(result);
}

void Copies::drain() {
  while (in_flight_ && cuStreamSynchronize(stream_) != CUDA_SUCCESS) {
  }
  in_flight_ = false;
}

}  // namespace targets::alltoallv
