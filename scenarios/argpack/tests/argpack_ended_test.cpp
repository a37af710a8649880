// SPDX-License-Identifier: Apache-2.0
// Programs that end while a frame still refers to them: a call loads its program when it compiles,
// and launches in that program even if there was a reset in between.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/fault/kinds.h"
#include "harness/search/reproducer/reproducer.h"
#include "scenarios/argpack/tests/argpack_cases.h"
#include "scenarios/argpack/windows.h"

namespace scenarios::argpack::testing {
namespace {

using harness::Event;
using harness::EventKind;
using harness::Fault;
using harness::FaultKind;
using harness::Label;
using harness::Life;
using harness::Outcome;
using targets::argpack::Backend;
using targets::argpack::kBackendLabels;
using targets::argpack::Status;

/// A script that calls the kernel, and a mutator that resets as soon as it may.
struct Program {
  std::string_view variant = "borrow";
  Backend backend = Backend::cuda_pool;
  std::string_view gil = "on";
  std::uint32_t depth = 1;
  bool returns = true;
  std::string then = {};    ///< Ops of the mutator after the reset.
  std::string before = {};  ///< Ops of the script before the call.
};

std::string to_text(const Program& program, std::uint32_t turn) {
  return fmt::format(
      "afterlife reproducer 1\npath argpack\nvariant {}\nconfig backend={} gil={} "
      "collector=eval_breaker\ndevice sim\ntasks script mutator\nscript:0 op new_argpack\n"
      "script:0 argument[1] {}\n{}script:4 op call\nscript:4 argument[3] {}\n"
      "script:4 schedule[{}] mutator\nmutator:0 op reset\n{}end\n",
      program.variant, kBackendLabels[harness::raw(program.backend)].view(), program.gil,
      program.depth, program.before, program.returns ? 0 : 1, turn, program.then);
}

/// Two steps of a call, between which the mutator runs.
struct Between {
  Label after;
  Label before;
};
constexpr Between kBindAndCompile{"set_arg_argpack", "compile_kernel"};
constexpr Between kCompileAndLaunch{"compile_kernel", "launch_kernel"};

/// A run with a reset in the middle of its call, and its results.
class Reset {
 public:
  /// Finds a run in which the mutator first runs between these steps of the script's call.
  Reset(const Program& program, const Between& between) {
    for (std::uint32_t turn = 1; turn < 60; ++turn) {
      outcome_ = runner_.run(harness::parse_reproducer(to_text(program, turn), "test").the_case);
      if (first(0, between.after) < first(1, "reset") && first(1, "reset") < kNever &&
          first(1, "init") < first(0, between.before))
        return;
    }
    ADD_FAILURE() << "no reset between " << between.after.view() << " and "
                  << between.before.view();
  }

  const Outcome& outcome() const { return outcome_; }
  /// Returns the only fault.
  Fault fault() const {
    EXPECT_EQ(outcome_.faults.size(), 1u);
    return outcome_.faults.empty() ? Fault{} : outcome_.faults[0];
  }
  /// Returns the status of the task's last op.
  Status answer(std::uint32_t task = 0) const {
    std::optional<std::uint64_t> value;
    for (const Event& event : events())
      if (event.kind == EventKind::op && event.task == task) value = event.value;
    EXPECT_TRUE(value.has_value());
    return static_cast<Status>(value.value_or(0));
  }
  /// Returns the value that the call's kernel has read from the pack.
  std::optional<std::uint64_t> value() const {
    for (const Event& event : events())
      if (event.kind == EventKind::observe && event.what == Label("pack")) return event.value;
    return std::nullopt;
  }
  /// Returns the tick of a task's first step of this name, or kNever.
  harness::Tick first(std::uint32_t task, Label step) const {
    for (const Event& event : events())
      if (event.kind == EventKind::step && event.task == task && event.what == step)
        return event.tick;
    return kNever;
  }
  /// Returns the first tick at which an object of this kind dies with its program.
  harness::Tick reset_of(Label kind) const {
    harness::Tick first = kNever;
    for (const Life& life : runner_.world().ledger.lives())
      if (life.kind == kind && !life.alive && life.death_site == Label("reset"))
        first = std::min(first, life.death_tick);
    return first;
  }
  const Reset& expect_first(std::string_view signature) const {
    EXPECT_EQ(first_signature(outcome_), signature);
    return *this;
  }
  const Reset& expect_window(Window window) const {
    for (const int met : outcome_.windows) EXPECT_EQ(met, harness::raw(window));
    return *this;
  }

  static constexpr harness::Tick kNever = ~harness::Tick{0};

