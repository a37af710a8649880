// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/core/tests/run_managed.h"

namespace harness {
namespace {

using namespace testing;

// ---- the collector ----------------------------------------------------------------------------

TEST(HeapCollection, OnlyTheCollectorFreesACycle) {
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    make_cycle(stage, "a", "b");
    EXPECT_EQ(stage.heap.live_count(), 2u);
    EXPECT_TRUE(stage.story.empty());
    EXPECT_EQ(stage.heap.collect(), 2u);
    EXPECT_EQ(stage.heap.live_count(), 0u);
    EXPECT_EQ(stage.heap.tracked_count(), 0u);
  });
  EXPECT_EQ(stage.story, (Story{"finalize a", "finalize b"}));
}

constexpr TypeInfo kSlow{"Slow", [](Object&) { Managed::now->scheduler.turn({}); }};

TEST(HeapCollection, AnotherTaskCanWaitForTheEndOfACollection) {
  Managed stage;
  Alternate alternate;
  stage.begin(alternate, {.gil = false});
  stage.thread("collecting", [&] {
    const auto cycle = [&] {
      const Ref node = stage.heap.make<Named>(kSlow, "node");
      node->set("self", node);
    };
    cycle();
    EXPECT_EQ(stage.heap.collect(), 1u);
  });
  stage.thread("waiting", [&] {
    while (!stage.heap.collecting()) stage.scheduler.turn({});
    EXPECT_EQ(stage.heap.collect(), 0u) << "another collection runs";
    EXPECT_EQ(stage.heap.live_count(), 1u);
    stage.heap.finish_collection();
    EXPECT_EQ(stage.heap.live_count(), 0u);
  });
  EXPECT_EQ(stage.scheduler.run(), Ending::finished);
}

TEST(HeapCollection, AReferenceFromOutsideKeepsACycleAlive) {
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    const Ref a = spoken(stage, "a");
    {
      const Ref b = spoken(stage, "b");
      const Ref c = spoken(stage, "c");
      a->set("next", b);
      b->set("next", c);
      c->set("next", a);
    }
    make_cycle(stage, "x", "y");
    EXPECT_EQ(stage.heap.collect(), 2u) << "x and y only";
    EXPECT_EQ(stage.heap.live_count(), 3u);
    a->clear();
  });
  EXPECT_EQ(stage.heap.live_count(), 0u);
}

TEST(HeapCollection, AnObjectReachableOnlyFromAYoungerObjectSurvives) {
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    Ref leaf = spoken(stage, "leaf");
    Ref middle = spoken(stage, "middle");
    const Ref root = spoken(stage, "root");
    middle->set("leaf", std::move(leaf));
    root->set("middle", std::move(middle));
    EXPECT_EQ(stage.heap.collect(), 0u);
    EXPECT_TRUE(stage.story.empty());
    EXPECT_TRUE(root->get("middle")->get("leaf"));
  });
}

TEST(HeapCollection, AnObjectInACycleDiesAfterItsMembers) {
  static constexpr TypeInfo kType{
      "T", nullptr, [](Object& self) { Managed::now->tell(self.payload<Named>().name); }};
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    {
      const Ref object = stage.heap.make<Named>(kType, "object");
      object->set("self", object);
      object->set("member", stage.heap.make<Named>(kType, "member"));
    }
    stage.heap.collect();
  });
  EXPECT_EQ(stage.story, (Story{"member", "object"}));
}

TEST(HeapCollection, SurvivorsAgeAndYoungCollectionsSkipThem) {
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    Ref a = stage.heap.make(kPlainType);
    a->set("self", a);
    for (const std::uint32_t expected : {1u, 2u, 2u}) {
      stage.heap.collect(expected - 1);
      EXPECT_EQ(a->generation(), expected);
    }
    a.reset();
    EXPECT_EQ(stage.heap.collect(0), 0u);
    EXPECT_EQ(stage.heap.collect(1), 0u);
    EXPECT_EQ(stage.heap.collect(2), 1u);
  });
}

