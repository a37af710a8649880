// SPDX-License-Identifier: Apache-2.0
// Code that runs during a release: the value that it reads from the attribute concerned.
#include <gtest/gtest.h>

#include "harness/core/fault/kinds.h"
#include "scenarios/managed_dict/tests/managed_dict_interpreter.h"

namespace scenarios::managed_dict::testing {
namespace {

using harness::Fault;
using harness::FaultKind;
using harness::Outcome;

enum Guard : std::uint32_t { called_back, finalized };

/// Runs v.a = Guard(), then `next`.
Program guarded(Guard guard, Op next) {
  return Program().script(Op::new_instance).script(Op::store_guarded, {0, 0, guard}).script(next);
}

Outcome run(std::string_view variant, const Program& program) {
  static harness::Runner runner;
  return runner.run(make_case(variant, "layout=cpython312 compiler=inline", program));
}

std::size_t count(const Outcome& outcome, FaultKind kind, harness::Label what) {
  return static_cast<std::size_t>(std::count_if(
      outcome.faults.begin(), outcome.faults.end(),
      [&](const Fault& fault) { return fault.kind == kind && fault.object_kind == what; }));
}

// The value may be released by a store, a deletion, another dict, or the instance's own end.
TEST(ManagedDictRelease, StockStoresTheNewValueBeforeReleasingTheOld) {
  for (const Guard guard : {called_back, finalized})
    for (const Op next : {Op::store_attr, Op::store_all, Op::delete_attr, Op::replace_dict,
                          Op::delete_dict, Op::new_instance, Op::del_instance, Op::collect})
      EXPECT_FALSE(run("stock", guarded(guard, next)).failed()) << harness::raw(next);
}

TEST(ManagedDictRelease, ReleasingBeforeStoringIsReported) {
  for (const Guard guard : {called_back, finalized}) {
    const Outcome outcome = run("release_before_store", guarded(guard, Op::store_attr));
    EXPECT_EQ(count(outcome, FaultKind::use_after_free, "released value"), 1U);
  }
}

// A callback runs while the count is 0: taking and dropping a reference frees the value again.
TEST(ManagedDictRelease, ACallbackDuringTheReleaseFreesTheValueAgain) {
  const Outcome by_callback = run("release_before_store", guarded(called_back, Op::store_attr));
  ASSERT_FALSE(by_callback.faults.empty());
  EXPECT_TRUE(by_callback.faults.back().fatal) << by_callback.faults.back().signature();
  EXPECT_EQ(by_callback.faults.back().use_site, harness::Label("subtype_dealloc"));
  const Outcome by_finalizer = run("release_before_store", guarded(finalized, Op::store_attr));
  EXPECT_FALSE(by_finalizer.faults.back().fatal) << "__del__ has a reference meanwhile";
}

TEST(ManagedDictRelease, OnlyCompiledStoresReleaseFirst) {
  const Program interpreted = Program()
                                  .script(Op::new_instance)
                                  .script(Op::store_guarded)
                                  .script(Op::access_dict)
                                  .script(Op::store_attr);
  EXPECT_FALSE(run("release_before_store", interpreted).failed()) << "PyDict_SetItem stores first";
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
