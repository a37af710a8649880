// Program: the script's statements and the workload, run by the modelled interpreter.
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/managed_dict/core.h"
#include "targets/managed_dict/launcher.h"

namespace targets::managed_dict {

/// Ownership: lives in the run's arena, as its core does.
class Program final : public ManagedDict {
 public:
  explicit Program(Core& core) : core_(core), launcher_(core.runtime) {}

  Status init() override;

  Status new_instance(Variable into, Class of) override;
  Status del_instance(Variable variable) override;
  Status store_attr(Variable variable, Attribute attribute, ValueKind kind) override;
  Status load_attr(Variable variable, Attribute attribute) override;
  Status delete_attr(Variable variable, Attribute attribute) override;
  Status access_dict(Variable variable) override;
  Status replace_dict(Variable variable) override;
  Status delete_dict(Variable variable) override;
  Status set_class(Variable variable, Class to) override;
  Status set_type_attr(Class of) override;
  Status subclass(Class of) override;
  Status collect() override;
  Status hold_noise(std::uint32_t bytes) override;
  Status drop_noise() override;

  Status with_block(std::uint32_t depth, Body body) override;
  Status launch(Variable variable) override;

  Status force_compile(Function function) override;
  Status deopt(Function function) override;
  Status compile_step() override;

  bool is_defined(Variable variable) const override { return variables_[variable] != 0; }
  Class class_of(Variable variable) const override { return classes_[variable]; }
  std::uint32_t noise_count() const override { return static_cast<std::uint32_t>(noise_.size()); }
  Version layout() const override { return core_.setup.version; }
  const HeapView& heap() const override { return core_.view; }
  View view(Variable variable) override;
  View held_view() override;
  std::uint64_t class_references() override;
  std::uint32_t class_version(Class of) override;
  bool clear_up() override;

 private:
  // Attributes of the workload's classes, in the order of their methods.
  static constexpr Attribute kPrev = 0;  ///< _NoGrad
  static constexpr Attribute kEnabled = 0;
  static constexpr Attribute kDtype = 1;
  static constexpr Attribute kScale = 2;
  static constexpr Attribute kAutocastPrev = 3;
  static constexpr Attribute kName = 0;  ///< _ProfileScope
  static constexpr Attribute kStart = 1;

  // ---- workload.cpp ----
  Address make(Class of);
  Status initialise(Address object, Class of);
  Status enter(Address object, Class of);
  Status exit(Address object, Class of);
  Status launch_with(Function in, Address object, Class of);
  bool argument(Function in, Address object, Attribute attribute, std::int32_t& passed);

  // ---- what a bytecode does ----
  /// Between bytecodes the GIL may change hands, and the collector may run.
  void eval_breaker();
  /// Stores, and gives up the caller's reference to `value`.
  Status store(Function in, Address object, Attribute attribute, Address value);
  Address load(Function in, Address object, Attribute attribute);
  Address load_type_attr(Function in, Class of);
  /// A new reference to a value of that kind, or 0.
  Address make_value(ValueKind kind, Address object);
  Address new_reference(Address object) {
    core_.objects.incref(object);
    return object;
  }
  Type& type_of(Address object) { return core_.attributes.type_of(object); }

  Core& core_;
  Launcher launcher_;
  std::array<Address, kVariableCount> variables_{};
  std::array<Class, kVariableCount> classes_{};
  std::pmr::vector<Address> noise_;
  Address held_dict_ = 0;  ///< What vars() returned last.
  Address dtype_ = 0;      ///< One object that all _Autocast share.
  std::uint32_t next_number_ = 0;
};

}  // namespace targets::managed_dict