TEST(HeapCollection, ACycleThroughAnUntrackedObjectIsNeverCollected) {
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    const Ref a = stage.heap.make(kPlainType);
    const Ref b = stage.heap.make(kUntracked);
    a->set("b", b);
    b->set("a", a);
    EXPECT_EQ(stage.heap.tracked_count(), 1u);
  });
  EXPECT_EQ(stage.heap.collect(), 0u);
  EXPECT_EQ(stage.heap.live_count(), 2u);
}

TEST(HeapCollection, ACollectionIsAnEventIfItFoundGarbageOrWasRequested) {
  Managed stage;
  CollectOnce finds_nothing(0);
  const auto collections = [&] {
    return std::count_if(stage.history.events().begin(), stage.history.events().end(),
                         [](const Event& event) { return event.kind == EventKind::collect; });
  };
  stage.run(finds_nothing, [&] {
    const Ref a = stage.heap.make(kPlainType);
    const Ref b = stage.heap.make(kPlainType);
    EXPECT_EQ(a->generation(), 2u) << "it ran";
  });
  EXPECT_EQ(finds_nothing.asked(), 1u) << "nothing is tracked at the first allocation";
  EXPECT_EQ(collections(), 0);
  stage.run(finds_nothing, [&] {
    make_cycle(stage, "a", "b");
    const Ref c = stage.heap.make(kPlainType);
    stage.heap.collect();
    stage.heap.collect();
  });
  EXPECT_EQ(collections(), 2) << "both are asked for";
}

// ---- finalizers -------------------------------------------------------------------------------

TEST(HeapCollection, AFinalizerMayResurrectItsObjectAndRunsOnlyOnce) {
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    stage.heap.make(kSaver);
    ASSERT_TRUE(stage.saved);
    EXPECT_TRUE(stage.saved->finalized());
    EXPECT_EQ(stage.heap.live_count(), 1u);
    EXPECT_EQ(stage.heap.tracked_count(), 1u);
    stage.saved.reset();
  });
  EXPECT_EQ(stage.story, Story{"finalize"});
  EXPECT_EQ(stage.heap.live_count(), 0u);
}

TEST(HeapCollection, AFinalizerMayResurrectAWholeCycle) {
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    {
      const Ref saver = stage.heap.make(kSaver);
      const Ref friend_ = spoken(stage, "friend");
      saver->set("next", friend_);
      friend_->set("next", saver);
    }
    make_cycle(stage, "a", "b");
    EXPECT_EQ(stage.heap.collect(), 2u) << "a and b";
    EXPECT_EQ(stage.heap.live_count(), 2u);
    EXPECT_EQ(stage.saved->get("next")->generation(), 2u);
    stage.saved.reset();
    EXPECT_EQ(stage.heap.collect(), 2u);
  });
  EXPECT_EQ(stage.story, (Story{"finalize", "finalize friend", "finalize a", "finalize b"}));
  EXPECT_EQ(stage.heap.live_count(), 0u);
}

TEST(HeapCollection, AFinalizerMayReplaceMembersOfOtherObjects) {
  static constexpr TypeInfo kFinalizer{"FinalizerAction", [](Object& self) {
                                         Managed& stage = *Managed::now;
                                         make_cycle(stage, "p", "q");
                                         stage.heap.collect();
                                         self.payload<Ref>()->set("c", spoken(stage, "new"));
                                       }};
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    const Ref victim = stage.heap.make(kPlainType);
    victim->set("c", spoken(stage, "old"));
    {
      const Ref action = stage.heap.make<Ref>(kFinalizer, victim);
      action->set("self", action);
    }
    EXPECT_EQ(stage.heap.collect(), 1u);
    EXPECT_EQ(stage.story, Story{"finalize old"})
        << "a collection within a collection does nothing";
    EXPECT_STREQ(victim->get("c")->payload<Named>().name, "new");
    EXPECT_EQ(stage.heap.collect(), 2u) << "p and q";
  });
  EXPECT_EQ(stage.heap.live_count(), 0u);
}

