// SPDX-License-Identifier: Apache-2.0
// Facts: events of a job for an observer: posts, owners and contents of slots, mappings made and
// released, failures. A fact does not say whether anything is right.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/runtime.h"

namespace targets::alltoallv {

inline constexpr std::uint32_t kRankLimit = 8;  ///< UCC_TL_CUDA_MAX_PEERS.
inline constexpr std::uint32_t kTeamLimit = 2;  ///< Teams that a process has at once.
inline constexpr std::uint32_t kSlotLimit = 8;  ///< Slots of a team: the default of MAX_CONCURRENT.

/// Number of a slot in facts; those of the second team follow those of the first.
inline constexpr std::uint32_t kSlotIds = kTeamLimit * kSlotLimit;

using Request = std::uint32_t;

enum class Status : std::uint8_t {
  ok,
  in_progress,
  not_supported,  ///< An in-place collective.
  no_buffer,      ///< The variable is empty.
  driver_error,   ///< A CUDA call failed.
  peer_error,     ///< One did, on another rank.
};

/// The caller's allocator gives a tensor its memory.
struct Placement {
  std::uint32_t rank;
  std::uint64_t address;
};

/// A check read a destination back.
struct Reading {
  std::uint32_t rank;
  Request request;
  std::span<const std::int32_t> destination;
  std::uint32_t mismatches;  ///< The check kernel counted them.
};

// ---- collectives and slots ----------------------------------------------------------------------

/// A rank posts a request, and waits for the slot from now on.
struct Posting {
  std::uint32_t rank;
  Request request;
  std::uint32_t slot;
  std::uint32_t number;      ///< The collective's, by the rank's own count.
  harness::Generation mark;  ///< The rank's words in the slot have it: request, and which post.
};

/// A rank is about to post a request again.
struct Reposting {
  std::uint32_t rank;
  Request request;
  std::uint32_t number;  ///< The request had it in its last post.
  std::uint32_t state;   ///< The state of the slot that it had.
};

/// Rank 0 claimed a slot for a request, or tried to: what the slot's state was, and is now.
struct Taking {
  std::uint32_t slot;
  Request request;
  std::uint32_t former;  ///< The number of the former owner of the slot; 0 if it was free.
  std::uint32_t state;
};

/// A rank has found its number in the state of the slot, and continues.
struct Entering {
  std::uint32_t rank;
  Request request;
  harness::Generation mark;  ///< The mark of the state.
};

/// A rank is about to write its part of a slot.
struct Publishing {
  std::uint32_t rank;
  Request request;
  std::uint32_t slot;
};

/// A rank's part of a slot, as it is there before the others may read it.
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

/// A rank is about to copy what peers send it, in a config of batches.
struct Batching {
  std::uint32_t rank;
  Request request;
  bool one_call;  ///< False if it copies one by one.
};

/// A rank has got to a step that writes a half of scratch which others have not read yet.
struct Overwriting {
  std::uint32_t rank;
  Request request;
  bool at_once;  ///< False if it waits for them, or for what it reads itself.
};

/// The barriers of a collective: the first two are of one kind, one after the other.
enum class Crossing : std::uint8_t {
  setup,       ///< All have published.
  completion,  ///< All have what they copy.
  release,     ///< third_barrier: all have let go.
};

/// A rank starts a barrier: the first, and it waits for the slot no longer.
struct Arrival {
  std::uint32_t rank;
  Request request;
  Crossing crossing;
  bool last;  ///< All others have started it.
};

/// A rank is past a barrier.
struct Passage {
  std::uint32_t rank;
  Request request;
  Crossing crossing;
};

/// Something failed on a rank that has the slot.
struct Failure {
  std::uint32_t rank;
  Request request;
  bool in_triggered_set_up;  ///< Whether it happened in the caller's own time.
};

/// A request could not be made on a rank.
struct FailedInit {
  std::uint32_t rank;
  Request request;
  Status answer;  ///< The result of init().
  bool numbered;  ///< The rank has taken a number for it.
};

/// A rank is about to let go of its part of a team.
struct Leaving {
  std::uint32_t rank;
  std::uint32_t team;
  bool has_scratch;  ///< Which its peers have mapped.
};

/// A slot of a team that goes.
struct SlotLeft {
  std::uint32_t slot;
  std::uint32_t state;
  std::uint32_t waiting;  ///< Number of ranks in its barrier.
};

// ---- mappings -----------------------------------------------------------------------------------

/// A rank uses a mapping of a peer's memory.
struct Use {
  static constexpr Request kNoRequest = 0xffff;

  std::uint32_t rank = 0;
  Request request = kNoRequest;  ///< None for scratch, which is used as long as the team exists.
  std::uint32_t peer = 0;
  bool destination = false;  ///< The rank is a proxy, and writes into it.
  std::uint32_t team = 0;    ///< The scratch is of that team.

  bool is_of_scratch() const { return request == kNoRequest; }
  bool operator==(const Use&) const = default;
};

/// A rank has read a peer's key in the slot, to let go of what it mapped under it.
struct KeyReading {
  Use use;
  bool null;                 ///< The key belongs to no memory.
  harness::Generation mark;  ///< The key's.
};

/// A mapping, from its opening to its closing.
struct Opening {
  std::uint32_t rank;
  std::uint32_t peer;
  harness::BirthId region;
  std::uint64_t first;   ///< First address at the peer, in whole pages.
  std::uint64_t last;    ///< Address behind the last byte.
  std::uint64_t length;  ///< The peer says so.
  bool opened;           ///< False if no mapping was opened.
};

/// Why a mapping is thrown out of the table.
enum class Reason : std::uint8_t {
  stale,       ///< The peer says another handle for its address.
  in_the_way,  ///< Another one is of the same address.
  purge,       ///< The driver said "already mapped" twice: all go.
};

/// A mapping is about to be thrown out of the table.
struct Eviction {
  harness::BirthId region;
  std::uint64_t count;  ///< How many uses it has, as the cache counts them.
  Reason reason;
  Use by;  ///< The use that is being mapped.
};

}  // namespace targets::alltoallv
