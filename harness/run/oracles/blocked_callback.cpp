// SPDX-License-Identifier: Apache-2.0
// A function called by the driver blocks forever: at the end of the run, a driver task waits for a
// lock whose holder has ended and cannot release it. No other task needs to hang for this, but the
// later callbacks of the same thread are never called.
#include <fmt/format.h>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/scenario.h"

namespace harness::oracles {
namespace {

using Task = scheduling::Task;

/// Returns whether the lock that the task waits for can never be released.
bool waits_in_vain(const scheduling::Tasks& tasks, const Task& task) {
  if (!task.daemon || task.state != Task::State::waiting || task.waits_for_task == nullptr)
    return false;
  const TaskId holder = *task.waits_for_task;
  return holder != TaskId::none && tasks[holder].state == Task::State::done;
}

void judge_blocked_callback(Scene& scene) {
  const scheduling::Tasks& tasks = scene.world().scheduler.tasks();
  for (const auto& task : tasks.all()) {
    if (!waits_in_vain(tasks, *task)) continue;
    Fault fault;
    fault.kind = FaultKind::blocked_callback;
    fault.object_kind = task->waits_for;
    fault.use_site = task->context.site;
    fault.tick = scene.world().scheduler.now();
    fault.detail = fmt::format("{} waits for {}, which {} held when it ended", task->label.view(),
                               task->waits_for.view(), tasks.label(*task->waits_for_task).view());
    scene.world().history.add(std::move(fault));
  }
}

}  // namespace

extern const OracleInfo blocked_callback;
const OracleInfo blocked_callback{
    "blocked_callback", "a function that the driver called gets the locks that it waits for",
    judge_blocked_callback};

}  // namespace harness::oracles
