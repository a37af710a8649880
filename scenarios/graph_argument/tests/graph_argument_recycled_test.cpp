// SPDX-License-Identifier: Apache-2.0
// The recycled case: the report's buffer is freed and its memory reused before the graph runs. We
// report birth, death, capture and recycler at the kernel's line; a normal ASan build of the same
// program, on the same pool, reports nothing. AFTERLIFE_WRITE_CORPUS=1 rewrites the case.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "harness/base/tests/child.h"
#include "harness/core/fault/kinds.h"
#include "harness/devices/sim/kernels/symbolize.h"
#include "harness/search/reproducer/reproducer.h"
#include "scenarios/graph_argument/tests/graph_argument_cases.h"

namespace scenarios::graph_argument::testing {
namespace {

using harness::Case;
using harness::Fault;
using harness::FaultKind;
using harness::Outcome;

constexpr const char* kConfig = "default_stream=legacy collector=eval_breaker";

/// The report: del buf; gc.collect(); instantiate; launch. Another buffer is made in between.
Program report() {
  return Program()
      .script(Op::allocate)
      .script(Op::create_definition)
      .script(Op::add_kernel, {21, 0, 0, 0, 1})
      .script(Op::drop, {1})
      .script(Op::collect)
      .script(Op::allocate)
      .script(Op::instantiate)
      .script(Op::launch)
      .script(Op::synchronize);
}

/// Returns a case in which another block reuses the storage of the report's buffer. A tape refers
/// to a block by its lifetime.
Case recycled(harness::Runner& runner) {
  Case the_case = make_case("borrow", kConfig, report());
  const Outcome& fresh = runner.run(the_case);
  const Fault& fault = fresh.faults.at(0);
  the_case.tape.push_back({harness::slot_name(0, 5), site_tag(harness::Site::reuse), 0,
                           static_cast<std::uint32_t>(fault.object) | 1});
  return the_case;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

TEST(GraphArgumentRecycled, IsReportedAtTheKernelsLineWithItsHistory) {
  harness::Runner runner;
  const Case the_case = recycled(runner);
  const Outcome outcome = runner.run(the_case);
  ASSERT_TRUE(outcome.failed());
  const Fault& fault = outcome.faults[0];
  EXPECT_EQ(fault.kind, FaultKind::recycled_use);
  EXPECT_FALSE(fault.fatal) << "memory is alive: the program goes on, as the real one does";
  EXPECT_EQ(fault.birth_site, harness::Label("allocate"));
  EXPECT_EQ(fault.death_site, harness::Label("Buffer.__dealloc__"));
  EXPECT_EQ(fault.use_site, harness::Label("add_one"));
  const std::string line = harness::devices::symbolize(fault.code);
  EXPECT_TRUE(line.empty() || contains(line, "kernel.cu:")) << line;  // Empty without a symbolizer.
  EXPECT_TRUE(contains(fault.detail, "parameters copied in GN_launch")) << fault.detail;
  const auto& lives = runner.world().ledger.lives();
  const auto recycler = std::find_if(lives.begin(), lives.end(), [&](const harness::Life& life) {
    return life.name == fault.recycler && fault.recycler != 0;
  });
  ASSERT_NE(recycler, lives.end());
  EXPECT_EQ(recycler->birth_site, harness::Label("allocate"));
  EXPECT_NE(recycler->name, fault.object);
  if (std::getenv("AFTERLIFE_WRITE_CORPUS") != nullptr)
    write_reproducer("corpus/graph_argument/repros/borrow-recycled.repro",
                     describe(runner, outcome, the_case));
}

TEST(GraphArgumentRecycled, HoldsForRetainPerNode) {
  harness::Runner runner;
  Case the_case = recycled(runner);
  the_case.variant = variant_named("retain_per_node");
  EXPECT_EQ(first_signature(runner.run(the_case)), "");
}

// ---- the same program, by default
// ------------------------------------------------------------------

int shell(const std::string& command) { return std::system(command.c_str()); }

/// Returns "" if there is no compiler.
std::string compiler() {
  for (const char* name : {"clang++-19", "clang++"})
    if (shell(fmt::format("command -v {} >/dev/null 2>&1", name)) == 0) return name;
  return "";
}

bool build(const std::string& program) {
  const std::string flags = "-std=c++20 -O1 -g -fsanitize=address -ffp-contract=off -I.";
  const std::string object = program + ".o";
  return shell(fmt::format("{} {} -include harness/devices/sim/kernel.h -x c++ -c "
                           "targets/graph_argument/kernel.cu -o {}",
                           compiler(), flags, object)) == 0 &&
         shell(fmt::format("{} {} scenarios/graph_argument/tests/recycled_plain.cc {} -o {}",
                           compiler(), flags, object, program)) == 0;
}

TEST(GraphArgumentRecycled, IsSilentInAPlainAsanBuildWhichSeesTheFreedCase) {
  if (compiler().empty()) GTEST_SKIP() << "no clang++ to build the plain program with";
  const harness::Folder folder;
  const std::string program = folder / "recycled_plain";
  ASSERT_TRUE(build(program));
  const std::string out = folder / "out";
  EXPECT_EQ(shell(fmt::format("{} >{} 2>&1", program, out)), 0);
  EXPECT_EQ(harness::read_file(out), "recycled\n") << "ASan has nothing to say";
  EXPECT_NE(shell(fmt::format("{} freed >{} 2>&1", program, out)), 0);
  const std::string freed = harness::read_file(out);
  EXPECT_TRUE(contains(freed, "heap-use-after-free")) << freed;
  EXPECT_TRUE(contains(freed, "kernel.cu:")) << freed;
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
