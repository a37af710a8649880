// SPDX-License-Identifier: Apache-2.0
// Events of the interpreter's memory in the trail of a run, which no driver call shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/search/triage/triage.h"
#include "scenarios/managed_dict/tests/managed_dict_interpreter.h"

namespace scenarios::managed_dict::testing {
namespace {

using harness::Label;
using harness::Trail;

harness::Case stores() {
  return make_case("stock", "layout=cpython312 compiler=inline",
                   Program().script(Op::new_instance).script(Op::store_attr).script(Op::collect));
}

std::size_t count(const Trail& trail, Trail::Kind kind, Label what, Label site) {
  return static_cast<std::size_t>(
      std::count_if(trail.steps().begin(), trail.steps().end(), [&](const Trail::Step& step) {
        return step.kind == kind && step.what == what && step.site == site;
      }));
}

TEST(ManagedDictFollowed, StoresAreDescribedByObjectAndOffset) {
  harness::Runner runner;
  const Trail trail = follow(runner, stores()).trail;
  EXPECT_GT(count(trail, Trail::Kind::write, "values", "PyObject_SetAttr"), 0u);
  EXPECT_GT(count(trail, Trail::Kind::write, "instance", "gc_collect_main"), 0u);
}

TEST(ManagedDictFollowed, EqualRunsHaveEqualTrails) {
  harness::Runner runner;
  runner.run(stores());
  const std::uint64_t before = runner.trace_hash();
  const Trail trail = follow(runner, stores()).trail;
  EXPECT_EQ(runner.trace_hash(), before);
  EXPECT_EQ(follow(runner, stores()).trail.steps(), trail.steps());
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
