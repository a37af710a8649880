// SPDX-License-Identifier: Apache-2.0
// Repairs that order ops of a program, if a read is too early because nothing has written yet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/intervention/order.h"
#include "harness/core/shared/shared.h"
#include "harness/run/scenario/scenario.h"
#include "harness/run/tests/toy_scenario.h"
#include "harness/search/triage/triage.h"

namespace harness {
namespace {

namespace toy = testing::toy;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Those that come are counted, but not distinguished.
struct Meeting {
  explicit Meeting(Scheduler& scheduler)
      : note(scheduler, "note"), lock(scheduler, "lock"), bell(scheduler.name_next("bell")) {}

  Shared<std::uint64_t> note;
  Mutex lock;  ///< For the note.
  Resource bell;
  int count = 0;
};

void come(Scheduler& scheduler, Meeting& meeting) {
  scheduler.turn({meeting.bell, AccessKind::write});
  ++meeting.count;
  scheduler.touch(meeting.bell);
}

/// The first op may be left out, and only takes a turn; the third one calls come().
void come_later(Scene& scene, Meeting& meeting) {
  Scheduler& scheduler = scene.world().scheduler;
  scene.exercised();
  if (scene.pick(Site::order, 2) == 0) {
    const ActivationScope slot(scheduler, 0, 0);
    scheduler.note(EventKind::op, "look");
    scheduler.turn({});
  }
  const ActivationScope slot(scheduler, 0, 2);
  const SiteScope site(scheduler, "come");
  scheduler.note(EventKind::op, "come");
  come(scheduler, meeting);
}

/// In the second op, reads as soon as come() was called, and holds the lock that the writer needs.
void read(Scene& scene, Meeting& meeting) {
  Scheduler& scheduler = scene.world().scheduler;
  const ActivationScope slot(scheduler, 0, 1);
  const SiteScope site(scheduler, "read");
  scheduler.note(EventKind::op, "meet");
  scheduler.wait_until({meeting.bell, AccessKind::read}, "someone",
                       [&] { return meeting.count > 0; });
  const LockGuard lock(meeting.lock);
  scene.expect("note", meeting.note.read(Generation{1}), 7);
}

/// In the second op, writes, then comes.
void write(Scene& scene, Meeting& meeting) {
  Scheduler& scheduler = scene.world().scheduler;
  const ActivationScope slot(scheduler, 0, 1);
  const SiteScope site(scheduler, "write");
  {
    const LockGuard lock(meeting.lock);
    meeting.note.write(7, Generation{1});
  }
  come(scheduler, meeting);
}

void drive(Scene& scene) {
  Scheduler& scheduler = scene.world().scheduler;
  Meeting& meeting = *scheduler.arena().make<Meeting>(scheduler);
  scheduler.spawn("later", [&scene, &meeting] { come_later(scene, meeting); });
  scheduler.spawn("reader", [&scene, &meeting] { read(scene, meeting); });
  scheduler.spawn("writer", [&scene, &meeting] { write(scene, meeting); });
}

const Scenario& meetings() {
  static const Scenario kScenario = toy::hoarding("meetings", drive);
  return kScenario;
}

// To wait for the writer would be for ever, as the reader has its lock. Runs without the first op
// are among those that are searched.
TEST(TriageProgram, AnInterferingOpIsOrderedAfterEarlierOps) {
  Runner runner;
  const Suspect suspect{{&meetings(), 0, config_at(meetings(), 0), &toy::no_device, {}}, ""};
  const Triage found = triage(runner, std::vector{suspect});
  EXPECT_THAT(found.unexplained, IsEmpty());
  ASSERT_THAT(found.causes, SizeIs(1));
  EXPECT_EQ(found.causes[0].repair, (Repair{RepairKind::order, "note", {}, {}, {}}));
}

}  // namespace
}  // namespace harness
