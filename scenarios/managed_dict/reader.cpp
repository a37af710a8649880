// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/reader.h"

namespace scenarios::managed_dict {

using targets::managed_dict::Inspection;
using targets::managed_dict::View;

void Reader::read_instance(Inspection& path, Variable variable, bool asked) {
  const Model::Instance& instance = model_.instance(variable);
  if (!instance.defined) return;
  const View view = path.view(variable);
  scene_.expect("class", harness::raw(view.of), harness::raw(instance.of));
  compare(view, model_.contents(variable));
  if (asked || !instance.is_form_known) return;
  if (view.has_dict && !view.has_values && instance.has_new_name && capacity_.is_little())
    model_.overflowed(variable);
  scene_.expect("dict", view.has_dict, instance.has_dict);
  scene_.expect("kept in values", view.has_values, instance.has_values);
  scene_.expect("embedded", view.is_embedded, model_.is_inline() && view.has_values);
}

void Reader::read_held(Inspection& path, bool asked) {
  Contents* held = model_.held();
  if (held == nullptr) return;
  const View view = path.held_view();
  compare(view, *held);
  if (!asked && model_.is_held_form_known())
    scene_.expect("kept in values", view.has_values, model_.held_has_values());
}

void Reader::compare(const View& view, Contents& contents) {
  scene_.expect("vars()", contents.explains({view.items.data(), view.count}, newest_), true);
  scene_.expect("len(vars())", view.used, contents.count());
}

}  // namespace scenarios::managed_dict
