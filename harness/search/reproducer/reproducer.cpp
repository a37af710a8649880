// SPDX-License-Identifier: Apache-2.0
// The writer. A name is written as the chain of its causes, which History recorded. A value that is
// not a small number is looked up among the names of the run, because the tape only holds their low
// halves.
#include "harness/search/reproducer/reproducer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "harness/core/history/causes.h"
#include "harness/core/world.h"
#include "harness/search/reproducer/words.h"

namespace harness {
namespace {

// ---- data from the run --------------------------------------------------------------------------

// Events of ops contain the slot and the task.
std::vector<std::string> task_names(const Runner& runner) {
  std::vector<std::string> names;
  const Scheduler& scheduler = runner.world().scheduler;
  for (const Event& event : runner.history().events()) {
    if (event.kind != EventKind::op || !words::is_slot(event.activation)) continue;
    if (event.task >= scheduler.tasks().count()) continue;
    const std::size_t task = words::task_of(event.activation);
    const std::string_view name = scheduler.tasks().label(static_cast<TaskId>(event.task)).view();
    if (task >= names.size()) names.resize(task + 1);
    if (std::find(names.begin(), names.end(), name) == names.end()) names[task] = name;
  }
  return names;
}

/// Collects the causes that a tape needs.
class Chains {
 public:
  explicit Chains(const History& history) : causes_(history.activations()) {
    for (const ActivationRecord& record : history.activations())
      by_value_.try_emplace(words::value_of(record.name), record.name);
  }

  void need(Name name) {
    const ActivationRecord* record = causes_.find(name);
    if (record == nullptr || !needed_.insert(name).second) return;
    need(record->parent);
    chains_.push_back({name, record->parent, std::string(record->kind.view()), record->nth});
  }
  void need_value(std::uint32_t value) {
    const auto found = by_value_.find(value);
    if (found != by_value_.end()) need(found->second);
  }

  std::vector<Reproducer::Cause> take() { return std::move(chains_); }

 private:
  std::vector<Reproducer::Cause> chains_;
  Causes causes_;
  std::unordered_map<std::uint32_t, Name> by_value_;
  std::unordered_set<Name> needed_;
};

// ---- words --------------------------------------------------------------------------------------

class Writer {
 public:
  explicit Writer(const Reproducer& reproducer) : reproducer_(reproducer) {
    for (const Reproducer::Cause& cause : reproducer.causes) {
      by_name_.try_emplace(cause.name, &cause);
      by_value_.try_emplace(words::value_of(cause.name), &cause);
    }
  }

  std::string decision(const Decision& decision) const {
    const int site = site_of_tag(decision.site_tag);
    HARNESS_CHECK(site >= 0, "a tape holds decisions of known sites");
    const DecisionWords words = in_words(decision);
    std::string text = fmt::format("{} {}", words.who, kSites[std::size_t(site)].name);
    if (decision.nth != 0) text += fmt::format("[{}]", decision.nth);
    return text + " " + words.answer;
  }

  DecisionWords in_words(const Decision& decision) const {
    return {path(decision.activation),
            value(static_cast<Site>(site_of_tag(decision.site_tag)), decision.value)};
  }

 private:
  // A chain of causes may be as long as a file, and the bare names in an edited file may form a
  // cycle.
  std::string path(Name name) const {
    std::string text;
    for (std::size_t left = by_name_.size(); left > 0 && name != 0 && !words::is_slot(name);
         --left) {
      const auto cause = by_name_.find(name);
      if (cause == by_name_.end()) break;
      text += fmt::format("{}:{} of ", words::quoted(cause->second->kind), cause->second->nth);
      name = cause->second->parent;
    }
    return text + root(name);
  }

  std::string root(Name name) const {
    if (name == 0) return std::string(words::kStart);
    if (words::is_slot(name))
      return fmt::format("{}:{}", task(words::task_of(name)), name & 0xffff);
    return fmt::format("{:#018x}", name);
  }

  std::string task(std::size_t number) const {
    const std::vector<std::string>& tasks = reproducer_.tasks;
    if (number < tasks.size() && !tasks[number].empty()) return words::quoted(tasks[number]);
    return fmt::format("{}", number);
  }

  std::string value(Site site, std::uint32_t value) const {
    if (site == Site::op) return op(value);
    if (words::is_thing(site, value))
      if (const auto cause = by_value_.find(value); cause != by_value_.end())
        return thing(*cause->second);
    return value < words::kNumberLimit ? fmt::format("{}", value) : fmt::format("{:#010x}", value);
  }

  std::string op(std::uint32_t value) const {
    for (const OpInfo& op : reproducer_.the_case.scenario->ops)
      if (op_value(op.name) == value) return words::quoted(op.name.view());
    return fmt::format("{:#010x}", value);
  }

  // A task is written as its label only.
  std::string thing(const Reproducer::Cause& cause) const {
    const bool plain = words::quoted(cause.kind) == cause.kind && cause.kind != words::kStart;
    if (cause.parent == 0 && cause.nth == 0 && plain) return cause.kind;
    return path(cause.name);
  }

  const Reproducer& reproducer_;
  std::unordered_map<Name, const Reproducer::Cause*> by_name_;
  std::unordered_map<std::uint32_t, const Reproducer::Cause*> by_value_;
};

std::string header(const Reproducer& reproducer) {
  const Case& c = reproducer.the_case;
  std::string text =
      fmt::format("{} {}\npath {}\nvariant {}\n", words::kMagic, words::kVersion,
                  c.scenario->name.view(), c.scenario->variants[c.variant].name.view());
  const std::string config = to_string(*c.scenario, c.config);
  text += fmt::format("config{}{}\n", config.empty() ? "" : " ", config);
  text += fmt::format("device {}\n", c.device->name.view());
  if (reproducer.tasks.empty()) return text;
  text += "tasks";
  for (const std::string& task : reproducer.tasks)
    text += " " + (task.empty() ? std::string(words::kNobody) : words::quoted(task));
  return text + "\n";
}

}  // namespace

Reproducer describe(const Runner& runner, const Outcome& outcome, Case the_case) {
  Reproducer result;
  result.the_case = std::move(the_case);
  result.the_case.tape = outcome.tape;
  result.tasks = task_names(runner);
  Chains chains(runner.history());
  for (const Decision& decision : outcome.tape) {
    const auto site = static_cast<Site>(site_of_tag(decision.site_tag));
    chains.need(decision.activation);
    if (words::is_thing(site, decision.value)) chains.need_value(decision.value);
  }
  result.causes = chains.take();
  for (const Fault& fault : outcome.faults) {
    std::string signature = fault.signature();
    if (std::find(result.faults.begin(), result.faults.end(), signature) == result.faults.end())
      result.faults.push_back(std::move(signature));
  }
  result.trace = runner.trace_hash();
  return result;
}

std::string to_string(const Reproducer& reproducer, const Decision& decision) {
  return Writer(reproducer).decision(decision);
}

DecisionWords in_words(const Reproducer& reproducer, const Decision& decision) {
  return Writer(reproducer).in_words(decision);
}

std::string to_string(const Reproducer& reproducer) {
  std::string text = header(reproducer);
  const Writer writer(reproducer);
  for (const Decision& decision : reproducer.the_case.tape)
    text += writer.decision(decision) + "\n";
  for (const std::string& fault : reproducer.faults) text += fmt::format("fault {}\n", fault);
  if (reproducer.trace != 0) text += fmt::format("trace {:016x}\n", reproducer.trace);
  return text + "end\n";
}

}  // namespace harness
