// SPDX-License-Identifier: Apache-2.0
// Program: a random program that keeps what the documentation asks of it, and the reference state
// by which it knows what that is: which stream used a piece of memory last (its *home*), what the
// host has waited for, and in which state of its life each object is. Nothing in here asks the
// driver how it stands.
//
// Each topic (memory, pools, graphs ...) is a file with the steps that programs are made of. Where
// a step keeps a precondition it says `if (keep(Rule::...))`; with that rule dropped, the same step
// leaves it out. What a step makes it ends, but for the streams, the memory and the events that all
// share.
//
// Lifetime: outside of the task, which may meet a fatal fault and never unwind. For that reason
// steps own no storage either.
#pragma once

#include <array>
#include <random>
#include <span>
#include <vector>

#include "harness/devices/tests/sound_programs/entries.h"
#include "harness/devices/tests/sound_programs/rules.h"
#include "harness/devices/tests/sound_programs/transitions.h"

namespace harness::testing::sound {

/// Counts of all programs together.
struct Tally {
  Calls calls;
  std::array<int, kTransitionCount> taken{};
  std::array<int, kRuleCount> kept{};
};

inline constexpr std::size_t kBytes = 64;

enum class Kind : std::uint8_t { plain, managed, pinned, pooled };

struct Memory {
  CUdeviceptr address = 0;
  std::size_t home = 0;  ///< The stream that used it last.
  Kind kind = Kind::plain;
  State state = State::memory_none;
};

struct Stream {
  CUstream handle = nullptr;
  State state = State::stream_none;
};

struct Event {
  CUevent handle = nullptr;
  State state = State::event_none;
  std::size_t home = 0;  ///< The stream that it was last recorded in.
};

/// Homes: three streams that are the program's own, of which the last one waits for the default
/// stream; the default stream; and the thread's own.
inline constexpr std::size_t kOwnStreams = 3;
inline constexpr std::size_t kBlocking = 2;
inline constexpr std::size_t kDefault = 3;
inline constexpr std::size_t kPerThread = 4;

struct Program;

/// The memory that a program has, and what of it nothing uses any more. Ownership: borrows the
/// program that it is part of.
class Memories {
 public:
  explicit Memories(Program& program) : program_(program) {}

  Memory make(Kind kind, std::size_t home, std::size_t bytes = kBytes);
  void free(Memory& memory);
  /// The same, at some later time: a free of cuMemAlloc's memory would wait for all work.
  void leave(const Memory& memory);
  void free_what_is_left();
  /// Memory is made the stream's, whose next work may use it.
  CUdeviceptr use(std::size_t home, Memory& memory);
  /// Work in the stream, and its use of memory, is known to be done.
  void stream_is_done(std::size_t home);

  /// Returns the memory that all steps share.
  std::vector<Memory>& shared() { return shared_; }
  /// Returns some of it.
  Memory& any();

 private:
  Program& program_;
  std::vector<Memory> shared_;
  std::vector<Memory> left_;  ///< Memory that nothing uses any more.
};

/// The events that a program has. Ownership: borrows the program that it is part of.
class Events {
 public:
  explicit Events(Program& program) : program_(program) {}

  Event make(unsigned flags = CU_EVENT_DISABLE_TIMING);
  void record(Event& event, std::size_t home);
  void query(Event& event);
  void destroy(Event& event);

  /// Returns the events that all steps share.
  std::vector<Event>& shared() { return shared_; }

 private:
  Program& program_;
  std::vector<Event> shared_;
};

struct Program {
  using Step = void (*)(Program&);

  Program(std::uint64_t seed, Rule dropped, Tally& tally)
      : tally(tally), random(seed), to_drop(dropped) {}
  Program(const Program&) = delete;  // Its parts point to it.
  Program& operator=(const Program&) = delete;

  /// Runs this many steps; then, if a rule is to be dropped, as many as it takes.
  void run(std::span<const Step> steps, int count);

  // ---- chance ----
  std::size_t below(std::size_t count) { return random() % count; }
  bool coin() { return below(2) == 0; }

  // ---- preconditions and states ----
  /// Whether the program keeps to the rule here.
  bool keep(Rule rule);
  bool dropped() const { return has_dropped; }
  void move(State& state, Via via);
  /// Checks the driver's answer, which holds if the program is sound.
  void check(bool holds, const char* what) const {
    if (!holds && !has_dropped) ADD_FAILURE() << what;
  }
  /// The next call must return this error, as documented.
  void expect(CUresult error) { tally.calls.expect(error); }

  // ---- streams ----
  CUstream handle(std::size_t home) const { return streams[home].handle; }
  std::size_t any_home() { return below(streams.size()); }
  std::size_t own_home() { return below(kOwnStreams); }
  /// Two different streams that do not wait for each other.
  std::size_t free_home() { return below(kBlocking); }
  /// Work was submitted. The default stream is only idle when those that wait for it are.
  void work(std::size_t home) {
    move(streams[home].state, Via::work);
    const bool captured = streams[home].state == State::stream_capturing;
    if ((home == kBlocking || home == kPerThread) && !captured)
      move(streams[kDefault].state, Via::work);
  }
  /// The host waits for all that was submitted.
  void wait(std::size_t home);
  /// Notes that the host knows the stream's work to be done.
  void stream_is_done(std::size_t home, Via via);
  void make_stream(std::size_t home);
  /// Makes what comes in `to` come after all that was submitted to `from`.
  void hand_over(std::size_t from, std::size_t to);
  void wait_for_all();

  // ---- work ----
  void set(std::size_t home, CUdeviceptr address, unsigned value = 1);
  void add_one(std::size_t home, CUdeviceptr address, CUfunction function = nullptr);

  Tally& tally;
  std::mt19937_64 random;
  Rule to_drop;
  bool has_dropped = false;
  std::array<Stream, 5> streams{};
  Memories memory{*this};
  Events events{*this};
  CUfunction kernel = nullptr;  ///< The kernel that all may use: add_one.
  CUcontext context = nullptr;  ///< The primary one.
  State capture_mode = State::mode_global;
  std::array<int, 8> counters{};      ///< For host functions and destructors.
  std::array<int, 32> host_memory{};  ///< Memory that is registered at times.
  State host_memory_state = State::host_memory_pageable;
};

/// The steps of all topics.
std::span<const Program::Step> all_steps();

/// A value that host functions and destructors count in.
inline void count_call(void* data) { ++*static_cast<int*>(data); }
inline void do_nothing(void*) {}

}  // namespace harness::testing::sound
