// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/program/program.h"

namespace targets::managed_dict {

Status Program::open() {
  if (const Status status = code_.open(); status != Status::ok) return status;
  return workload_.open() ? Status::ok : Status::driver_error;
}

// ---- statements ---------------------------------------------------------------------------------

Status Program::new_instance(Variable into, Class of) {
  const Address object = workload_.make(of);
  if (object == 0) return Status::memory_error;
  if (const Address old = std::exchange(variables_.objects[into], object))
    core_.objects.decref(old);
  variables_.classes[into] = of;
  return Status::ok;
}

Status Program::del_instance(Variable variable) {
  const Address object = std::exchange(variables_.objects[variable], 0);
  if (object == 0) return Status::name_error;
  core_.objects.decref(object);
  return Status::ok;
}

Status Program::store_attr(Variable variable, Attribute attribute, ValueKind kind) {
  const Address object = variables_.objects[variable];
  if (object == 0) return Status::name_error;
  core_.jit.enter(Function::script);
  const Address value = Guards::is_one(kind) ? guards_.make(kind, variable, attribute)
                                             : code_.make_value(kind, object);
  return code_.store(Function::script, object, attribute, value);
}

Status Program::load_attr(Variable variable, Attribute attribute) {
  const Address object = variables_.objects[variable];
  if (object == 0) return Status::name_error;
  core_.jit.enter(Function::script);
  return code_.load(Function::script, object, attribute) != 0 ? Status::ok
                                                              : Status::attribute_error;
}

Status Program::delete_attr(Variable variable, Attribute attribute) {
  const Address object = variables_.objects[variable];
  if (object == 0) return Status::name_error;
  const Status status = core_.attributes.erase(object, attribute);
  if (status == Status::ok) core_.program_observer().attribute_erased(object, attribute);
  return status;
}

Status Program::access_dict(Variable variable) {
  const Address object = variables_.objects[variable];
  if (object == 0) return Status::name_error;
  const Address dict = core_.attributes.materialise(object);
  if (dict == 0) return Status::memory_error;
  core_.objects.incref(dict);
  core_.objects.xdecref(std::exchange(variables_.held_dict, dict));
  return Status::ok;
}

Status Program::replace_dict(Variable variable) {
  const Address object = variables_.objects[variable];
  if (object == 0) return Status::name_error;
  const Address dict = core_.dicts.make(nullptr, 0, 0);
  if (dict == 0) return Status::memory_error;
  const Status status = core_.attributes.replace_dict(object, dict);
  if (status != Status::ok) core_.objects.decref(dict);
  if (status == Status::ok) core_.program_observer().attributes_cleared(object);
  return status;
}

Status Program::delete_dict(Variable variable) {
  const Address object = variables_.objects[variable];
  if (object == 0) return Status::name_error;
  const Status status = core_.attributes.replace_dict(object, 0);
  if (status == Status::ok) core_.program_observer().attributes_cleared(object);
  return status;
}

Status Program::set_class(Variable variable, Class to) {
  const Address object = variables_.objects[variable];
  if (object == 0) return Status::name_error;
  const Status status = core_.attributes.set_class(object, core_.types.named(to));
  if (status == Status::ok) variables_.classes[variable] = to;
  return status;
}

Status Program::set_type_attr(Class of) {
  const Address value = code_.new_number();
  if (value == 0) return Status::memory_error;
  core_.jit.store_type_attr(core_.types.named(of), value);
  core_.objects.decref(value);
  return Status::ok;
}

Status Program::subclass(Class of) {
  if (core_.types.is_subclassed(of)) return Status::type_error;
  core_.types.subclass(of);
  return Status::ok;
}

Status Program::collect() {
  core_.collector.collect();
  return Status::ok;
}

Status Program::launch(Variable variable) {
  const Address object = variables_.objects[variable];
  if (object == 0) return Status::name_error;
  core_.jit.enter(Function::script);
  return workload_.launch(Function::script, object, variables_.classes[variable]);
}

bool Program::clear_up() {
  for (Variable variable = 0; variable < kVariableCount; ++variable) del_instance(variable);
  core_.objects.xdecref(std::exchange(variables_.held_dict, 0));
  while (drop_noise() == Status::ok) {
  }
  for (const Type& type : core_.types.all())
    core_.jit.store_type_attr(type, core_.types.boolean(true));
  core_.collector.collect();
  core_.code_observer().dropped_all();
  code_.close();
  if (MemoryObserver* observer = core_.memory.memory_observer())
    observer->ended(core_.memory.counters());
  return workload_.close();
}

}  // namespace targets::managed_dict
