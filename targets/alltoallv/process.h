// Process: one rank: its context, streams and memory, its caches, and the queue of what is
// outstanding. The collectives themselves are in collective*.cpp.
#pragma once

#include "targets/alltoallv/layout.h"
#include "targets/alltoallv/policy.h"
#include "targets/alltoallv/queue.h"

namespace targets::alltoallv {

/// A source or destination on the managed heap.
struct TensorPayload {
  Process* process;
  CUdeviceptr base;
  CUstream stream;     ///< Where it was filled.
  bool ready = false;  ///< ... and that is known to be done.
};

/// Who copies for a pair that has no direct connection.
struct ProxyEntry {
  std::uint32_t source;
  std::uint32_t destination;
  std::uint32_t proxy;
};

/// Ownership: in the run's arena, one per rank; owns what it opens until close().
/// Threads: its own tasks'.
class Process {
 public:
  Process(Core& core, std::uint32_t rank);

  // ---- the process ----
  Status open();
  void close();
  void create_team(Topology topology);
  void destroy_team();
  void start_progress_thread();

  // ---- buffers ----
  Status fill(Buffer buffer, std::uint32_t fill, std::uint32_t stream);
  bool filled(Buffer buffer) const { return static_cast<bool>(buffers_[buffer]); }
  void drop(Buffer buffer);
  void make_cycle(Buffer buffer);
  /// A tensor died: its memory goes, at once or when its process runs next.
  void release(CUdeviceptr memory);

  // ---- collectives ----
  Status init(Request request, const Arguments& arguments);
  void post(Request request);
  void triggered_post(Request request);
  void progress();
  Status test(Request request) const;
  Status wait(Request request);
  Status check(Request request, std::span<const Expected> expected);
  Status scrub(Request request);
  void finalize(Request request);

  std::uint32_t rank() const { return rank_; }
  Cache& cache_of(std::uint32_t peer) { return *caches_[peer]; }

 private:
  // ---- memory and streams (process.cpp) ----
  Status make_tensor(harness::Ref& tensor, CUdeviceptr& base);
  Status stream_of(std::uint32_t number, CUstream& stream);
  Status export_memory(CUdeviceptr base, MemInfo& info);
  void free_released();
  void make_scratch();
  void map_scratch();
  void unmap_scratch();
  void tell_slots();
  Status take_event(CUevent& event);

  // ---- the queue (progress.cpp) ----
  Status prepare(Task& task);
  Status await_fill(Task& task);
  void release_buffers(Task& task);
  void number(Task& task);
  void start(Task& task);
  bool pass();
  /// Nothing went on: sleeps until something may.
  void idle(const Task& awaited, bool in_hand);
  bool wait_for_copies();
  bool can_go_on() const;
  bool may_go_on(const Task& task) const;
  const Task* copying() const;
  bool is_copying() const;
  void serve();

  // ---- a collective, stage by stage (collective.cpp) ----
  /// As far as it goes. Returns true when it moved.
  bool advance(Task& task);
  bool step(Task& task);
  bool enter(Task& task, Stage next, Status status);
  bool fail(Task& task, Stage next, Status status);
  bool get_sync(Task& task);
  bool may_claim(const Task& task, const Slot& slot) const;
  void claim(Task& task, Slot& slot);
  void put_sync(Task& task);
  Entry& own_entry(Task& task);
  Status setup_start(Task& task);
  void publish(Task& task, Entry& entry);
  void tell_published(const Task& task, const Entry& entry);
  Status record_source(Task& task, Entry& entry);
  Status agree(Task& task);
  Status map_peers(Task& task);
  Status map(Task& task, std::uint32_t peer, harness::SharedSlot<MemInfo>& published, Side side);
  bool peer_failed(Task& task);
  Status map_peer(Task& task, std::uint32_t peer);
  static MemInfo read_info(harness::SharedSlot<MemInfo>& slot, harness::Generation generation);
  Status open_event(Task& task, std::uint32_t peer);
  bool finish_copies(Task& task);
  void start_barrier(Task& task, Stage next);
  bool pass_completion(Task& task);
  bool proxy_failed(Task& task);
  std::uint32_t parity(const Task& task) const;
  void unmap_all(Task& task);
  void end(Task& task);
  void complete(Task& task, Status status);

  // ---- copies (collective_copies.cpp) ----
  struct Share {
    std::uint32_t bytes = 0;
    std::uint32_t displacement = 0;
  };
  Share share_of(Task& task, std::uint32_t from, std::uint32_t to);
  Status post_copies(Task& task);
  Status copy_from(Task& task, std::uint32_t peer);
  Status copy_as_proxy(Task& task, const ProxyEntry& pair);
  Status copy(Task& task, CUdeviceptr to, CUdeviceptr from, std::size_t bytes);
  Status record_copies(Task& task);
  Status copies_done(Task& task);
  void drain(Task& task);

  // ---- ring and linear (collective_steps.cpp) ----
  bool step_on(Task& task);
  Status neighbours_at(Task& task);
  bool neighbours_ready(const Task& task) const;
  void publish_step(Task& task, std::uint32_t step);
  void give_up_steps(Task& task);
  Status ring_step(Task& task, bool& last);
  Status linear_step(Task& task, bool& last);
  Status reduce(Task& task);

  bool direct(std::uint32_t a, std::uint32_t b) const;
  std::span<const ProxyEntry> proxies() const;
  Slot& slot(const Task& task) const { return core_.segment->slot(task.slot); }
  Entry& entry(const Task& task, std::uint32_t peer) const { return *slot(task).entries[peer]; }
  CUdeviceptr scratch_of(const Task& task, std::uint32_t peer) const;

  Core& core_;
  std::uint32_t rank_;
  std::uint32_t element_count_;  ///< Of a buffer.
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction pack_ = nullptr;
  CUfunction check_ = nullptr;
  CUfunction reduce_ = nullptr;
  CUstream team_stream_ = nullptr;
  std::array<CUstream, 2> user_streams_{};
  CUdeviceptr blocks_ = 0;  ///< What kernels are given by address: one block per request.
  std::pmr::vector<CUevent> spare_events_;
  std::pmr::vector<CUdeviceptr> released_;

  Topology topology_ = Topology::direct;
  std::uint32_t seq_ = 0;
  std::array<Cache*, kRankLimit> caches_{};
  CUdeviceptr scratch_ = 0;
  MemInfo scratch_info_;
  std::array<Mapping, kRankLimit> scratch_mappings_;  ///< Raw pointers, for as long as the team.
  std::array<CUevent, kSlotLimit> slot_events_{};
  std::array<std::array<CUevent, kRankLimit>, kSlotLimit> peer_events_{};

  std::array<harness::Ref, kBufferCount> buffers_;
  std::array<Task*, kRequestLimit> requests_{};
  Queue queue_;
  std::uint32_t fruitless_ = 0;  ///< Passes since anything moved.
  bool closing_ = false;
  std::uint32_t thread_count_ = 0;
};

}  // namespace targets::alltoallv
