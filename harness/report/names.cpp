// SPDX-License-Identifier: Apache-2.0
#include "harness/report/names.h"

#include <fmt/format.h>

#include <map>

namespace harness::reports {

Names::Names(const World& world) : world_(world) {
  std::map<std::string_view, std::uint32_t> counts;
  const auto& lives = world.ledger.lives();
  for (std::size_t i = 1; i < lives.size(); ++i)
    lives_.try_emplace(lives[i].name, Entry{&lives[i], ++counts[lives[i].kind.view()]});
  for (const ActivationRecord& record : world.history.activations())
    activations_.try_emplace(record.name, &record);
  for (const Event& event : world.history.events())
    if (event.kind == EventKind::submit) first_user_.try_emplace(event.object, event.task);
}

std::string Names::object(Name name) const {
  const auto found = lives_.find(name);
  if (found == lives_.end()) return {};
  return fmt::format("{} #{}", found->second.life->kind.view(), found->second.number);
}

// A default stream has no birth: its record has its kind, and its first work has its thread.
std::string Names::stream(Name name) const {
  const auto found = activations_.find(name);
  if (lives_.contains(name) || found == activations_.end()) return object(name);
  std::string text(found->second->kind.view());
  const auto user = first_user_.find(name);
  if (found->second->kind == Label("per-thread stream") && user != first_user_.end())
    text += " of " + task(user->second);
  return text;
}

const Life* Names::life(Name name) const {
  const auto found = lives_.find(name);
  return found == lives_.end() ? nullptr : found->second.life;
}

std::string Names::activation(Name name) const {
  const auto found = activations_.find(name);
  if (found == activations_.end()) return {};
  const ActivationRecord& record = *found->second;
  if (is_task(record)) return {};
  return record.nth == 0 ? std::string(record.kind.view())
                         : fmt::format("{} {}", record.kind.view(), record.nth);
}

// Activations of a task itself, outside of its ops, need no cause.
bool Names::is_task(const ActivationRecord& record) const {
  for (std::size_t i = 0; i < world_.scheduler.tasks().count(); ++i)
    if (world_.scheduler.tasks().label(static_cast<TaskId>(i)) == record.kind) return true;
  return false;
}

std::string Names::task(std::uint16_t task) const {
  if (task >= world_.scheduler.tasks().count()) return "device";
  return std::string(world_.scheduler.tasks().label(static_cast<TaskId>(task)).view());
}

}  // namespace harness::reports
