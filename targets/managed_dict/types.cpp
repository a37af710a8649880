// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/managed_dict.h"

namespace targets::managed_dict {

Types::Types(Memory& memory, const Setup& setup) : memory_(memory), layout_(setup.version) {
  add_builtins();
  for (const Class of : {Class::no_grad, Class::autocast, Class::profile_scope}) {
    Type& type = add_class(of);
    if (setup.warm_up == 0) continue;
    for (Attribute i = 0; i < own_attributes(of); ++i) type.keys.insert(i);
    for (std::uint32_t i = 0; i < setup.warm_up; ++i) type.keys.shrink();
  }
}

void Types::add_builtins() {
  builtins_ = memory_.add_static(BlockKind::type, kTypeBytes);
  for (int i = 1; i < 4; ++i) memory_.add_static(BlockKind::type, kTypeBytes);
  memory_.store<std::uint8_t>(dict_type() + kDictSubclassByte, kDictSubclassBit);
  add_object(builtin(3));
  add_object(builtin(2));
  add_object(builtin(2));
  const Address head = memory_.add_static(BlockKind::type, kGcHeadBytes);
  memory_.store<std::uint64_t>(head, head);
  memory_.store<std::uint64_t>(head + kWord, head);
}

// Makes None, False or True. Before 3.12 they are counted like other objects.
void Types::add_object(Address type) {
  const Address object = memory_.add_static(BlockKind::number, kNumberBytes);
  memory_.store<std::uint64_t>(object + kRefcountOffset,
                               layout_ == Version::cpython311 ? kEarlyReferences : kImmortal);
  memory_.store<std::uint64_t>(object + kTypeOffset, type);
}

Type& Types::add_class(Class of) {
  Type& type = types_[type_count_];
  type.address = memory_.add_static(BlockKind::type, kTypeBytes);
  type.of = of;
  type.index = type_count_++;
  memory_.store<std::uint64_t>(type.address + kRefcountOffset, kTypeReferences);
  memory_.store<std::uint64_t>(type.address + kTypeAttributeOffset, boolean(true));
  return type;
}

const Type* Types::at(Address address) const {
  const Address first = types_[0].address;
  const Address offset = address - first;
  if (offset >= Address{type_count_} * kStaticBytes || offset % kStaticBytes != 0) return nullptr;
  return &types_[offset / kStaticBytes];
}

void Types::subclass(Class of) {
  const Type& type = add_class(of);
  bound_[harness::raw(of)] = static_cast<std::uint8_t>(type.index);
}

std::uint32_t Types::assign_version(const Type& type) {
  const std::uint32_t found = version(type);
  if (found != 0) return found;
  memory_.store<std::uint32_t>(type.address + kTypeVersionOffset, next_version_);
  return next_version_++;
}

}  // namespace targets::managed_dict
