// Task: one collective on one rank, from init to finalize.
#pragma once

#include "targets/alltoallv/cache.h"

namespace targets::alltoallv {

class Process;

enum class Stage : std::uint8_t {
  initialized,  ///< Not posted, or complete.
  sync,         ///< Waits for the slot.
  setup,        ///< Published; waits for all to have done so.
  map,          ///< All have published; now their memory is mapped.
  post_copies,
  copy,        ///< Copies are in flight.
  steps,       ///< Ring and linear: waits for a neighbour.
  completion,  ///< In the completion barrier.
  third_barrier,
};

/// Hands a task from thread to thread. Upstream's is the status, which is written last and read
/// first: whoever has the task knows what was done to it before.
class Handover {
 public:
  void take() { harness::edge_acquire(this); }
  void give() { harness::edge_release(this); }
};

/// Ownership: in the run's arena. Holds its tensors from init to finalize.
/// Threads: whoever took it out of the queue.
struct Task {
  Task(Process& process, Request request, const Arguments& arguments)
      : process(process), request(request), arguments(arguments) {}

  /// The mark of its words in the slot: an observer's, not the program's.
  harness::Generation generation() const { return mark; }
  /// How the program itself tells its uses of slots apart: by number, and which of its posts.
  std::uint64_t use() const { return std::uint64_t{seq} | std::uint64_t{round} << 32; }
  bool copies_peers() const {
    return arguments.collective == Collective::alltoall ||
           arguments.collective == Collective::alltoallv;
  }

  Process& process;
  Request request;
  Arguments arguments;
  harness::Activation activation;  ///< Asks what is asked on its behalf.
  std::uint32_t seq = 0;
  std::uint32_t slot = 0;
  std::uint32_t round = 0;  ///< How often it was posted.
  harness::Generation mark = harness::Generation::none;
  Stage stage = Stage::initialized;
  Status status = Status::ok;
  Handover handover;
  bool queued = false;        ///< In the queue, or with whoever took it out.
  Status error = Status::ok;  ///< joins_after_error: what it will end with.

  harness::Ref source_tensor;
  harness::Ref destination_tensor;
  CUdeviceptr source_base = 0;
  CUdeviceptr destination_base = 0;
  CUstream stream = nullptr;
  CUevent copied = nullptr;
  bool in_flight = false;  ///< Copies were submitted, and not yet seen to be done.
  MemInfo source;
  MemInfo destination;
  std::array<Mapping, kRankLimit> sources;       ///< By peer.
  std::array<Mapping, kRankLimit> destinations;  ///< By peer; as a proxy.
  std::uint32_t next_peer = 0;                   ///< To map; those after the last are proxied.
  std::uint32_t blocked_by = 0;                  ///< Whose memory cannot be mapped yet, ...
  MemInfo blocked_on;                            ///< ... and which.
  std::uint32_t step = 0;                        ///< Of a ring or linear collective.
};

}  // namespace targets::alltoallv
