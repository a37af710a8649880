// SPDX-License-Identifier: Apache-2.0
#include "harness/core/scheduler/stuck.h"

#include "harness/core/fault/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace harness::scheduling {
namespace {

std::string who_waits(const Tasks& tasks) {
  std::string text;
  for (const auto& task : tasks.all()) {
    if (task->state != Task::State::waiting && task->state != Task::State::paused) continue;
    if (!text.empty()) text += "; ";
    text += fmt::format("{} waits for {}", task->label.view(), task->waits_for.view());
    if (task->waits_for_task != nullptr && *task->waits_for_task != TaskId::none)
      text += fmt::format(" held by {}", tasks.label(*task->waits_for_task).view());
  }
  return text;
}

}  // namespace

Fault stuck_fault(const Tasks& tasks) {
  const auto all = tasks.all();
  const auto waiter = std::find_if(all.begin(), all.end(), [](const auto& task) {
    return task->state == Task::State::waiting && !task->daemon;
  });
  const bool deadlock = waiter != all.end();
  Fault fault = fatal_fault(deadlock ? FaultKind::deadlock : FaultKind::livelock);
  fault.object_kind = deadlock ? (*waiter)->waits_for : Label("polling");
  fault.detail = who_waits(tasks);
  return fault;
}

}  // namespace harness::scheduling
