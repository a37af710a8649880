// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "harness/core/fault/kinds.h"
#include "harness/core/tests/run_managed.h"

namespace harness {
namespace {

using namespace testing;

// ---- counting ---------------------------------------------------------------------------------

TEST(Heap, DroppingTheLastReferenceFreesImmediately) {
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    Ref a = spoken(stage, "a");
    const Ref again = a;
    const BirthId birth = a.birth();
    EXPECT_EQ(a->ref_count(), 2u);
    a.reset();
    EXPECT_TRUE(stage.ledger.alive(birth));
    EXPECT_TRUE(stage.story.empty());
    a = again;
    const_cast<Ref&>(again).reset();
    a.reset();
    EXPECT_FALSE(stage.ledger.alive(birth));
    EXPECT_EQ(stage.story, Story{"finalize a"});
  });
  EXPECT_EQ(stage.heap.live_count(), 0u);
  EXPECT_TRUE(stage.history.faults().empty());
}

TEST(Heap, MembersDieAfterTheOwnersFinalizerInOrderOfAssignment) {
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    Ref outer = spoken(stage, "outer");
    outer->set("z", spoken(stage, "z"));
    outer->set("a", spoken(stage, "a"));
    outer->set(0, spoken(stage, "0"));
    outer.reset();
  });
  EXPECT_EQ(stage.story, (Story{"finalize outer", "finalize z", "finalize a", "finalize 0"}));
}

TEST(Heap, ReplacingAMemberFreesTheOldOneAfterStoringTheNewOne) {
  static constexpr TypeInfo kChild{"Child", [](Object& self) {
                                     const Ref parent = self.payload<BorrowedRef>()->get("c");
                                     Managed::now->tell(parent->payload<Named>().name);
                                   }};
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    const Ref parent = stage.heap.make(kPlainType);
    parent->set("c", stage.heap.make<BorrowedRef>(kChild, parent));
    parent->set("c", spoken(stage, "new"));
  });
  EXPECT_EQ(stage.story, (Story{"new", "finalize new"}));
}

TEST(Heap, DeallocRunsAfterTheMembersAreGoneAndThePayloadDiesLast) {
  struct Payload {
    ~Payload() { Managed::now->tell("payload"); }
  };
  static constexpr TypeInfo kType{"T", [](Object&) { Managed::now->tell("finalize"); },
                                  [](Object& self) {
                                    EXPECT_EQ(self.member_count(), 0u);
                                    Managed::now->tell("dealloc");
                                  }};
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    Ref object = stage.heap.make<Payload>(kType);
    object->set("m", spoken(stage, "m"));
  });
  EXPECT_EQ(stage.story, (Story{"finalize", "finalize m", "dealloc", "payload"}));
}

TEST(Heap, AChainOfAThousandObjectsDiesInOrderOnASmallStack) {
  Managed stage;
  Plain plain;
  const Ending ending = stage.run(plain, [&] {
    Ref head;
    for (int i = 0; i < 1000; ++i) {
      Ref object = spoken(stage, i == 999 ? "head" : "link");
      if (head) object->set("next", std::move(head));
      head = std::move(object);
    }
    EXPECT_EQ(stage.heap.live_count(), 1000u);
    head.reset();
    EXPECT_EQ(stage.heap.live_count(), 0u);
  });
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_EQ(stage.story.size(), 1000u);
  EXPECT_EQ(stage.story.front(), "finalize head");
}

TEST(Heap, ALeakedObjectStaysLive) {
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    spoken(stage, "leaked").leak();
    stage.heap.collect();
  });
  EXPECT_EQ(stage.heap.live_count(), 1u);
  EXPECT_EQ(stage.heap.live_count(kSpoken), 1u);
  EXPECT_EQ(stage.heap.live_count(kPlainType), 0u);
}

// ---- stale references -------------------------------------------------------------------------

TEST(Heap, ABorrowedReferenceToADeadObjectIsFatal) {
  Managed stage;
  Plain plain;
  bool went_on = false;
  const Ending ending = stage.run(plain, [&] {
    Ref object = spoken(stage, "a");
    const BorrowedRef borrowed = object;
    EXPECT_STREQ(borrowed->payload<Named>().name, "a");
    stage.python->c_call("drop", [&] { object.reset(); });
    stage.python->c_call("use", [&] { (void)borrowed->payload<Named>(); });
    went_on = true;
  });
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_FALSE(went_on);
  EXPECT_EQ(stage.only_fault().signature(), "use_after_free Spoken died:drop used:use");
}

TEST(Heap, ABorrowedReferenceToARecycledObjectReachesTheNewObject) {
  Managed stage;
  Reuse reuse;
  const Ending ending = stage.run(reuse, [&] {
    Ref first = spoken(stage, "first");
    const BorrowedRef stale = first;
    first.reset();
    const Ref other_type = stage.heap.make(kPlainType);
    EXPECT_NE(BorrowedRef(other_type).address(), stale.address()) << "storage is its type's";
    const Ref second = spoken(stage, "second");
    EXPECT_EQ(BorrowedRef(second).address(), stale.address()) << "the address came back";
    EXPECT_STREQ(stale->payload<Named>().name, "second");
    EXPECT_TRUE(stale.own() == second);
  });
  EXPECT_EQ(ending, Ending::finished);
  ASSERT_EQ(stage.history.faults().size(), 2u);
  EXPECT_EQ(stage.history.faults()[0].kind, FaultKind::recycled_use);
}

