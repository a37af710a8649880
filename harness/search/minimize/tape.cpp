// SPDX-License-Identifier: Apache-2.0
#include "harness/search/minimize/tape.h"

#include <algorithm>
#include <unordered_map>

#include "harness/search/reproducer/words.h"

namespace harness::minimizing {
namespace {

bool has_site(const Decision& decision, Sites sites) {
  const int site = site_of_tag(decision.site_tag);
  return site >= 0 && ((sites >> site) & 1) != 0;
}

bool is_thing(const Decision& decision) {
  return words::is_thing(static_cast<Site>(site_of_tag(decision.site_tag)), decision.value);
}

/// The names of everything after some slots are renamed.
class NewNames {
 public:
  NewNames(const std::map<Name, Name>& slots, const Causes& causes)
      : slots_(slots), causes_(causes) {
    for (const auto& [name, record] : causes.records())
      if (const Name renamed = of(name); renamed != name)
        values_.emplace(words::value_of(name), words::value_of(renamed));
  }

  Name of(Name name) const {
    if (const auto slot = slots_.find(name); slot != slots_.end()) return slot->second;
    const ActivationRecord* record = causes_.find(name);
    if (record == nullptr) return name;
    const Name parent = of(record->parent);
    return parent == record->parent ? name : derive_name(parent, record->kind.hash(), record->nth);
  }
  std::uint32_t of_value(std::uint32_t value) const {
    const auto found = values_.find(value);
    return found != values_.end() ? found->second : value;
  }

 private:
  const std::map<Name, Name>& slots_;
  const Causes& causes_;
  std::unordered_map<std::uint32_t, std::uint32_t> values_;
};

}  // namespace

bool is_op(const Decision& decision) { return has_site(decision, site_bit(Site::op)); }
bool is_program(const Decision& decision) { return has_site(decision, kProgramSites); }

Measure measure(const Tape& tape) {
  Measure result;
  for (const Decision& decision : tape) {
    if (is_op(decision)) {
      ++result.op_count;
      result.slot_sum += words::is_slot(decision.activation) ? decision.activation & 0xffff : 0;
      continue;
    }
    ++(is_program(decision) ? result.argument_count : result.further_count);
    if (!is_thing(decision)) result.value_sum += decision.value;
  }
  return result;
}

std::vector<Name> op_slots(const Tape& tape) {
  std::vector<Name> slots;
  for (const Decision& decision : tape)
    if (is_op(decision)) slots.push_back(decision.activation);
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

Tape without_slots(const Tape& tape, const std::vector<Name>& slots, const Causes& causes) {
  Tape rest;
  for (const Decision& decision : tape)
    if (std::find(slots.begin(), slots.end(), causes.slot_of(decision.activation)) == slots.end())
      rest.push_back(decision);
  return rest;
}

Tape program_of(const Tape& tape) {
  Tape program;
  std::copy_if(tape.begin(), tape.end(), std::back_inserter(program), is_program);
  return program;
}

Tape move_slots(const Tape& tape, const std::map<Name, Name>& slots, const Causes& causes) {
  const NewNames names(slots, causes);
  Tape moved;
  for (Decision decision : tape) {
    decision.activation = names.of(decision.activation);
    if (is_thing(decision) && !is_op(decision)) decision.value = names.of_value(decision.value);
    moved.push_back(decision);
  }
  return moved;
}

std::map<Name, Name> dense_slots(const Tape& tape) {
  std::map<Name, Name> moves;
  std::map<Name, std::uint32_t> used;  // Per task.
  for (const Name slot : op_slots(tape)) {
    if (!words::is_slot(slot)) continue;
    const Name task = slot & ~Name{0xffff};
    moves[slot] = task | used[task]++;
  }
  return moves;
}

}  // namespace harness::minimizing
