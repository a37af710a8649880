// SPDX-License-Identifier: Apache-2.0
// alltoallv: the copy-engine alltoall(v) of UCC's TL/CUDA, and the collectives that share its
// slots, behind one interface.
//
// A job is 2 to 8 ranks, each a process with its own context, streams, progress queue and cache of
// IPC mappings. Over that cache it is in one team or two of all ranks, each with a shared segment
// of sync slots. Each method is a call of the process of `rank`. Policies differ in what a rank
// keeps of a peer's memory between mapping and unmapping it, and in who may use the slot meanwhile.
//
// Contract: a collective reads the sources and writes the destinations of all ranks, as given to
// init(), and nothing else. It has unmapped everything when it is complete. A rank on which it
// fails holds up no other. The caller: all ranks init and post the same collectives in the same
// order (finalizing an unposted one counts if all do); a destination is used by nothing else until
// the collective is complete; all ranks make and destroy teams in the same order, and a rank
// destroys its part of one when nothing is outstanding on it there. Threads: calls of one rank come
// from its own tasks; a progress thread may run beside them. Errors: a Status; nothing throws.
// After an error of init() nothing has happened, and it can be called again.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/runtime.h"
#include "targets/alltoallv/observer.h"
#include "targets/alltoallv/sites.h"

namespace targets::alltoallv {

inline constexpr std::uint32_t kRequestLimit = 32;  ///< Per rank, by number.
inline constexpr std::uint32_t kBufferCount = 2;    ///< Variables per rank that hold a source.
/// Returns the elements of every source and destination.
constexpr std::uint32_t buffer_elements(std::uint32_t rank_count) { return 6 * rank_count; }
inline constexpr std::uint32_t kBufferElements = buffer_elements(kRankLimit);  ///< At most.

harness::Label to_label(Status status);

enum class Collective : std::uint8_t {
  alltoall,
  alltoallv,
  allgather_ring,         ///< Through the scratch of the right neighbour, step by step.
  reduce_scatter_linear,  ///< Through all's scratch, then a kernel.
};

/// Which peers reach each other. Rank 1 copies for the pair that does not.
enum class Topology : std::uint8_t { direct, ranks_0_and_2_by_proxy };

/// One rank's counts to and from each peer, in elements.
struct Exchange {
  std::array<std::uint16_t, kRankLimit> send_count{};
  std::array<std::uint16_t, kRankLimit> send_displacement{};
  std::array<std::uint16_t, kRankLimit> receive_count{};
  std::array<std::uint16_t, kRankLimit> receive_displacement{};
};

using Buffer = std::uint32_t;

/// Arguments that one rank gives to init().
struct Arguments {
  Collective collective = Collective::alltoallv;
  Buffer source = 0;
  bool null_source = false;  ///< No buffer at all: nothing is sent.
  std::uint32_t offset = 0;  ///< Offset of the user's pointer in its allocation, in elements.
  std::uint32_t stream = 0;  ///< 0: no execution engine, so the default stream; 1, 2: the user's.
  std::uint32_t team = 0;
  bool in_place = false;
  bool persistent = false;  ///< Can be posted again.
  Exchange exchange;
};

/// Elements that grow evenly: base, base + slope, ...
struct Row {
  std::int32_t displacement;
  std::int32_t count;
  std::int32_t base;
  std::int32_t slope;
};

/// Returns element `index` of the `fill`-th source of a rank, as the pack kernel writes it.
constexpr std::int32_t element(std::uint32_t rank, std::uint32_t fill, std::uint32_t index) {
  return static_cast<std::int32_t>((rank << 20) + (fill << 8) + index + 1);
}

/// All that fixes a job before it starts.
struct Setup {
  std::uint32_t rank_count = 2;
  std::uint32_t slot_count = kSlotLimit;        ///< UCC_TL_CUDA_MAX_CONCURRENT.
  std::uint32_t request_count = kRequestLimit;  ///< Numbers that requests may have.
  /// Numbers that the collectives of each team take at most.
  std::array<std::uint32_t, kTeamLimit> number_count{kRequestLimit, kRequestLimit};
  bool close_at_zero = false;    ///< Whether a mapping without users is closed instead of kept.
  bool batch_copies = false;     ///< CUDA 13: the copies of a collective are one call.
  bool pooled = false;           ///< Tensors are pieces of larger allocations.
  bool scratch = false;          ///< The job uses ring or linear collectives.
  bool quiet = false;            ///< No rank is held up at a named place.
  Observer* observer = nullptr;  ///< May be null.
};

/// Ownership: made in the run's arena. Borrows the runtime and the observer.
class Alltoallv {
 public:
  virtual ~Alltoallv() = default;

