// SPDX-License-Identifier: Apache-2.0
// Judges that only this path has, and the windows that are reported for faults. Broken targets show
// that the judges report bugs: alltoallv_judges_test.cpp.
#include <cuda.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "harness/core/fault/kinds.h"
#include "harness/run/tests/scripted_scene.h"
#include "harness/search/reproducer/reproducer.h"
#include "scenarios/alltoallv/job.h"
#include "scenarios/alltoallv/judges/calls.h"
#include "scenarios/alltoallv/model/expect.h"
#include "scenarios/alltoallv/tests/alltoallv_cases.h"

namespace scenarios::alltoallv::testing {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Outcome;
using targets::alltoallv::Collective;

Job& make_job(harness::Scene& scene) {
  auto* job = scene.world().arena.make<Job>(scene, Shape{});
  scene.set_state(*job);
  return *job;
}

/// Runs the scenario once with another driver.
Outcome run(void (*drive)(harness::Scene&), const harness::Tape& tape = {}) {
  harness::Scenario planted = scenario;
  planted.drive = drive;
  harness::Runner runner;
  return runner.run(harness::Case{&planted, 0, {}, &sim(), tape});
}

// ---- calls --------------------------------------------------------------------------------------

/// Expects a run without faults, and returns how many of its opens were refused.
std::ptrdiff_t refused_opens(const char* reproducer) {
  harness::Runner runner;
  const Outcome& outcome = runner.run(harness::parse_reproducer(reproducer, "a test's").the_case);
  EXPECT_EQ(outcome.faults, std::vector<Fault>());
  const auto& events = runner.history().events();
  return std::count_if(events.begin(), events.end(), [](const harness::Event& event) {
    return event.kind == harness::EventKind::call &&
           event.what == harness::Label("cuIpcOpenMemHandle") && event.value != 0;
  });
}

// A rank that waits for a slow peer polls all its peers; in a batch of five ranks it tries 61 opens
// in a row before the key has changed.
TEST(AlltoallvCalls, RetriesForManyPeersAreWithinTheLimit) {
  EXPECT_GT(refused_opens(
                "afterlife reproducer 1\npath alltoallv\nvariant snapshot_region\n"
                "config C=8 ranks=5 close=at_zero copies=batch\ndevice sim\ntasks job\n"
                "start argument[1] 12\njob:0 op alltoallv\njob:1 op renew\njob:2 op alltoallv\n"
                "job:3 op alltoallv\njob:4 op renew\njob:5 op renew\nrank0:22 of start argument 2\n"
                "rank:0 of job:3 delay 5\nrank:2 of job:0 lag 1\nrank:3 of job:1 delay[4] 3\n"
                "rank:3 of job:2 reuse \"device memory\":0 of rank:3 of job:0\nend\n"),
            60);
}

// By the plan, rank 0 stays behind in four ops and polls six times in each, while another of its
// own collectives holds the conflicting mapping.
TEST(AlltoallvCalls, RetriesRequestedByThePlanAreWithinTheLimit) {
  EXPECT_GT(
      refused_opens("afterlife reproducer 1\npath alltoallv\nvariant snapshot_region\n"
                    "config C=8 ranks=2 close=never copies=each\ndevice sim\ntasks job\n"
                    "start argument[1] 12\njob:0 op alltoallv\njob:0 argument[4] 1\n"
                    "job:1 op alltoallv\njob:2 op renew\njob:3 op renew\njob:4 op alltoallv\n"
                    "job:4 argument[4] 2\njob:5 op renew\njob:6 op renew\njob:7 op renew\n"
                    "job:8 op renew\nrank1:0 of start schedule[15] rank0:4 of start\n"
                    "rank0:4 of start argument 1\n"
                    "collective:1 of rank:0 of job:0 schedule[41] rank1\n"
                    "collective:0 of rank:1 of job:1 schedule[32] rank0:4 of start\n"
                    "collective:1 of rank:0 of job:4 schedule[21] rank1\n"
                    "rank:1 of job:4 reuse \"device memory\":0 of rank:1 of job:0\n"
                    "collective:1 of rank:1 of job:4 schedule[4] progress:4 of rank0:4 of start\n"
                    "collective:1 of rank:0 of job:4 schedule[30] rank1\nend\n"),
      60);
}

/// Opens kOpens times, with "already mapped" each time, in a task whose plan has `planned_polls`
/// polls.
template <int kOpens, std::uint32_t kPlannedPolls>
Outcome open_in_vain() {
  constexpr std::uint32_t kMappedTwice = 2;
  const harness::Name slot = harness::slot_name(0, 1);
  harness::Tape tape;
  for (std::uint16_t nth = 0; nth < kOpens; ++nth)
    tape.push_back({slot, harness::site_tag(harness::Site::failure), nth, kMappedTwice});
  return run(
      [](harness::Scene& scene) {
        Job& job = make_job(scene);
        job.state.planned_polls[0] = kPlannedPolls;
        scene.world().scheduler.spawn("rank0", [&job] {
          CUcontext context = nullptr;
          cuInit(0);
          cuCtxCreate(&context, nullptr, 0, 0);
          const harness::ActivationScope step(job.scene.world().scheduler, 0, 1);
          CUdeviceptr address = 0;
          for (int i = 0; i < kOpens; ++i)
            cuIpcOpenMemHandle(&address, {}, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
          report_busy_opens(job.scene, job.state.planned_polls);
        });
      },
      tape);
}

TEST(AlltoallvCalls, RetriesBeyondThePlanExceedTheLimit) {
  EXPECT_EQ(first_signature(open_in_vain<60, 0>()), "");
  EXPECT_EQ(first_signature(open_in_vain<62, 0>()), "api_misuse cuIpcOpenMemHandle used:driver");
  EXPECT_EQ(first_signature(open_in_vain<62, 6>()), "");
  EXPECT_EQ(first_signature(open_in_vain<80, 6>()), "api_misuse cuIpcOpenMemHandle used:driver");
}

/// Rank 0 has posted a collective and makes a second team when an error is injected into an open
/// that may also affect the next one (harness::OpenFailures). The next one may be the collective's,
/// which then ends with an error.
Outcome end_with_an_error_after(std::uint32_t option) {
  const harness::Name team =
      harness::derive_name(harness::slot_name(0, 1), harness::Label("rank").hash(), 0);
  harness::Tape tape = Program().script(Op::alltoallv).script(Op::second_team).tape();
  tape.push_back({team, harness::site_tag(harness::Site::failure), 0, option});
  return run(
      [](harness::Scene& scene) {
        Job& job = make_job(scene);
        harness::Scheduler& scheduler = scene.world().scheduler;
        scheduler.spawn("rank0", [&job, &scheduler] {
          CUcontext context = nullptr;
          cuInit(0);
          cuCtxCreate(&context, nullptr, 0, 0);
          {
            const harness::ActivationScope step(scheduler, harness::slot_name(0, 1), "rank", 0);
            CUdeviceptr address = 0;
            cuIpcOpenMemHandle(&address, {}, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
          }
          job.answers.judge_ending(0, 0, targets::alltoallv::Status::driver_error);
        });
      },
      tape);
}
TEST(AlltoallvCalls, AnInjectedErrorAppliesToTheNextOpenOfAnyCollective) {
  const auto is_refused = [](const Outcome& outcome) {
    return std::any_of(outcome.faults.begin(), outcome.faults.end(),
                       [](const Fault& fault) { return fault.kind == FaultKind::refusal; });
  };
  EXPECT_FALSE(is_refused(end_with_an_error_after(4)));
  EXPECT_TRUE(is_refused(end_with_an_error_after(3))) << "it speaks of that one alone";
}

// ---- results ------------------------------------------------------------------------------------

TEST(AlltoallvReference, CoversEveryElementOnceAndSendsMatchReceives) {
  for (const Collective collective : {Collective::alltoallv, Collective::alltoall})
    for (std::uint32_t shape = 0; shape < 8; ++shape)
      for (std::uint32_t count = 2; count <= kRankLimit; ++count) {
        const Step step{.slot = 3, .collective = collective, .shape = shape};
        for (std::uint32_t rank = 0; rank < count; ++rank) {
          const Exchange own = exchange_of(step, rank, count);
          std::vector<int> writers(targets::alltoallv::buffer_elements(count));
          for (std::uint32_t peer = 0; peer < count; ++peer) {
            EXPECT_EQ(own.receive_count[peer], exchange_of(step, peer, count).send_count[rank]);
            for (std::uint32_t i = 0; i < own.receive_count[peer]; ++i)
              EXPECT_EQ(writers.at(own.receive_displacement[peer] + i)++, 0);
          }
        }
      }
}

TEST(AlltoallvReference, DetectsAnyWrongElement) {
  const Step step{.slot = 1, .collective = Collective::alltoallv, .shape = 5};
  const Rows rows = expected_rows(step, 1, 4, Fills{});
  std::array<std::int32_t, targets::alltoallv::kBufferElements> right{};
  std::vector<std::size_t> places;
  for (const auto& row : std::span<const targets::alltoallv::Row>(rows))
    for (std::int32_t i = 0; i < row.count; ++i) {
      places.push_back(static_cast<std::size_t>(row.displacement + i));
      right[places.back()] = row.base + i * row.slope;
    }
  std::int32_t expected = 0;
  EXPECT_EQ(first_mismatch(rows, right, expected), -1);
  for (const std::size_t place : places) {
    auto wrong = right;
    ++wrong[place];
    EXPECT_EQ(first_mismatch(rows, wrong, expected), static_cast<int>(place));
    EXPECT_EQ(expected, right[place]);
  }
}

TEST(AlltoallvReference, AddsUpTheElementsOfAllRanks) {
  const Step step{.slot = 1, .collective = Collective::reduce_scatter_linear, .shape = 2};
  const Rows rows = expected_rows(step, 1, 3, Fills{7, 8, 9});
  ASSERT_EQ(rows.count, 1u);
  std::int32_t sum = 0;
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    sum += targets::alltoallv::element(rank, 7 + rank, 3);  // Each sends three elements to rank 0.
  EXPECT_EQ(rows.rows[0].displacement, 0);
  EXPECT_EQ(rows.rows[0].count, 3);
  EXPECT_EQ(rows.rows[0].base, sum);
  EXPECT_EQ(rows.rows[0].slope, 3);
}

/// Judges one collective whose destination is read back as zeros.
Outcome read_back(std::uint32_t mismatches) {
  static std::uint32_t counted;
  counted = mismatches;
  const auto read = [](harness::Scene& scene) {
    Job& job = make_job(scene);
    std::array<std::int32_t, targets::alltoallv::kBufferElements> zeros{};
    targets::alltoallv::Observer& observer = job.facts;
    observer.read({0, 0, zeros, counted});
  };
  return run(read, plain_program().tape());
}

TEST(AlltoallvOracle, APlantedWrongElementIsAWrongValue) {
  const Outcome outcome = read_back(1);
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.faults[0].kind, FaultKind::wrong_value);
  EXPECT_EQ(outcome.faults[0].detail, "element 0 is 0 instead of 1");
}

// ---- windows ------------------------------------------------------------------------------------

Fault fault_of(FaultKind kind, harness::Label death_site, harness::Label use_site) {
  Fault fault;
  fault.kind = kind;
  fault.death_site = death_site;
  fault.use_site = use_site;
  fault.tick = 10;
  return fault;
}

int window_met(const Fault& fault, int disorder = -1) {
  harness::testing::ScriptedScene scripted(scenario);
  Job& job = make_job(scripted.scene());
  if (disorder >= 0) job.facts.reach().disorder(static_cast<Window>(disorder));
  return job.facts.reach().window_of(fault);
}

TEST(AlltoallvFaults, AreClassifiedByTheEndOfTheMapping) {
  const harness::Label none;
  EXPECT_EQ(window_met(fault_of(FaultKind::ghost_generation, none, "alltoallv_unmap")),
            harness::raw(Window::source_reread));
  EXPECT_EQ(window_met(fault_of(FaultKind::ghost_generation, none, "alltoallv_unmap/proxy")),
            harness::raw(Window::proxy_reread));
  EXPECT_EQ(window_met(fault_of(FaultKind::wrong_owner, none, "map/stale")),
            harness::raw(Window::key_reused));
  EXPECT_EQ(window_met(fault_of(FaultKind::wrong_owner, "map/stale", "alltoallv_unmap")),
            harness::raw(Window::key_reused));
  EXPECT_EQ(window_met(fault_of(FaultKind::use_after_free, "map/purge", "post_copies")),
            harness::raw(Window::blind_close));
  EXPECT_EQ(window_met(fault_of(FaultKind::retention, none, "collective_failed")),
            harness::raw(Window::failed_after_claim));
}

TEST(AlltoallvFaults, FaultsAfterADisorderBelongToIt) {
  const Fault later = fault_of(FaultKind::ghost_generation, {}, "alltoallv_unmap");
  for (const Window window :
       {Window::failed_after_claim, Window::number_reused, Window::claim_race})
    EXPECT_EQ(window_met(later, harness::raw(window)), harness::raw(window));
}

/// A wrong value alone is no evidence; it belongs to the first fault with a window.
TEST(AlltoallvFaults, AWrongValueBelongsToTheFirstFaultWithAWindow) {
  const Fault silent = fault_of(FaultKind::wrong_value, {}, "check");
  const std::vector<Fault> faults{silent, fault_of(FaultKind::wrong_owner, {}, "map/stale"), silent,
                                  fault_of(FaultKind::wrong_owner, {}, "map/purge"), silent};
  static const std::vector<Fault>* added;
  added = &faults;
  const Outcome outcome = run([](harness::Scene& scene) {
    make_job(scene);
    for (const Fault& fault : *added) scene.world().history.add(fault);
  });
  const int reused = harness::raw(Window::key_reused);
  const int closed = harness::raw(Window::blind_close);
  EXPECT_EQ(std::vector<int>(outcome.windows.begin(), outcome.windows.end()),
            (std::vector<int>{-1, reused, reused, closed, reused}));
}

/// Returns the CPU seconds of a run with this many faults without evidence.
double seconds_with(int count) {
  static int silent_count;
  silent_count = count;
  const std::clock_t begin = std::clock();
  run([](harness::Scene& scene) {
    make_job(scene);
    for (int i = 0; i < silent_count; ++i)
      scene.world().history.add(fault_of(FaultKind::wrong_value, {}, "check"));
  });
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(AlltoallvFaults, AreClassifiedInLinearTime) {
  const double few = seconds_with(4'000);
  const double many = seconds_with(40'000);
  EXPECT_LT(many, 40 * few) << few << " s for 4 000 faults, " << many << " s for 40 000";
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
