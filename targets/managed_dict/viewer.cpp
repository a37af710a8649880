// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/viewer.h"

namespace targets::managed_dict {

View Viewer::of_instance(Address object) {
  View view;
  const Type& type = core_.attributes.type_of(object);
  view.of = type.of;
  const Attributes::Where where = core_.attributes.look(object);
  view.has_dict = where.dict != 0;
  if (where.dict != 0) {
    add_dict(view, where.dict);
  } else if (where.values != 0) {
    add_values(view, where.values, type.keys);
    view.used = core_.attributes.value_count(where.values);
  }
  return view;
}

View Viewer::of_dict(Address dict) {
  View view;
  if (dict != 0) add_dict(view, dict);
  return view;
}

void Viewer::add_dict(View& view, Address dict) {
  view.used = static_cast<std::uint32_t>(word(dict + kDictUsedOffset));
  const Address values = word(dict + kDictValuesOffset);
  const Address keys = word(dict + kDictKeysOffset);
  const Type* type = values != 0 ? core_.types.at(keys) : nullptr;
  if (type != nullptr)
    add_values(view, values, type->keys);
  else if (keys != 0)
    add_table(view, keys);
}

void Viewer::add_values(View& view, Address values, const SharedKeys& keys) {
  view.has_values = true;
  view.is_embedded = core_.attributes.is_embedded(values);
  const std::uint32_t count = core_.attributes.value_count(values);
  for (std::uint32_t position = 0; position < count; ++position) {
    const std::uint32_t index = core_.attributes.value_index(values, position);
    if (index >= keys.entry_count()) return;
    add(view, keys.attribute(index), word(values + index * kWord));
  }
}

void Viewer::add_table(View& view, Address table) {
  const std::uint64_t count = word(table + kWord);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Address entry = table + kTableHeaderBytes + i * 2 * kWord;
    add(view, static_cast<Attribute>(word(entry) - 1), word(entry + kWord));
  }
}

void Viewer::add(View& view, Attribute attribute, Address value) {
  if (view.count == view.items.size() || value == 0) return;
  const Block* block = core_.memory.find(value);
  const bool is_instance = block != nullptr && block->kind == BlockKind::instance;
  view.items[view.count++] = {attribute,
                              is_instance ? kAnInstance : core_.objects.number(value).value_or(0)};
}

}  // namespace targets::managed_dict
