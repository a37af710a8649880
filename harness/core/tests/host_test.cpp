// SPDX-License-Identifier: Apache-2.0
#include "harness/core/host.h"
#include "harness/core/fault/kinds.h"

#include <gtest/gtest.h>

#include "harness/core/tests/run_tasks.h"

namespace harness {
namespace {

using testing::Contrary;
using testing::Plain;
using testing::Stage;

struct Thing {
  int value;
};

TEST(Host, ABorrowedPointerReachesItsLiveOwner) {
  Stage stage;
  Plain plain;
  stage.run(plain, [&] {
    const Owned<Thing> owned = stage.host.make<Thing>("Thing", 7);
    EXPECT_EQ(owned.borrow()->value, 7);
  });
  EXPECT_TRUE(stage.history.faults().empty());
}

TEST(Host, UseOfUnoccupiedFreedStorageIsFatal) {
  Stage stage;
  Plain plain;
  bool went_on = false;
  const Ending ending = stage.run(plain, [&] {
    SiteScope born(stage.scheduler, "create");
    Owned<Thing> owned = stage.host.make<Thing>("Thing", 7);
    const Borrowed<Thing> borrowed = owned.borrow();
    {
      SiteScope died(stage.scheduler, "destroy");
      owned.reset();
    }
    SiteScope used(stage.scheduler, "use");
    (void)borrowed->value;
    went_on = true;
  });
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_FALSE(went_on);
  EXPECT_EQ(stage.only_fault().signature(),
            "use_after_free Thing born:create died:destroy used:use");
}

TEST(Host, AStalePointerReachesTheObjectThatReusedTheStorage) {
  Stage stage;
  Contrary contrary;
  int seen = 0;
  const Ending ending = stage.run(contrary, [&] {
    Owned<Thing> first = stage.host.make<Thing>("Thing", 1);
    const Borrowed<Thing> stale = first.borrow();
    first.reset();
    const Owned<Thing> second = stage.host.make<Thing>("Thing", 2);
    EXPECT_EQ(stale.address(), second.borrow().address()) << "the address came back";
    EXPECT_NE(stale.birth(), second.birth()) << "the identity did not";
    seen = stale->value;
  });
  EXPECT_EQ(ending, Ending::finished) << "the program goes on with the wrong object";
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(stage.only_fault().kind, FaultKind::recycled_use);
  EXPECT_NE(stage.only_fault().recycler, 0u);
}

TEST(Host, StorageIsReusedOnlyByTheSameKind) {
  Stage stage;
  Contrary contrary;
  stage.run(contrary, [&] {
    Owned<Thing> thing = stage.host.make<Thing>("Thing", 1);
    const std::uintptr_t address = thing.borrow().address();
    thing.reset();
    const Owned<Thing> other = stage.host.make<Thing>("Other", 2);
    EXPECT_NE(other.borrow().address(), address);
  });
}

TEST(Host, ReuseIsNotTheDefault) {
  Stage stage;
  Plain plain;
  stage.run(plain, [&] {
    Owned<Thing> first = stage.host.make<Thing>("Thing", 1);
    const std::uintptr_t address = first.borrow().address();
    first.reset();
    const Owned<Thing> second = stage.host.make<Thing>("Thing", 2);
    EXPECT_NE(second.borrow().address(), address);
  });
  EXPECT_TRUE(stage.picker.tape().empty());
}

TEST(Ledger, ANameIsDerivedFromItsCauseNotFromACounter) {
  Stage stage;
  Plain plain;
  Name alone = 0;
  Name after_others = 0;
  const auto make = [&](bool others, Name& name) {
    stage.run(plain, [&] {
      if (others) {
        ActivationScope slot(stage.scheduler, 0, 1);
        stage.ledger.born("Thing", 0, 0);
      }
      ActivationScope slot(stage.scheduler, 0, 2);
      name = stage.ledger.life(stage.ledger.born("Thing", 0, 0)).name;
    });
  };
  make(false, alone);
  make(true, after_others);
  EXPECT_EQ(alone, after_others);
}

TEST(Ledger, ASecondEndIsADoubleFree) {
  Stage stage;
  Plain plain;
  stage.run(plain, [&] {
    const BirthId id = stage.ledger.born("block", 16, 16);
    stage.ledger.died(id);
    EXPECT_FALSE(stage.ledger.alive(id));
    stage.ledger.double_free(id);
  });
  EXPECT_EQ(stage.only_fault().kind, FaultKind::double_free);
}

TEST(Ledger, AnOwnerOfAnotherGenerationIsAWrongOwner) {
  Stage stage;
  Plain plain;
  stage.run(plain, [&] {
    const BirthId mine = stage.ledger.born("block", 16, 16);
    stage.ledger.died(mine);
    const BirthId theirs = stage.ledger.born("block", 16, 16, mine);
    stage.ledger.wrong_owner(mine, theirs);
    EXPECT_EQ(stage.ledger.life(mine).recycled_as, theirs);
  });
  EXPECT_EQ(stage.only_fault().kind, FaultKind::wrong_owner);
}

}  // namespace
}  // namespace harness