TEST(HeapCollection, AFinalizerMayFreeOtherObjectsOfTheSameGarbage) {
  static constexpr TypeInfo kBreaker{"Breaker", [](Object& self) {
                                       Managed::now->tell("break");
                                       self.get("next")->clear();
                                       EXPECT_EQ(self.heap().live_count(self.type()), 1u);
                                     }};
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    {
      const Ref breaker = stage.heap.make(kBreaker);
      const Ref middle = stage.heap.make(kPlainType);
      breaker->set("next", middle);
      middle->set("back", breaker);
      middle->set("a", spoken(stage, "a"));
      middle->set("b", spoken(stage, "b"));
    }
    stage.heap.collect();
  });
  EXPECT_EQ(stage.story, (Story{"break", "finalize a", "finalize b"}));
  EXPECT_EQ(stage.heap.live_count(), 0u);
  EXPECT_EQ(stage.heap.tracked_count(), 0u);
  EXPECT_TRUE(stage.history.faults().empty());
}

TEST(HeapCollection, AFinalizerRunsDuringAnUnrelatedAllocation) {
  Managed stage;
  CollectOnce second(1);
  stage.run(second, [&] {
    make_cycle(stage, "a", "b");
    EXPECT_TRUE(stage.story.empty());
    const Ref c = stage.heap.make(kPlainType);
    EXPECT_EQ(stage.story.size(), 2u);
  });
  EXPECT_EQ(stage.history.faults().size(), 0u);
}

TEST(HeapCollection, AFinalizersActivationIsNamedAfterItsObject) {
  static constexpr TypeInfo kType{"T", [](Object& self) {
                                    const Name now =
                                        self.heap().scheduler().picker().current().name;
                                    const std::uint64_t finalize = Label("finalize").hash();
                                    EXPECT_EQ(now, derive_name(self.name(), finalize, 0));
                                    EXPECT_EQ(self.heap().scheduler().site(), Label("__del__"));
                                    Managed::now->tell("ran");
                                  }};
  Managed stage;
  Plain plain;
  stage.run(plain, [&] { stage.heap.make(kType); });
  EXPECT_EQ(stage.story, Story{"ran"});
}

TEST(HeapCollection, ADyingObjectCannotBeResurrectedAndDiesOnce) {
  static constexpr TypeInfo kChild{"Child", [](Object& self) {
                                     Ref owned = self.payload<BorrowedRef>().own();
                                     const WeakRef weak(owned);
                                     Managed::now->tell("owned");
                                     Managed::now->saved = owned;
                                   }};
  Managed stage;
  Plain plain;
  const Ending ending = stage.run(plain, [&] {
    Ref parent = stage.heap.make(kPlainType);
    parent->set("c", stage.heap.make<BorrowedRef>(kChild, parent));
    parent.reset();
    EXPECT_EQ(stage.heap.live_count(), 0u);
    EXPECT_TRUE(stage.history.faults().empty());
    (void)stage.saved->member_count();
  });
  EXPECT_EQ(stage.story, Story{"owned"});
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_EQ(stage.only_fault().kind, FaultKind::use_after_free);
}

TEST(HeapCollection, AReferenceTakenAndDroppedDuringDeallocationIsHarmless) {
  static constexpr TypeInfo kChild{"Child", [](Object& self) {
                                     const Ref owned = self.payload<BorrowedRef>().own();
                                     EXPECT_FALSE(self.get("weak")->payload<WeakRef>().lock());
                                     Managed::now->tell("finalize child");
                                   }};
  Managed stage;
  Plain plain;
  stage.run(plain, [&] {
    Ref parent = spoken(stage, "parent");
    const Ref child = stage.heap.make<BorrowedRef>(kChild, parent);
    child->set("weak", stage.heap.make<WeakRef>(kUntracked, parent));
    parent->set("c", child);
    parent->set("d", spoken(stage, "d"));
    const_cast<Ref&>(child).reset();
    parent.reset();
    EXPECT_EQ(stage.heap.live_count(), 0u);
  });
  EXPECT_EQ(stage.story, (Story{"finalize parent", "finalize child", "finalize d"}));
  EXPECT_TRUE(stage.history.faults().empty());
}

