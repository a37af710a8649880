// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/judges/script.h"

#include "harness/core/fault/kinds.h"
#include "scenarios/managed_dict/model/refuse.h"
#include "scenarios/managed_dict/model/update.h"

#include <fmt/format.h>

namespace scenarios::managed_dict {

using targets::managed_dict::Block;
using targets::managed_dict::BlockKind;
using targets::managed_dict::View;

// ---- statements ---------------------------------------------------------------------------------

ScriptJudge::Before ScriptJudge::before(Inspection& path, const Statement& statement) const {
  return {expected_status(context_.state, statement), context_.state.starved_count,
          path.class_version(statement.of)};
}

void ScriptJudge::judge(Inspection& path, const Statement& statement, const Before& before,
                        Status status) {
  judge_status(statement.op, before, status);
  // A cache of the former class must be able to notice the change.
  if (statement.op == Op::set_type_attr && before.class_version != 0 && context_.state.bounded &&
      status == Status::ok)
    context_.scene.expect("class version", path.class_version(statement.of) == before.class_version,
                          false);
  if (status != Status::memory_error)
    apply(context_.state, statement);
  else
    apply_failed(context_.state, statement);
  heap_.judge_all();
  judge_objects(path, statement.variable);
}

// After a fault, or without memory, a failure is not a refusal.
void ScriptJudge::judge_status(Op op, const Before& before, Status status) {
  if (status == before.expected || context_.has_faults()) return;
  const bool starved = context_.state.starved_count != before.starved_count;
  if (status == Status::memory_error && starved) return;
  if (status == Status::ok)
    context_.scene.expect("answer", harness::raw(status), harness::raw(before.expected));
  else
    context_.scene.refuse(kOps[harness::raw(op)].name, to_label(status).c_str());
}

// ---- values that a script can read --------------------------------------------------------------

// Only for variants that claim to be sound: other variants' objects may not be readable.
void ScriptJudge::judge_objects(Inspection& path, Variable variable) {
  if (!context_.state.bounded || context_.has_faults()) return;
  judge_variable(path, variable);
  if (context_.state.starved_count == 0) judge_held(path);
  judge_counts(path);
}

void ScriptJudge::judge_variables(Inspection& path) {
  if (!context_.state.bounded) return;
  for (Variable variable = 0; variable < context_.state.variables.size(); ++variable)
    if (!context_.has_faults()) judge_variable(path, variable);
}

// Reads a variable by vars() and type().
void ScriptJudge::judge_variable(Inspection& path, Variable variable) {
  const State& state = context_.state;
  Object& object = context_.state.variables[variable];
  const Object::Form& form = object.form;
  if (!form.defined) return;
  const View view = path.view(variable);
  context_.scene.expect("class", harness::raw(view.of), harness::raw(form.of));
  judge_contents(view, object);
  if (state.others_asked_for_dicts || !form.known) return;
  if (view.has_dict && !view.has_values && form.has_new_name && has_little_room(state))
    apply_overflow(object);
  context_.scene.expect("dict", view.has_dict, form.has_dict);
  context_.scene.expect("kept in values", view.has_values, form.has_values);
  context_.scene.expect("embedded", view.is_embedded, state.is_inline() && view.has_values);
}

// Reads the last result of vars().
void ScriptJudge::judge_held(Inspection& path) {
  Object* held = context_.state.held_object();
  if (held == nullptr) return;
  const View view = path.held_view();
  judge_contents(view, *held);
  if (!context_.state.others_asked_for_dicts && held->form.known)
    context_.scene.expect("kept in values", view.has_values, held->form.has_values);
}

void ScriptJudge::judge_contents(const View& view, Object& object) {
  const std::span items(view.items.data(), view.count);
  context_.scene.expect("vars()", explains(object.contents, items, newest_), true);
  context_.scene.expect("len(vars())", view.used, object.contents.count());
}

// ---- live blocks --------------------------------------------------------------------------------

// A block that an intervention keeps has died.
ScriptJudge::CensusOfKinds ScriptJudge::take_census() const {
  CensusOfKinds kinds;
  context_.state.heap->for_each_live([&](const Block& block) {
    if (!context_.scene.world().ledger.alive(block.id)) return;
    Census& census = kinds[harness::raw(block.kind)];
    ++census.count;
    census.last = std::max(census.last, block.id);
    census.bytes = std::max<std::uint64_t>(census.bytes, block.bytes);
  });
  return kinds;
}

// Objects of which there are more than can be reachable have leaked.
void ScriptJudge::judge_counts(Inspection& path) {
  const CensusOfKinds kinds = take_census();
  for (const auto& [kind, most] : bounds(context_.state)) {
    const Census& census = kinds[harness::raw(kind)];
    if (census.count <= most) continue;
    harness::Fault fault = context_.describe(harness::FaultKind::retention, census.last);
    fault.use_site = "bound";
    fault.detail =
        fmt::format("{} are alive, and the program can reach {} at most", census.count, most);
    context_.report(std::move(fault));
    break;
  }
  const Census& instances = kinds[harness::raw(BlockKind::instance)];
  if (instances.count != 0 && !context_.state.is_inline())
    context_.scene.expect("instance bytes", instances.bytes,
                          targets::managed_dict::kPreheaderBytes +
                              targets::managed_dict::basic_bytes(context_.state.version));
  context_.scene.expect("class references", path.class_references(), instances.count);
}

}  // namespace scenarios::managed_dict
