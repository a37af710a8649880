// SPDX-License-Identifier: Apache-2.0
// Facts: events of a job for an observer: posts, owners and contents of slots, mappings made and
// released, failures. A fact does not say whether anything is right.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/driver/runtime.h"

namespace targets::alltoallv {

inline constexpr std::uint32_t kRankLimit = 8;  ///< UCC_TL_CUDA_MAX_PEERS.
inline constexpr std::uint32_t kTeamLimit = 2;  ///< Maximum number of teams of a process at a time.
inline constexpr std::uint32_t kSlotLimit = 8;  ///< Slots of a team: the default of MAX_CONCURRENT.

/// Number of slot ids in facts. The second team's ids follow the first team's.
inline constexpr std::uint32_t kSlotIds = kTeamLimit * kSlotLimit;

using Request = std::uint32_t;

enum class Status : std::uint8_t {
  ok,
  in_progress,
  not_supported,  ///< Set for an in-place collective.
  no_buffer,      ///< The source variable is empty.
  driver_error,   ///< A CUDA call failed.
  peer_error,     ///< A CUDA call failed on another rank.
};

/// The caller's allocator has placed a tensor.
struct Placement {
  std::uint32_t rank;
  std::uint64_t address;
};

/// A check read a destination back.
struct Reading {
  std::uint32_t rank;
  Request request;
  std::span<const std::int32_t> destination;
  std::uint32_t mismatches;  ///< Counted by the check kernel.
};

// ---- collectives and slots ----------------------------------------------------------------------

/// A rank posts a request and starts to wait for the slot.
struct Posting {
  std::uint32_t rank;
  Request request;
  std::uint32_t slot;
  std::uint32_t number;      ///< Number of the collective, by the rank's own count.
  harness::Generation mark;  ///< Tag of the rank's words in the slot, for this post.
};

/// A rank is about to post a request again.
struct Reposting {
  std::uint32_t rank;
  Request request;
  std::uint32_t number;  ///< Number of the request in its previous post.
  std::uint32_t state;   ///< State of the slot of the previous post.
};

/// Rank 0 claimed a slot for a request, or tried to. Holds the state before and after.
struct Taking {
  std::uint32_t slot;
  Request request;
  std::uint32_t former;  ///< The number of the former owner of the slot; 0 if it was free.
  std::uint32_t state;
};

/// A rank has found its own number in the state of the slot, and continues.
struct Entering {
  std::uint32_t rank;
  Request request;
  harness::Generation mark;  ///< Tag of the state word.
};

/// A rank is about to write its part of a slot.
struct Publishing {
  std::uint32_t rank;
  Request request;
  std::uint32_t slot;
};

/// A rank's part of a slot as written, before the other ranks may read it.
struct Publication {
  struct Memory {
    std::uint64_t ptr;
    std::uint64_t length;
    std::uint64_t offset;
  };
  std::uint32_t rank;
  Request request;
  Memory source;
  Memory destination;  ///< All 0 if no proxy writes there for a peer.
  /// Offsets in bytes, by peer; only alltoallv has them.
  std::span<const std::uint32_t, kRankLimit> send_bytes;
  std::span<const std::uint32_t, kRankLimit> send_displacement;
  std::span<const std::uint32_t, kRankLimit> receive_displacement;
};

/// A rank is about to copy from its peers, in a configuration with batched copies.
struct Batching {
  std::uint32_t rank;
  Request request;
  bool one_call;  ///< False if it issues one call per copy.
};

/// A rank is about to write a half of its scratch that other ranks have not read yet.
struct Overwriting {
  std::uint32_t rank;
  Request request;
  bool at_once;  ///< False if it waits for those readers, or for its own read.
};

/// The barriers of a collective. The first two use the same counter, one after the other.
enum class Crossing : std::uint8_t {
  setup,       ///< All ranks have published.
  completion,  ///< All ranks have finished copying.
  release,     ///< third_barrier: all ranks have unmapped.
};

/// A rank arrives at a barrier. With the first barrier it stops waiting for the slot.
struct Arrival {
  std::uint32_t rank;
  Request request;
  Crossing crossing;
  bool last;  ///< All other ranks have arrived.
};

/// A rank is past a barrier.
struct Passage {
  std::uint32_t rank;
  Request request;
  Crossing crossing;
};

/// Something failed on a rank that owns the slot.
struct Failure {
  std::uint32_t rank;
  Request request;
  bool in_triggered_set_up;  ///< The set-up of a triggered post runs in the caller's task.
};

/// init() failed on a rank.
struct FailedInit {
  std::uint32_t rank;
  Request request;
  Status answer;  ///< The result of init().
  bool numbered;  ///< The rank has numbered the collective nevertheless.
};

/// A rank is about to release its part of a team.
struct Leaving {
  std::uint32_t rank;
  std::uint32_t team;
  bool has_scratch;  ///< The peers may have this scratch mapped.
};

/// State of a slot when its team is destroyed.
struct SlotLeft {
  std::uint32_t slot;
  std::uint32_t state;
  std::uint32_t waiting;  ///< Number of ranks that wait in its barrier.
};

// ---- mappings -----------------------------------------------------------------------------------

/// A rank uses a mapping of a peer's memory.
struct Use {
  static constexpr Request kNoRequest = 0xffff;

  std::uint32_t rank = 0;
  Request request = kNoRequest;  ///< None for scratch, which is used as long as the team exists.
  std::uint32_t peer = 0;
  bool destination = false;  ///< The rank is a proxy and writes into the peer's destination.
  std::uint32_t team = 0;    ///< Only for scratch: the team that owns it.

  bool is_of_scratch() const { return request == kNoRequest; }
  bool operator==(const Use&) const = default;
};

/// A rank has read a peer's key in the slot, in order to unmap what it mapped under it.
struct KeyReading {
  Use use;
  bool null;                 ///< The key belongs to no memory.
  harness::Generation mark;  ///< Tag of the key.
};

/// A mapping, from its opening to its closing.
struct Opening {
  std::uint32_t rank;
  std::uint32_t peer;
  harness::BirthId region;
  std::uint64_t first;   ///< First address at the peer, in whole pages.
  std::uint64_t last;    ///< Address behind the last byte.
  std::uint64_t length;  ///< Length according to the peer.
  bool opened;           ///< False if no mapping was opened.
};

/// Reason for an eviction.
enum class Reason : std::uint8_t {
  stale,       ///< The peer has a new handle for the same address.
  in_the_way,  ///< A new mapping overlaps it.
  purge,       ///< The driver said "already mapped" twice: all mappings are evicted.
};

/// A mapping is about to be evicted from the table.
struct Eviction {
  harness::BirthId region;
  std::uint64_t count;  ///< Number of uses, as the cache counts them.
  Reason reason;
  Use by;  ///< The use for which the new mapping is made.
};

}  // namespace targets::alltoallv