TEST(HeapCollection, AFinalizerThatDropsACountOfItsOwnObjectEndsItsLifeOnce) {
  static constexpr TypeInfo kType{"T", [](Object& self) {
                                    if (Managed::now->saved) return;
                                    Ref::steal(&self);
                                    Managed::now->saved = self.heap().make(self.type());
                                  }};
  Managed stage;
  Reuse reuse;
  stage.run(reuse, [&] {
    stage.heap.make(kType);
    EXPECT_EQ(stage.saved->ref_count(), 1u) << "who got its storage is left alone";
    EXPECT_EQ(stage.heap.live_count(), 1u);
  });
  EXPECT_TRUE(stage.history.faults().empty());
}

TEST(HeapCollection, AnObjectResurrectedFromDeepInAChainIsTracked) {
  Managed stage;
  Plain plain;
  for (int depth = 0; depth < 40; ++depth)
    stage.run(plain, [&] {
      Ref head = stage.heap.make(kSaver);
      for (int i = 0; i < depth; ++i) {
        Ref object = stage.heap.make(kPlainType);
        object->set("next", std::move(head));
        head = std::move(object);
      }
      head.reset();
      EXPECT_EQ(stage.heap.live_count(), 1u);
      EXPECT_EQ(stage.heap.tracked_count(), 1u);
      stage.saved->set("self", stage.saved);
      stage.saved.reset();
      EXPECT_EQ(stage.heap.collect(), 1u);
    });
}

// ---- when it may run --------------------------------------------------------------------------

TEST(HeapCollection, BeforePython312TheCollectorRunsAtAllocationsOnly) {
  Managed stage;
  CollectOnce first(0);
  stage.run(first, [&] {
    make_cycle(stage, "a", "b");  // Asked once: for b, when only a is there.
    for (int i = 0; i < 5; ++i) stage.python->step("NOP");
    EXPECT_EQ(first.asked(), 1u);
    stage.heap.allocation_point();
    EXPECT_EQ(first.asked(), 2u);
  });
}

TEST(HeapCollection, SincePython312TheCollectorRunsBetweenStepsOnly) {
  Managed stage;
  CollectOnce third(2);
  stage.run(third,
            [&] {
              stage.python->step("NOP");
              EXPECT_EQ(third.asked(), 0u) << "nothing is tracked";
              make_cycle(stage, "a", "b");
              stage.heap.allocation_point();
              EXPECT_EQ(third.asked(), 0u);
              stage.python->step("NOP");
              stage.python->step("NOP");
              EXPECT_EQ(stage.heap.live_count(), 2u);
              stage.python->step("NOP");
              EXPECT_EQ(stage.heap.live_count(), 0u);
            },
            {true, CollectAt::eval_breaker});
}

TEST(HeapCollection, NoCollectionIsDueWithoutAnAllocationSinceTheLast) {
  Managed stage;
  CollectOnce first(0);
  stage.run(first,
            [&] {
              const Ref kept = stage.heap.make(kPlainType);
              for (int i = 0; i < 5; ++i) stage.python->step("NOP");
              EXPECT_EQ(first.asked(), 1u);
              const Ref another = stage.heap.make(kPlainType);
              stage.python->step("NOP");
              EXPECT_EQ(first.asked(), 2u);
            },
            {true, CollectAt::eval_breaker});
}

TEST(HeapCollection, TheChoiceSelectsAGeneration) {
  for (const std::uint32_t choice : {1u, 2u, 3u}) {
    Managed stage;
    CollectOnce second(1, choice);
    stage.run(second, [&] {
      const Ref a = stage.heap.make(kPlainType);
      const Ref b = stage.heap.make(kPlainType);
      stage.heap.allocation_point();
      EXPECT_EQ(a->generation(), std::min(choice, 2u));
    });
  }
}

}  // namespace
}  // namespace harness
