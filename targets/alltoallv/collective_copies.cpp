// Copies: what a rank pulls from its peers, and what it moves between two others as their proxy.
#include <algorithm>

#include "targets/alltoallv/process.h"

namespace targets::alltoallv {

using harness::SiteScope;

namespace {

constexpr std::uint32_t kBytes = sizeof(std::int32_t);

Status status_of(CUresult result) {
  return result == CUDA_SUCCESS ? Status::ok : Status::driver_error;
}

}  // namespace

// Beginning with itself, so that not everybody reads from rank 0 first.
Status Process::post_copies(Task& task) {
  const SiteScope site(core_.scheduler, "post_copies");
  const std::uint32_t count = core_.setup.rank_count;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t peer = (rank_ + i) % count;
    if (!direct(rank_, peer)) continue;
    if (const Status status = copy_from(task, peer); status != Status::ok) return status;
  }
  for (const ProxyEntry& entry : proxies())
    if (entry.proxy == rank_)
      if (const Status status = copy_as_proxy(task, entry); status != Status::ok) return status;
  core_.tell([](Observer& observer) { observer.copied(); });
  return record_copies(task);
}

Process::Share Process::share_of(Task& task, std::uint32_t from, std::uint32_t to) {
  if (task.arguments.collective == Collective::alltoall) {
    const std::uint32_t bytes = task.arguments.exchange.send_count[to] * kBytes;
    return {bytes, to * bytes};
  }
  if (from == rank_) {
    const Exchange& exchange = task.arguments.exchange;
    return {exchange.send_count[to] * kBytes, exchange.send_displacement[to] * kBytes};
  }
  Entry& entry = this->entry(task, from);
  const std::uint32_t bytes = entry.shares.read(&Shares::send_bytes, to, task.generation());
  if (bytes == 0) return {};
  return {bytes, entry.shares.read(&Shares::send_displacement, to, task.generation())};
}

Status Process::copy_from(Task& task, std::uint32_t peer) {
  const Share share = share_of(task, peer, rank_);
  if (share.bytes == 0) return Status::ok;
  CUdeviceptr from = task.source_base + task.arguments.offset * kBytes;
  if (peer != rank_) {
    if (task.sources[peer].mapped == 0) return Status::ok;
    from = task.sources[peer].mapped +
           entry(task, peer).source.read(&MemInfo::offset, task.generation());
  }
  const std::uint32_t displacement = task.arguments.exchange.receive_displacement[peer] * kBytes;
  return copy(task, task.destination_base + displacement, from + share.displacement, share.bytes);
}

Status Process::copy_as_proxy(Task& task, const ProxyEntry& pair) {
  const SiteScope site(core_.scheduler, "post_copies/proxy");
  const Share share = share_of(task, pair.source, pair.destination);
  const Mapping& source = task.sources[pair.source];
  const Mapping& destination = task.destinations[pair.destination];
  if (share.bytes == 0 || source.mapped == 0 || destination.mapped == 0) return Status::ok;
  const CUdeviceptr from =
      source.mapped + entry(task, pair.source).source.read(&MemInfo::offset, task.generation());
  const std::uint32_t displacement =
      task.arguments.collective == Collective::alltoall
          ? pair.source * share.bytes
          : entry(task, pair.destination)
                .shares.read(&Shares::receive_displacement, pair.source, task.generation());
  return copy(task, destination.mapped + displacement, from + share.displacement, share.bytes);
}

Status Process::copy(Task& task, CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  const CUresult result = cuMemcpyDtoDAsync(to, from, bytes, task.stream);
  task.in_flight |= result == CUDA_SUCCESS;
  return status_of(result);
}

Status Process::record_copies(Task& task) {
  if (!task.in_flight) return Status::ok;
  return status_of(cuEventRecord(task.copied, task.stream));
}

Status Process::copies_done(Task& task) {
  if (!task.in_flight) return Status::ok;
  const CUresult result = cuEventQuery(task.copied);
  if (result == CUDA_ERROR_NOT_READY) return Status::in_progress;
  if (result == CUDA_SUCCESS) task.in_flight = false;
  return status_of(result);
}

// Whatever was submitted is over: nobody may let go of memory before.
void Process::drain(Task& task) {
  while (task.in_flight && cuStreamSynchronize(task.stream) != CUDA_SUCCESS) {
  }
  task.in_flight = false;
}

}  // namespace targets::alltoallv
