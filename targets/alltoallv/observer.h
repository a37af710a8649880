// Observer: the facts that a job tells its judges, whatever the variant: who mapped and let go of
// what, who has a slot, what is in it. No fact says whether anything is right.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/runtime.h"

namespace targets::alltoallv {

inline constexpr std::uint32_t kRankLimit = 8;  ///< UCC_TL_CUDA_MAX_PEERS.

using Request = std::uint32_t;

enum class Status : std::uint8_t {
  ok,
  in_progress,
  not_supported,  ///< In place.
  no_buffer,      ///< The variable is empty.
  driver_error,   ///< A CUDA call failed.
  peer_error,     ///< One did, on another rank.
};
/// The places where the race can happen.
enum class Window : std::uint8_t {
  w1_source_reread,   ///< A rank writes its slot for the next collective while another unmaps.
  w2_proxy_reread,    ///< The same, where the other unmaps what it mapped as a proxy.
  w3_slot_released,   ///< Rank 0 gives the slot to the next collective while another unmaps.
  w4_key_reused,      ///< Memory is freed and allocated anew while its old mapping is still held.
  w5_blind_close,     ///< An invalidate or a purge meets a mapping that is held.
  w6_open_failed,     ///< The second attempt to open a handle fails for another reason.
  w9_error,           ///< Something fails after the slot was claimed.
  w11_number_reused,  ///< A persistent collective takes the slot of its last post for that of its
                      ///< next.
  w12_claim_race,     ///< Threads of rank 0 claim a slot at once, or out of order.
};
inline constexpr std::size_t kWindowCount = 9;
inline constexpr std::array<harness::Label, kWindowCount> kWindowLabels{
    "W1", "W2", "W3", "W4", "W5", "W6", "W9", "W11", "W12"};

/// What a check found in a destination.
struct Reading {
  std::uint32_t rank;
  Request request;
  std::span<const std::int32_t> destination;  ///< As read back.
  std::uint32_t mismatches;                   ///< As the check kernel counted them.
};

/// Who uses a mapping, and whose memory it is of.
struct Use {
  static constexpr Request kTeam = 0xffff;  ///< Scratch: no request, as long as the team.

  std::uint32_t rank = 0;
  Request request = kTeam;
  std::uint32_t peer = 0;
  bool destination = false;  ///< As a proxy, to write into.
  bool operator==(const Use&) const = default;
};

/// A mapping, from its opening to its closing.
struct Opening {
  std::uint32_t rank;
  std::uint32_t peer;
  harness::BirthId region;
  std::uint64_t first;   ///< At the peer, in whole pages,
  std::uint64_t last;    ///< and where it ends.
  std::uint64_t length;  ///< As the peer says it.
  bool opened;           ///< False where no mapping was opened (W6).
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
  Memory destination;  ///< All 0 where nobody writes there for a peer.
  /// In bytes, by peer; alltoallv alone says them.
  std::span<const std::uint32_t, kRankLimit> send_bytes;
  std::span<const std::uint32_t, kRankLimit> send_displacement;
  std::span<const std::uint32_t, kRankLimit> receive_displacement;
};

/// A slot of a team that goes.
struct SlotLeft {
  std::uint32_t slot;
  std::uint32_t state;
  std::uint32_t waiting;  ///< In its barrier.
};

/// Hears what the judges need to know. Called in the middle of things: it may record, and may not
/// call back or offer a turn.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void reached(Window window) = 0;
  /// From here on ranks may mean different things by the same words: what goes wrong later may come
  /// of that.
  virtual void disordered(Window window) = 0;
  /// Copies of a collective were submitted.
  virtual void copied() = 0;
  virtual void read(const Reading& reading) = 0;

  // ---- collectives and slots ----
  /// A rank posts a request. Answers what its words in the slot are marked with, and expects to
  /// find: the same for all ranks, another one for each post.
  virtual harness::Generation posted(std::uint32_t rank, Request request) = 0;
  virtual void published(const Publication&) {}
  /// Rank 0 gave the slot to its present post of a request, or somebody set it free.
  virtual void claimed(std::uint32_t /*slot*/, Request) {}
  virtual void released(std::uint32_t /*slot*/) {}
  virtual void left(const SlotLeft&) {}
  /// The collective is over on this rank.
  virtual void ended(std::uint32_t /*rank*/, Request) {}

  // ---- mappings ----
  virtual void opened(const Opening&) {}
  /// A use begins: the mapping has `count` of them now.
  virtual void mapped(const Use&, harness::BirthId /*region*/, std::uint64_t /*count*/) {}
  /// A use ends by counting down `met`, which had `count`.
  virtual void let_go(const Use&, harness::BirthId /*met*/, std::uint64_t /*count*/) {}
  /// A use meant to end; the cache has no mapping for its key, and follows the null pointer.
  virtual void followed_null(const Use&) {}
  /// A mapping leaves the table, and stays open for those who hold it.
  virtual void marked(harness::BirthId /*region*/) {}
  /// About to be closed.
  virtual void closing(harness::BirthId /*region*/) {}
};

}  // namespace targets::alltoallv
