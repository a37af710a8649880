// SPDX-License-Identifier: Apache-2.0
// An intervention keeps objects beyond their end; without one, nothing is kept.
#include <gtest/gtest.h>

#include "harness/core/intervention/intervention.h"
#include "scenarios/managed_dict/tests/managed_dict_interpreter.h"

namespace scenarios::managed_dict::testing {
namespace {

using harness::Hold;
using harness::Intervention;
using md::Address;

constexpr md::Version kVersions[] = {md::Version::cpython311, md::Version::cpython312,
                                     md::Version::cpython313};

/// Runs `body` in this layout, and returns the signature of the first fault.
template <class Body>
std::string fault_of(md::Version version, Body body) {
  return first_signature(run_interpreter(
      [&](Interpreter& on) {
        body(on);
        on.judge.heap().judge_all();
      },
      [&](md::Setup& setup) { setup.version = version; }));
}

/// Returns whether the block that begins here is unchanged although it has died.
bool is_kept(Interpreter& on, Address begin) {
  const md::Block& block = on.core.memory.block_at(begin);
  return block.alive && block.begin == begin && !on.core.memory.ledger().alive(block.id);
}

TEST(ManagedDictKept, AKeptIntIsReadAndCountedAndNotReused) {
  Intervention repair(Hold{.object = "int"});
  const Intervention::Current current(repair);
  for (const md::Version version : kVersions)
    EXPECT_EQ(fault_of(version,
                       [](Interpreter& on) {
                         const Address number = on.core.objects.new_number(7);
                         on.core.objects.decref(number);
                         EXPECT_TRUE(is_kept(on, number));
                         EXPECT_EQ(on.core.objects.number(number), 7);
                         on.core.objects.decref(number);
                         EXPECT_TRUE(is_kept(on, number)) << "for one more release";
                         EXPECT_NE(on.core.objects.new_number(8), number);
                       }),
              "");
}

TEST(ManagedDictKept, WithoutARepairTheNextIntReusesTheStorage) {
  const auto reuse = [](Interpreter& on) {
    const Address number = on.core.objects.new_number(7);
    on.core.objects.decref(number);
    EXPECT_FALSE(is_kept(on, number));
    EXPECT_EQ(on.core.objects.new_number(8), number);
  };
  EXPECT_EQ(fault_of(md::Version::cpython312, reuse), "");
  Intervention repair(Hold{.object = "int", .let_go = "dict_dealloc"});
  const Intervention::Current current(repair);
  EXPECT_EQ(fault_of(md::Version::cpython312, reuse), "") << "it is let go elsewhere";
}

// The collector finds a reference that no object in the heap has: the intervention's.
TEST(ManagedDictKept, AnInstanceKeepsItsAttributes) {
  Intervention repair(Hold{.object = "instance", .let_go = "subtype_dealloc"});
  const Intervention::Current current(repair);
  for (const md::Version version : kVersions)
    EXPECT_EQ(fault_of(version,
                       [](Interpreter& on) {
                         const Address object = make_no_grad(on);
                         on.core.objects.decref(object);
                         EXPECT_TRUE(is_kept(on, object - md::kPreheaderBytes));
                         on.core.collector.collect();
                         EXPECT_EQ(on.core.attributes.get(object, 0), on.core.types.boolean(true));
                       }),
              "");
}

std::uint64_t used(Interpreter& on, Address dict) {
  return on.core.memory.load<std::uint64_t>(dict + md::kDictUsedOffset);
}

TEST(ManagedDictKept, ADictOutlivesItsInstance) {
  Intervention repair(Hold{.object = "dict"});
  const Intervention::Current current(repair);
  for (const md::Version version : kVersions)
    EXPECT_EQ(fault_of(version,
                       [](Interpreter& on) {
                         const Address object = make_no_grad(on);
                         const Address dict = on.core.attributes.materialise(object);
                         on.core.objects.incref(dict);
                         on.core.objects.decref(object);
                         EXPECT_FALSE(is_kept(on, dict - md::kGcHeadBytes));
                         on.core.objects.decref(dict);
                         EXPECT_TRUE(is_kept(on, dict - md::kGcHeadBytes));
                         EXPECT_EQ(used(on, dict), 1u) << "nothing was let go of";
                       }),
              "");
}

// In a separate block: in 3.13 they are part of the instance.
TEST(ManagedDictKept, KeptValuesDoNotMove) {
  Intervention repair(Hold{.object = "values"});
  const Intervention::Current current(repair);
  const auto drop = [](Interpreter& on) {
    const Address object = make_no_grad(on);
    const auto values = on.core.attributes.look(object).values;
    const Address begin = values - on.core.memory.load<std::uint8_t>(values - 1);
    on.core.objects.decref(object);
    EXPECT_TRUE(is_kept(on, begin));
  };
  EXPECT_EQ(fault_of(md::Version::cpython311, drop), "");
  EXPECT_EQ(fault_of(md::Version::cpython312, drop), "");
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
