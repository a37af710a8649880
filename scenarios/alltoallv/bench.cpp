// SPDX-License-Identifier: Apache-2.0
// bench_alltoallv: cost of a whole run: `plain`; by the number of ops and of tasks, to see whether
// it is linear; and `ranks/N/collectives/M`, with the number of turns of a run as a counter.
#include <fmt/format.h>

#include "harness/fuzz/bench_path.h"
#include "scenarios/alltoallv/programs.h"

namespace scenarios::alltoallv {

extern const harness::Scenario scenario;

namespace {

/// See harness::entries::register_path.
struct Bench {
  static constexpr const char* kVariant = "snapshot_region";
  static constexpr const char* kConfig = "C=8 ranks=2";
  static constexpr std::uint32_t kOpLimit = kSlotCountLimit;
  static const harness::Scenario& scenario() { return alltoallv::scenario; }
  static void drive(harness::Scene& scene, const Shape& shape) { drive_shaped(scene, shape); }
  static Program plain() { return plain_program(); }

  // `ops/N`: N collectives of two ranks. Each is waited for before the next.
  static Shape ops_shape() { return {.slots = kOpLimit, .blocking = true}; }
  static Program ops(std::uint32_t count) {
    Program program;
    for (std::uint32_t i = 0; i < count; ++i) program.script(Op::alltoallv, {i % 2});
    return program;
  }

  // `tasks/N`: the launcher, two ranks, and N - 3 progress threads, for four collectives.
  static Shape tasks_shape(std::uint32_t count) {
    return {.slots = 4, .blocking = true, .thread_count = (count - 3) / 2};
  }
  static Program tasks(std::uint32_t) { return ops(4); }
};

// `ranks/N/collectives/M`: M collectives outstanding at once, in a job with as many ops.
template <std::uint32_t collectives>
void register_outstanding(int ranks) {
  const auto measure_ranks = [ranks](benchmark::State& state) {
    harness::Scenario shaped = scenario;
    shaped.drive = [](harness::Scene& scene) { drive_shaped(scene, {.slots = collectives}); };
    harness::entries::measure(state, shaped, Bench::kVariant, fmt::format("C=8 ranks={}", ranks),
                              Bench::ops(collectives).tape());
  };
  benchmark::RegisterBenchmark(fmt::format("ranks/{}/collectives/{}", ranks, collectives).c_str(),
                               measure_ranks);
}
template <std::uint32_t... collectives>
bool register_scale() {
  for (const int ranks : {2, 3, 4, 6, 8}) (register_outstanding<collectives>(ranks), ...);
  return true;
}

using TaskCounts = std::integer_sequence<std::uint32_t, 3, 5, 7, 11, 15>;
const bool registered =
    harness::entries::register_path<Bench, TaskCounts>() && register_scale<1, 2, 4, 8, 16, 32>();

}  // namespace
}  // namespace scenarios::alltoallv