  // ---- the process ----
  virtual Status open(std::uint32_t rank) = 0;
  /// Lets go of everything; nothing is outstanding, and no team is left.
  virtual void close(std::uint32_t rank) = 0;
  /// Collective: returns when all ranks have called it. Outstanding work of other teams continues.
  virtual void create_team(std::uint32_t rank, std::uint32_t team, Topology topology) = 0;
  /// Does not wait, unless the policy does.
  virtual void destroy_team(std::uint32_t rank, std::uint32_t team) = 0;
  /// A second thread calls progress, until the process closes.
  virtual void start_progress_thread(std::uint32_t rank) = 0;
  /// The same, woken by anything that is posted: for a rank whose own task may be held up after
  /// that.
  virtual void start_spare_thread(std::uint32_t rank) = 0;

  // ---- buffers: managed objects ----
  /// buffers[b] = a new tensor, filled on `stream`.
  virtual Status fill(std::uint32_t rank, Buffer buffer, std::uint32_t fill,
                      std::uint32_t stream) = 0;
  virtual bool filled(std::uint32_t rank, Buffer buffer) const = 0;
  /// del buffers[b]. Collectives that use the tensor keep it.
  virtual void drop(std::uint32_t rank, Buffer buffer) = 0;
  /// An object that holds the tensor and itself: only the collector frees it, once dropped.
  virtual void make_cycle(std::uint32_t rank, Buffer buffer) = 0;
  /// gc.collect().
  virtual void collect(std::uint32_t rank) = 0;

  // ---- collectives ----
  /// The caller gets ready what init() is given: a new destination, a stream, a source that is
  /// filled. Nothing of UCC's.
  virtual Status prepare(std::uint32_t rank, Request request, const Arguments& arguments) = 0;
  virtual Status init(std::uint32_t rank, Request request, const Arguments& arguments) = 0;
  /// Posts once, or again after a persistent one has completed. Returns before it is complete.
  virtual void post(std::uint32_t rank, Request request) = 0;
  /// The same when the data are ready: sets up in the caller's own time, and only then queues.
  virtual void triggered_post(std::uint32_t rank, Request request) = 0;
  /// One pass over what is outstanding.
  virtual void progress(std::uint32_t rank) = 0;
  virtual Status test(std::uint32_t rank, Request request) const = 0;
  /// Progresses until the request is complete.
  virtual Status wait(std::uint32_t rank, Request request) = 0;
  /// Reads the destination back, and has a kernel compare it with at most one row for each rank.
  virtual Status check(std::uint32_t rank, Request request, std::span<const Row> rows) = 0;
  /// The caller overwrites the destination, between two posts.
  virtual Status scrub(std::uint32_t rank, Request request) = 0;
  virtual void finalize(std::uint32_t rank, Request request) = 0;
};

/// A way to manage lifetimes on this path, by name.
struct NamedPolicy {
  harness::Label name;
  Alltoallv* (*make)(harness::Runtime& runtime, const Setup& setup);
};
std::span<const NamedPolicy> policies();

}  // namespace targets::alltoallv
