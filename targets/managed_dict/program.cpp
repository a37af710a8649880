#include "targets/managed_dict/program.h"

#include "targets/managed_dict/viewer.h"

namespace targets::managed_dict {

using harness::SiteScope;

namespace {
constexpr std::int64_t kDtypeNumber = 3;     ///< The kernel shifts by it.
constexpr std::int64_t kFirstNumber = 1000;  ///< Numbers of their own, above those that are shared.
}  // namespace

Status Program::init() {
  dtype_ = core_.objects.new_number(kDtypeNumber);
  if (dtype_ == 0) return Status::memory_error;
  return launcher_.open() ? Status::ok : Status::driver_error;
}

View Program::view(Variable variable) { return Viewer(core_).of_instance(variables_[variable]); }
View Program::held_view() { return Viewer(core_).of_dict(held_dict_); }

std::uint64_t Program::class_references() {
  std::uint64_t sum = 0;
  for (const Type& type : core_.types.all())
    sum += core_.memory.load<std::uint64_t>(type.address + kRefcountOffset) - kTypeReferences;
  return sum;
}

std::uint32_t Program::class_version(Class of) {
  return core_.types.version(core_.types.named(of));
}

void Program::eval_breaker() {
  core_.scheduler().turn({});
  if (core_.scheduler().picker().pick(harness::Site::collect, 2) != 0) core_.collector.collect();
}

// ---- what a bytecode does -----------------------------------------------------------------------

Status Program::store(Function in, Address object, Attribute attribute, Address value) {
  Objects& objects = core_.objects;
  if (value == 0) return Status::memory_error;
  const Class of = type_of(object).of;
  const std::int64_t number = value == object ? 0 : objects.number(value).value_or(0);
  const Status status = core_.jit.store_attr(in, site_of(of, attribute), object, attribute, value);
  if (status == Status::ok)
    core_.program_witness().attribute_set({object, attribute, value, number});
  objects.decref(value);
  return status;
}

Address Program::load(Function in, Address object, Attribute attribute) {
  const Class of = type_of(object).of;
  const Address value = core_.jit.load_attr(in, site_of(of, attribute), object, attribute);
  core_.code_witness().attribute_read(object, attribute, value);
  return value;
}

Address Program::load_type_attr(Function in, Class of) {
  const Address value = core_.jit.load_type_attr(in, of);
  core_.code_witness().class_attribute_read(of, value);
  return value;
}

Address Program::make_value(ValueKind kind, Address object) {
  switch (kind) {
    case ValueKind::number:
      return core_.objects.new_number(kFirstNumber + next_number_++);
    case ValueKind::boolean:
      return new_reference(core_.types.boolean(true));
    case ValueKind::shared:
      return new_reference(dtype_);
    case ValueKind::instance:
      return new_reference(object);
  }
  return 0;
}

// ---- statements ---------------------------------------------------------------------------------

Status Program::new_instance(Variable into, Class of) {
  const Address object = make(of);
  if (object == 0) return Status::memory_error;
  if (const Address old = std::exchange(variables_[into], object)) core_.objects.decref(old);
  classes_[into] = of;
  return Status::ok;
}

Status Program::del_instance(Variable variable) {
  const Address object = std::exchange(variables_[variable], 0);
  if (object == 0) return Status::name_error;
  core_.objects.decref(object);
  return Status::ok;
}

Status Program::store_attr(Variable variable, Attribute attribute, ValueKind kind) {
  const Address object = variables_[variable];
  if (object == 0) return Status::name_error;
  core_.jit.enter(Function::script);
  return store(Function::script, object, attribute, make_value(kind, object));
}

Status Program::load_attr(Variable variable, Attribute attribute) {
  const Address object = variables_[variable];
  if (object == 0) return Status::name_error;
  core_.jit.enter(Function::script);
  return load(Function::script, object, attribute) != 0 ? Status::ok : Status::attribute_error;
}

Status Program::delete_attr(Variable variable, Attribute attribute) {
  const Address object = variables_[variable];
  if (object == 0) return Status::name_error;
  const Status status = core_.attributes.erase(object, attribute);
  if (status == Status::ok) core_.program_witness().attribute_erased(object, attribute);
  return status;
}

Status Program::access_dict(Variable variable) {
  const Address object = variables_[variable];
  if (object == 0) return Status::name_error;
  const Address dict = core_.attributes.materialise(object);
  if (dict == 0) return Status::memory_error;
  core_.objects.incref(dict);
  core_.objects.xdecref(std::exchange(held_dict_, dict));
  return Status::ok;
}

Status Program::replace_dict(Variable variable) {
  const Address object = variables_[variable];
  if (object == 0) return Status::name_error;
  const Address dict = core_.dicts.make(nullptr, 0, 0);
  if (dict == 0) return Status::memory_error;
  const Status status = core_.attributes.replace_dict(object, dict);
  if (status != Status::ok) core_.objects.decref(dict);
  if (status == Status::ok) core_.program_witness().attributes_cleared(object);
  return status;
}

Status Program::delete_dict(Variable variable) {
  const Address object = variables_[variable];
  if (object == 0) return Status::name_error;
  const Status status = core_.attributes.replace_dict(object, 0);
  if (status == Status::ok) core_.program_witness().attributes_cleared(object);
  return status;
}

Status Program::set_class(Variable variable, Class to) {
  const Address object = variables_[variable];
  if (object == 0) return Status::name_error;
  const Status status = core_.attributes.set_class(object, core_.types.named(to));
  if (status == Status::ok) classes_[variable] = to;
  return status;
}

Status Program::set_type_attr(Class of) {
  const Address value = core_.objects.new_number(kFirstNumber + next_number_++);
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

Status Program::hold_noise(std::uint32_t bytes) {
  const SiteScope site(core_.scheduler(), "PyMem_Malloc");
  const Address block = core_.allocator.malloc(bytes, BlockKind::noise);
  if (block == 0) return Status::memory_error;
  noise_.push_back(block);
  return Status::ok;
}

Status Program::drop_noise() {
  if (noise_.empty()) return Status::name_error;
  const SiteScope site(core_.scheduler(), "PyMem_Free");
  core_.allocator.free(noise_.back());
  noise_.pop_back();
  return Status::ok;
}

// ---- the JIT ------------------------------------------------------------------------------------

Status Program::force_compile(Function function) {
  core_.jit.compile(function);
  return Status::ok;
}

Status Program::deopt(Function function) {
  core_.jit.deopt(function);
  return Status::ok;
}

Status Program::compile_step() {
  return core_.jit.compile_queued() ? Status::ok : Status::name_error;
}

bool Program::clear_up() {
  for (Variable variable = 0; variable < kVariableCount; ++variable) del_instance(variable);
  core_.objects.xdecref(std::exchange(held_dict_, 0));
  while (drop_noise() == Status::ok) {
  }
  for (const Type& type : core_.types.all())
    core_.jit.store_type_attr(type, core_.types.boolean(true));
  core_.collector.collect();
  core_.code_witness().dropped_all();
  core_.objects.decref(std::exchange(dtype_, 0));
  if (Observer* observer = core_.memory.observer()) observer->ended(core_.memory.counters());
  return launcher_.close();
}

}  // namespace targets::managed_dict
