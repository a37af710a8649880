// SPDX-License-Identifier: Apache-2.0
// Events: recorded, recorded again, waited for by the host and by streams, queried, and destroyed
// at any time.
#include "harness/devices/tests/sound_programs/steps.h"

namespace harness::testing::sound {

static void create(Program& p) {
  if (p.events.shared().size() == 3) return;
  const bool known = p.keep(Rule::event_flags_are_known);
  p.events.shared().push_back(p.events.make(known ? CU_EVENT_DEFAULT : 99));
}

static Event* any_event(Program& p) {
  return p.events.shared().empty() ? nullptr
                                   : &p.events.shared()[p.below(p.events.shared().size())];
}

static void record(Program& p) {
  if (Event* event = any_event(p)) p.events.record(*event, p.any_home());
}

static void query(Program& p) {
  if (Event* event = any_event(p)) p.events.query(*event);
}

static void synchronize(Program& p) {
  Event* event = any_event(p);
  if (event == nullptr) return;
  cuEventSynchronize(event->handle);
  p.move(event->state, Via::waited_for);
}

static void wait(Program& p) {
  Event* event = any_event(p);
  if (event == nullptr) return;
  const std::size_t home = p.any_home();
  const bool captured = !p.keep(Rule::external_waits_are_captured);
  cuStreamWaitEvent(p.handle(home), event->handle,
                    captured ? CU_EVENT_WAIT_EXTERNAL : CU_EVENT_WAIT_DEFAULT);
  p.move(event->state, Via::stream_waits);
  p.work(home);
}

/// Submitted work keeps its meaning when its event is destroyed.
static void destroy(Program& p) {
  if (p.events.shared().empty()) return;
  Event event = p.events.shared().back();
  p.events.shared().pop_back();
  p.events.destroy(event);
  if (!p.keep(Rule::events_are_alive)) p.events.record(event, 0);
  if (!p.keep(Rule::events_are_destroyed_once)) cuEventDestroy_v2(event.handle);
}

static void record_with_flags(Program& p) {
  Event event = p.events.make();
  const bool known = p.keep(Rule::record_flags_are_known);
  cuEventRecordWithFlags(event.handle, p.handle(0), known ? CU_EVENT_RECORD_DEFAULT : 99);
  p.move(event.state, Via::recorded);
  p.work(0);
  p.events.destroy(event);
}

static void measure(Program& p) {
  const std::size_t home = p.any_home();
  const bool timed = p.keep(Rule::measured_events_have_timing);
  Event start = p.events.make(timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING);
  Event end = p.events.make(CU_EVENT_DEFAULT);
  if (p.keep(Rule::measured_events_are_recorded)) p.events.record(start, home);
  p.set(home, p.memory.use(home, p.memory.any()));
  p.events.record(end, home);
  cuEventSynchronize(end.handle);
  p.move(end.state, Via::waited_for);
  float milliseconds = 0;
  cuEventElapsedTime_v2(&milliseconds, start.handle, end.handle);
  p.events.destroy(start);
  p.events.destroy(end);
}

/// The stream is held up until the events were asked.
static void measure_what_is_over(Program& p) {
  Memory flag = p.memory.make(Kind::plain, 0, 4);
  cuMemsetD32Async(flag.address, 0, 1, p.handle(0));
  p.work(0);
  p.wait(0);
  Event start = p.events.make(CU_EVENT_DEFAULT);
  cuStreamWaitValue32_v2(p.handle(0), flag.address, 1, CU_STREAM_WAIT_VALUE_EQ);
  p.work(0);
  p.events.record(start, 0);
  const bool over = p.keep(Rule::measured_events_are_over);
  if (over) cuStreamWriteValue32_v2(p.handle(1), flag.address, 1, 0);
  if (over) p.wait(0);
  float milliseconds = 0;
  cuEventElapsedTime_v2(&milliseconds, start.handle, start.handle);
  if (!over) cuStreamWriteValue32_v2(p.handle(1), flag.address, 1, 0);
  p.work(1);
  p.events.destroy(start);
  p.memory.leave(flag);
}

Steps event_steps() {
  static constexpr Program::Step kSteps[] = {
      create,      create,
      record,      record,
      record,      query,
      query,       query,
      wait,        wait,
      synchronize, synchronize,
      destroy,     record_with_flags,
      measure,     measure_what_is_over,
  };
  return kSteps;
}

}  // namespace harness::testing::sound
