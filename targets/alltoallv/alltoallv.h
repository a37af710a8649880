// SPDX-License-Identifier: Apache-2.0
// alltoallv: the copy-engine alltoall(v) of UCC's TL/CUDA, and the collectives that share its
// slots, behind one interface.
//
// A job has 2 to 8 ranks: processes with their own context, streams, progress queue and cache of
// IPC mappings. Up to two teams of all ranks share that cache; each team has a shared segment of
// sync slots. Each method is a call in the process of `rank`. Policies differ in what a rank keeps
// of a peer's memory between mapping and unmapping it, and in who may use the slot until then.
//
// Contract: a collective reads only the sources and writes only the destinations of all ranks, as
// passed to init(). It has unmapped everything when it is complete. A rank on which it fails does
// not block others. The caller inits and posts the same collectives in the same order on all ranks
// (finalizing an unposted one counts if all do), uses a destination for nothing else until
// completion, makes and destroys teams in the same order on all ranks, and destroys a rank's part
// of a team only if nothing of it is outstanding there. Threads: calls of a rank come from its own
// tasks; a progress thread may run beside them. Errors: a Status; nothing throws. If init() fails,
// nothing has changed and it can be called again.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/driver/runtime.h"
#include "targets/alltoallv/observer.h"
#include "targets/alltoallv/sites.h"

namespace targets::alltoallv {

inline constexpr std::uint32_t kRequestLimit = 32;  ///< Maximum per rank.
inline constexpr std::uint32_t kBufferCount = 2;    ///< Variables of a rank that hold sources.
/// Returns the number of elements of each source and destination.
constexpr std::uint32_t buffer_elements(std::uint32_t rank_count) { return 6 * rank_count; }
inline constexpr std::uint32_t kBufferElements = buffer_elements(kRankLimit);  ///< Upper bound.

harness::Label to_label(Status status);

enum class Collective : std::uint8_t {
  alltoall,
  alltoallv,
  allgather_ring,         ///< Data pass through the right neighbour's scratch, step by step.
  reduce_scatter_linear,  ///< Data pass through all ranks' scratch; a kernel adds them up.
};

/// Selects the peers that can reach each other. Rank 1 is the proxy of a pair that cannot.
enum class Topology : std::uint8_t { direct, ranks_0_and_2_by_proxy };

/// Element counts and displacements of one rank, to and from each peer.
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
  bool null_source = false;  ///< The source is a null pointer: nothing is sent.
  std::uint32_t offset = 0;  ///< Offset of the user's pointer in its allocation, in elements.
  std::uint32_t stream = 0;  ///< 0: no execution engine, so the default stream; 1, 2: the user's.
  std::uint32_t team = 0;
  bool in_place = false;
  bool persistent = false;  ///< Can be posted again.
  Exchange exchange;
};

/// Expected elements of a destination: base, base + slope, base + 2 * slope, ...
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

/// Configuration of a job, fixed before it starts.
struct Setup {
  std::uint32_t rank_count = 2;
  std::uint32_t slot_count = kSlotLimit;        ///< UCC_TL_CUDA_MAX_CONCURRENT.
  std::uint32_t request_count = kRequestLimit;  ///< Requests are numbered below this.
  /// Maximum number of collectives of each team that are numbered.
  std::array<std::uint32_t, kTeamLimit> number_count{kRequestLimit, kRequestLimit};
  bool close_at_zero = false;    ///< Whether a mapping without users is closed instead of kept.
  bool batch_copies = false;     ///< CUDA 13: the copies of a collective are one call.
  bool pooled = false;           ///< Tensors are pieces of larger allocations.
  bool scratch = false;          ///< The job uses ring or linear collectives.
  bool quiet = false;            ///< Disables the delays at named points.
  Observer* observer = nullptr;  ///< May be null.
};

/// Ownership: made in the run's arena. Borrows the runtime and the observer.
class Alltoallv {
 public:
  virtual ~Alltoallv() = default;

  // ---- the process ----
  virtual Status open(std::uint32_t rank) = 0;
  /// Releases everything. The caller has no outstanding work and no team left.
  virtual void close(std::uint32_t rank) = 0;
  /// Collective: returns when all ranks have called it. Outstanding work of other teams continues.
  virtual void create_team(std::uint32_t rank, std::uint32_t team, Topology topology) = 0;
  /// Returns without waiting for peers, unless the policy waits.
  virtual void destroy_team(std::uint32_t rank, std::uint32_t team) = 0;
  /// Starts a second thread that calls progress() until the process closes.
  virtual void start_progress_thread(std::uint32_t rank) = 0;
  /// Starts a thread that progresses whenever something is posted. It is for a rank whose own task
  /// may be delayed after a post.
  virtual void start_spare_thread(std::uint32_t rank) = 0;

  // ---- buffers: managed objects ----
  /// Sets buffers[b] to a new tensor, filled on `stream`.
  virtual Status fill(std::uint32_t rank, Buffer buffer, std::uint32_t fill,
                      std::uint32_t stream) = 0;
  virtual bool filled(std::uint32_t rank, Buffer buffer) const = 0;
  /// Runs `del buffers[b]`. Collectives that use the tensor keep it alive.
  virtual void drop(std::uint32_t rank, Buffer buffer) = 0;
  /// Puts the tensor in a reference cycle: once dropped, only the collector can free it.
  virtual void make_cycle(std::uint32_t rank, Buffer buffer) = 0;
  /// Runs gc.collect().
  virtual void collect(std::uint32_t rank) = 0;

  // ---- collectives ----
  /// Makes the caller's arguments of init(): a new destination, a stream and a filled source. Calls
  /// nothing of UCC.
  virtual Status prepare(std::uint32_t rank, Request request, const Arguments& arguments) = 0;
  virtual Status init(std::uint32_t rank, Request request, const Arguments& arguments) = 0;
  /// Posts once, or again after a persistent one has completed. Returns before it is complete.
  virtual void post(std::uint32_t rank, Request request) = 0;
  /// Posts when the data are ready: does the set-up in the calling task, and only then enqueues.
  virtual void triggered_post(std::uint32_t rank, Request request) = 0;
  /// Progresses each outstanding request once.
  virtual void progress(std::uint32_t rank) = 0;
  virtual Status test(std::uint32_t rank, Request request) const = 0;
  /// Progresses until the request is complete.
  virtual Status wait(std::uint32_t rank, Request request) = 0;
  /// Reads the destination back; a kernel also compares it with at most one row per rank.
  virtual Status check(std::uint32_t rank, Request request, std::span<const Row> rows) = 0;
  /// Overwrites the destination between two posts, as a caller may.
  virtual Status scrub(std::uint32_t rank, Request request) = 0;
  virtual void finalize(std::uint32_t rank, Request request) = 0;
};

/// A lifetime policy of this path, and its name.
struct NamedPolicy {
  harness::Label name;
  Alltoallv* (*make)(harness::Runtime& runtime, const Setup& setup);
};
std::span<const NamedPolicy> policies();

}  // namespace targets::alltoallv