TEST(Heap, StorageIsReusedInEveryOrderOffered) {
  Managed stage;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Dice dice(seed);
    stage.run(dice, [&] {
      std::vector<Ref> all;
      all.reserve(16);
      for (int i = 0; i < 8; ++i) all.push_back(spoken(stage, "x"));
      all.clear();
      for (int i = 0; i < 16; ++i) all.push_back(spoken(stage, "y"));
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(&*all[i], &*all[j]);
    });
    EXPECT_TRUE(stage.history.faults().empty());
    EXPECT_EQ(stage.heap.live_count(), 0u);
  }
}

TEST(Heap, TheMostRecentlyFreedStorageIsOfferedFirst) {
  Managed stage;
  Contrary contrary;  // Takes the last offer: the one freed longest ago.
  stage.run(contrary, [&] {
    Ref a = stage.heap.make(kUntracked), b = stage.heap.make(kUntracked);
    const BirthId first = a.birth(), second = b.birth();
    a.reset();
    b.reset();
    const Ref c = stage.heap.make(kUntracked), d = stage.heap.make(kUntracked);
    EXPECT_EQ(stage.ledger.life(first).recycled_as, c.birth());
    EXPECT_EQ(stage.ledger.life(c.birth()).recycled_from, first);
    EXPECT_EQ(stage.ledger.life(second).recycled_as, d.birth());
  });
}

TEST(Heap, WithoutAGilABorrowedReferenceMayBecomeStaleDuringUse) {
  Managed stage;
  int fatal = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    stage.begin(dice, {false, CollectAt::allocation});
    const Ref member = stage.heap.make(kUntracked);
    Ref object = stage.heap.make(kPlainType);
    object->set("m", member);
    const BorrowedRef borrowed = object;
    stage.thread("user", [&] { EXPECT_TRUE(borrowed->get("m")) << "or it must not come back"; });
    stage.thread("dropper", [&] { object.reset(); });
    fatal += stage.scheduler.run() == Ending::fatal;
    object.leak();
  }
  EXPECT_GT(fatal, 0);
  EXPECT_LT(fatal, 300);
}

TEST(Heap, AMissingCountFreesAnObjectThatIsStillOwned) {
  Managed stage;
  Plain plain;
  const Ending ending = stage.run(plain, [&] {
    const Ref owner = spoken(stage, "a");
    Ref::steal(&*BorrowedRef(owner));  // Counts down what is not its own.
    EXPECT_EQ(stage.heap.live_count(), 0u);
    (void)owner->payload<Named>();
  });
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_EQ(stage.only_fault().kind, FaultKind::use_after_free);
}

TEST(Heap, WeakReferencesAreClearedBeforeTheFinalizersOfACycle) {
  static constexpr TypeInfo kType{
      "T", [](Object& self) {
        Managed::now->tell(self.payload<WeakRef>().lock() ? "reaches" : "gone");
      }};
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    Ref object = stage.heap.make<WeakRef>(kType);
    object->payload<WeakRef>() = WeakRef(object);
    const WeakRef weak(object);
    EXPECT_TRUE(weak.lock() == object);
    object.reset();
    EXPECT_FALSE(weak.lock());
    object = stage.heap.make<WeakRef>(kType);
    object->payload<WeakRef>() = WeakRef(object);
    object->set("self", object);
    object.reset();
    stage.heap.collect();
  });
  EXPECT_EQ(stage.story, (Story{"reaches", "gone"}));
}

// ---- many random runs -------------------------------------------------------------------------

/// A thread that randomly makes, links, drops and collects objects.
void churn(Managed& stage, std::array<Ref, 4>& variables) {
  Picker& picker = stage.picker;
  const auto pick = [&](std::uint32_t count) { return picker.pick(Site::argument, count); };
  for (int i = 0; i < 12; ++i) {
    stage.python->step("op");
    Ref& variable = variables[pick(4)];
    switch (pick(5)) {
      case 0:
        variable = spoken(stage, "v");
        break;
      case 1:
        variable = stage.heap.make(kPlainType);
        break;
      case 2:
        // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): it counts what it copies.
        if (const Ref from = variable, to = variables[pick(4)]; from) from->set(pick(3), to);
        break;
      case 3:
        variable.reset();
        break;
      default:
        stage.heap.collect(pick(3));
        break;
    }
  }
}

TEST(Heap, TwoThreadsLeaveNoObjectsBehind) {
  Managed stage;
  for (const bool gil : {true, false})
    for (const CollectAt at : {CollectAt::allocation, CollectAt::eval_breaker})
      for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        Dice dice(seed);
        stage.begin(dice, {gil, at});
        std::array<Ref, 4> variables;
        for (int i = 0; i < 2; ++i) stage.thread("thread", [&] { churn(stage, variables); });
        ASSERT_EQ(stage.scheduler.run(), Ending::finished);
        variables = {};
        stage.heap.collect();
        ASSERT_EQ(stage.heap.live_count(), 0u);
        ASSERT_EQ(stage.heap.tracked_count(), 0u);
        ASSERT_TRUE(stage.history.faults().empty());
      }
}

TEST(Heap, ARunThatEndsDuringACollectionDoesNotAffectTheNext) {
  static constexpr TypeInfo kDeadly{"Deadly", [](Object& self) { self.heap().scheduler().die(); }};
  Managed stage;
  Plain plain;
  for (int i = 0; i < 2; ++i) {
    const Ending ending = stage.run(plain, [&] {
      const Ref object = stage.heap.make(kDeadly);
      object->set("self", object);
      const_cast<Ref&>(object).reset();
      stage.heap.collect();
    });
    EXPECT_EQ(ending, Ending::fatal);
    EXPECT_EQ(stage.heap.live_count(), 1u);
    EXPECT_TRUE(stage.heap.collecting());
  }
  stage.begin(plain);
  EXPECT_EQ(stage.heap.live_count(), 0u);
  EXPECT_FALSE(stage.heap.collecting());
}

}  // namespace
}  // namespace harness