 private:
  const harness::Records<Event>& events() const { return runner_.history().events(); }

  harness::Runner runner_;
  Outcome outcome_;
};

constexpr std::array kTables{Backend::cuda_pool, Backend::cuda_cache, Backend::amdgpu};
constexpr std::array kAll{Backend::cpu, Backend::cuda_pool, Backend::cuda_cache, Backend::amdgpu,
                          Backend::gfx};

// ---- a reset between compile and launch ---------------------------------------------------------

TEST(ArgpackEnded, ALaunchAfterAResetIsAnInvalidDeviceAllocation) {
  for (const Backend backend : kTables)
    for (const std::uint32_t depth : {1u, 2u, 3u}) {
      const Reset run({.backend = backend, .depth = depth}, kCompileAndLaunch);
      EXPECT_EQ(first_signature(run.outcome()), "");
      EXPECT_EQ(run.answer(), Status::invalid_allocation);
    }
}

TEST(ArgpackEnded, ALaunchInACpuProgramReadsUnmappedMemory) {
  const Reset flat({.backend = Backend::cpu}, kCompileAndLaunch);
  EXPECT_EQ(flat.fault().signature(),
            "use_after_free device memory born:create_argpack died:reset used:walk_packs");
  flat.expect_window(Window::taken_reentrantly);
  const Reset nested({.backend = Backend::cpu, .depth = 2}, kCompileAndLaunch);
  EXPECT_EQ(
      nested.fault().signature(),
      "use_after_free device memory born:create_argpack died:reset used:launch_kernel/parent");
  nested.expect_window(Window::taken_reentrantly);
}

TEST(ArgpackEnded, ALaunchInAGfxProgramReadsBoundMemory) {
  for (const std::uint32_t depth : {1u, 2u, 3u}) {
    const Reset run({.backend = Backend::gfx, .depth = depth}, kCompileAndLaunch);
    EXPECT_EQ(first_signature(run.outcome()), "");
    EXPECT_EQ(run.answer(), Status::ok);
    EXPECT_EQ(run.value(), 1000u);
  }
}

TEST(ArgpackEnded, WorkRecordedByAGfxProgramRunsBeforeItEnds) {
  const Reset run({.backend = Backend::gfx, .depth = 2, .returns = false}, kCompileAndLaunch);
  EXPECT_EQ(first_signature(run.outcome()), "");
  EXPECT_EQ(run.answer(), Status::ok);
}

TEST(ArgpackEnded, OwnRefusesALaunchInAnEndedProgram) {
  for (const Backend backend : kAll)
    for (const std::string_view gil : {"on", "off"}) {
      const Reset run({.variant = "own", .backend = backend, .gil = gil}, kCompileAndLaunch);
      EXPECT_EQ(first_signature(run.outcome()), "");
      EXPECT_EQ(run.answer(), Status::context_invalid);
    }
}

// ---- a reset before the compile -----------------------------------------------------------------

TEST(ArgpackEnded, ACompileAfterAResetUsesADeadKernel) {
  for (const Backend backend : kAll) {
    const Reset run({.backend = backend}, kBindAndCompile);
    EXPECT_EQ(run.fault().signature(),
              "use_after_free Kernel born:init died:reset used:compile_kernel");
    run.expect_window(Window::taken_reentrantly);
  }
}

// ---- objects of the program ---------------------------------------------------------------------

TEST(ArgpackEnded, ObjectsOfAProgramEndWithTheFrameThatHoldsIt) {
  for (const Backend backend :
       {Backend::cuda_pool, Backend::cuda_cache, Backend::amdgpu, Backend::gfx})
    for (const Label kind :
         {Label("ArgPack"), Label("Ndarray"), Label("Kernel"), Label("CompiledKernel")}) {
      const Reset run({.backend = backend, .before = "script:1 op new_ndarray\n"},
                      kCompileAndLaunch);
      const harness::Tick gone = run.reset_of(kind);
      EXPECT_GT(gone, run.first(0, "launch_kernel")) << kind.view();
      EXPECT_LT(gone, Reset::kNever) << kind.view();
    }
}

TEST(ArgpackEnded, MemoryOfAProgramEndsAtTheResetExceptOnGfx) {
  for (const Backend backend : {Backend::cpu, Backend::cuda_pool}) {
    const Reset run({.backend = backend}, kCompileAndLaunch);
    EXPECT_LT(run.reset_of("device memory"), run.first(0, "launch_kernel"));
  }
  const Reset gfx({.backend = Backend::gfx}, kCompileAndLaunch);
  EXPECT_GT(gfx.reset_of("device memory"), gfx.first(0, "launch_kernel"));
}

TEST(ArgpackEnded, AnUnreferencedProgramEndsAtTheReset) {
  for (const Backend backend : kAll) {
    const Reset run({.backend = backend}, kBindAndCompile);
    EXPECT_LT(run.reset_of("Kernel"), run.first(0, "compile_kernel"));
    EXPECT_LT(run.reset_of("ArgPack"), run.first(0, "compile_kernel"));
  }
}

// ---- other users of those objects ---------------------------------------------------------------

/// The script has an array; after the reset the mutator makes others and fills the script's.
Program fill_stale(Backend backend, std::uint32_t others) {
  Program program{.backend = backend, .before = "script:1 op new_ndarray\nscript:1 argument 6\n"};
  for (std::uint32_t i = 1; i <= others; ++i)
    program.then += fmt::format("mutator:{} op new_ndarray\nmutator:{} argument {}\n", i, i, 6 + i);
  program.then += "mutator:5 op fill\nmutator:5 argument 19\n";
  return program;
}

TEST(ArgpackEnded, AnArrayIsLookedUpByIdInTheNextProgram) {
  for (const Backend backend : {Backend::cuda_pool, Backend::cuda_cache, Backend::amdgpu}) {
    const Reset beyond(fill_stale(backend, 1), kCompileAndLaunch);
    EXPECT_EQ(first_signature(beyond.outcome()), "");
    EXPECT_EQ(beyond.answer(1), Status::invalid_allocation);
    const Reset another(fill_stale(backend, 2), kCompileAndLaunch);
    EXPECT_EQ(another.fault().signature(), "recycled_use Ndarray born:create_ndarray used:fill");
    another.expect_window(Window::stale_wrapper);
  }
  const Reset gfx(fill_stale(Backend::gfx, 2), kCompileAndLaunch);
  EXPECT_EQ(first_signature(gfx.outcome()), "");
  EXPECT_EQ(gfx.answer(1), Status::ok);
}

/// After the reset the mutator makes a pack and writes to the script's.
Program write_stale(Backend backend) {
  return {.backend = backend,
          .then =
              "mutator:1 op new_argpack\nmutator:1 argument 2\nmutator:2 op set_scalar\n"
              "mutator:2 argument 14\n"};
}

TEST(ArgpackEnded, APackIsWrittenThroughItsOwnTable) {
  for (const Backend backend : kTables)
    Reset(write_stale(backend), kCompileAndLaunch)
        .expect_first("use_after_free ArgPack born:create_argpack used:ArgPack::write")
        .expect_window(Window::stale_wrapper);
  Reset(write_stale(Backend::cpu), kCompileAndLaunch)
      .expect_first(
          "use_after_free device memory born:create_argpack died:reset used:ArgPack::write");
  const Reset gfx(write_stale(Backend::gfx), kCompileAndLaunch);
  EXPECT_EQ(first_signature(gfx.outcome()), "");
  EXPECT_EQ(gfx.answer(1), Status::ok);
}

// ---- addresses that the next program has --------------------------------------------------------

/// After the reset the mutator makes a pack at the script's address, by this choice.
Program take_address(std::string_view variant, std::uint32_t question, std::uint32_t memory) {
  return {.variant = variant,
          .backend = Backend::cpu,
          .then = fmt::format("mutator:1 op new_argpack\nmutator:1 argument 2\n"
                              "mutator:1 reuse[{}] \"device memory\":{} of script:0\n",
                              question, memory)};
}

/// Returns whether the run has a fault of this kind in this window.
bool has(const Reset& reset, FaultKind kind, Window window) {
  const Outcome& outcome = reset.outcome();
  for (std::size_t i = 0; i < outcome.faults.size(); ++i)
    if (outcome.faults[i].kind == kind && outcome.windows[i] == harness::raw(window)) return true;
  return false;
}

TEST(ArgpackEnded, ACpuProgramAccessesTheNextOnesMemory) {
  std::uint32_t met = 0;
  for (std::uint32_t question = 0; question < 16; ++question)
    for (std::uint32_t memory = 0; memory < 3; ++memory) {
      const Reset borrow(take_address("borrow", question, memory), kCompileAndLaunch);
      if (!has(borrow, FaultKind::wrong_owner, Window::stale_wrapper)) continue;
      EXPECT_TRUE(has(borrow, FaultKind::recycled_use, Window::taken_reentrantly));
      const Reset own(take_address("own", question, memory), kCompileAndLaunch);
      EXPECT_EQ(first_signature(own.outcome()), "");
      ++met;
    }
  EXPECT_GT(met, 0u);
}

}  // namespace
}  // namespace scenarios::argpack::testing
