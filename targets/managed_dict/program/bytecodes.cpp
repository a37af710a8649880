// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/program/bytecodes.h"

namespace targets::managed_dict {

namespace {
constexpr std::int64_t kDtypeNumber = 3;     ///< Shift of the kernel.
constexpr std::int64_t kFirstNumber = 1000;  ///< First of the new numbers; shared ones are below.
}  // namespace

Status Bytecodes::open() {
  dtype_ = core_.objects.new_number(kDtypeNumber);
  return dtype_ != 0 ? Status::ok : Status::memory_error;
}

void Bytecodes::eval_breaker() {
  core_.scheduler().turn({});
  if (core_.scheduler().picker().pick(harness::Site::collect, 2) != 0) core_.collector.collect();
}

Status Bytecodes::store(Function in, Address object, Attribute attribute, Address value) {
  Objects& objects = core_.objects;
  if (value == 0) return Status::memory_error;
  const Class of = core_.attributes.type_of(object).of;
  const std::int64_t number = value == object ? 0 : objects.number(value).value_or(0);
  const Status status = core_.jit.store_attr(in, site_of(of, attribute), object, attribute, value);
  if (status == Status::ok)
    core_.program_observer().attribute_set({object, attribute, value, number});
  objects.decref(value);
  return status;
}

Address Bytecodes::load(Function in, Address object, Attribute attribute) {
  const Class of = core_.attributes.type_of(object).of;
  const Address value = core_.jit.load_attr(in, site_of(of, attribute), object, attribute);
  core_.code_observer().attribute_read(object, attribute, value);
  return value;
}

Address Bytecodes::load_type_attr(Function in, Class of) {
  const Address value = core_.jit.load_type_attr(in, of);
  core_.code_observer().class_attribute_read(of, value);
  return value;
}

// ---- values -------------------------------------------------------------------------------------

Address Bytecodes::new_number() { return core_.objects.new_number(kFirstNumber + next_number_++); }

Address Bytecodes::make_value(ValueKind kind, Address object) {
  switch (kind) {
    case ValueKind::number:
      return new_number();
    case ValueKind::boolean:
      return new_reference(core_.types.boolean(true));
    case ValueKind::shared:
      return new_reference(dtype_);
    case ValueKind::instance:
      return new_reference(object);
    case ValueKind::called_back:
    case ValueKind::finalized:
      break;  // See Guards::make().
  }
  return 0;
}

}  // namespace targets::managed_dict
