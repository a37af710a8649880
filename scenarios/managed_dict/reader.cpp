#include "scenarios/managed_dict/reader.h"

#include <algorithm>

namespace scenarios::managed_dict {

using targets::managed_dict::ManagedDict;
using targets::managed_dict::View;

void Reader::read_instance(ManagedDict& path, Variable variable, bool asked) {
  const Model::Instance& instance = model_.instance(variable);
  if (!instance.defined) return;
  const View view = path.view(variable);
  scene_.expect("class", harness::raw(view.of), harness::raw(instance.of));
  compare(view, model_.contents(variable));
  if (asked || !instance.is_form_known) return;
  if (view.has_dict && !view.has_values && instance.has_new_name && is_room_little())
    model_.overflowed(variable);
  scene_.expect("dict", view.has_dict, instance.has_dict);
  scene_.expect("kept in values", view.has_values, instance.has_values);
  scene_.expect("embedded", view.is_embedded, model_.is_inline() && view.has_values);
}

void Reader::read_held(ManagedDict& path, bool asked) {
  Contents* held = model_.held();
  if (held == nullptr) return;
  const View view = path.held_view();
  compare(view, *held);
  if (!asked && model_.is_held_form_known())
    scene_.expect("kept in values", view.has_values, model_.held_has_values());
}

// A class whose instances have room for all names that are drawn never runs out.
bool Reader::is_room_little() const {
  return std::any_of(rooms_.begin(), rooms_.end(), [](std::uint32_t room) {
    return room != 0 && room < kAttributesDrawn;
  });
}

void Reader::compare(const View& view, Contents& contents) {
  scene_.expect("vars()", contents.explains({view.items.data(), view.count}, newest_), true);
  scene_.expect("len(vars())", view.used, contents.count());
}

void Reader::made_room(std::uint32_t type, std::uint32_t named, std::uint32_t room) {
  const std::uint32_t before = std::exchange(rooms_[type], room);
  if (before != 0 && room >= before && room > named + 1) scene_.expect("room", room, before - 1);
}

}  // namespace scenarios::managed_dict
