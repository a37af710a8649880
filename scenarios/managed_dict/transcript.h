// Transcript: the statements of a run, as text that a real interpreter can run
// (embedded/program.h).
//
// It stands before the path under test and passes on what it is asked. What the path refuses is no
// statement. The tasks of a run share it, so only that of a script alone can be run again.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "targets/managed_dict/managed_dict.h"

namespace scenarios::managed_dict {

class Transcript final : public targets::managed_dict::ManagedDict {
 public:
  using Attribute = targets::managed_dict::Attribute;
  using Body = targets::managed_dict::Body;
  using Class = targets::managed_dict::Class;
  using Function = targets::managed_dict::Function;
  using Status = targets::managed_dict::Status;
  using ValueKind = targets::managed_dict::ValueKind;
  using View = targets::managed_dict::View;
  using Variable = targets::managed_dict::Variable;

  /// Both outlive it.
  Transcript(ManagedDict& path, std::vector<std::string>& lines) : path_(path), lines_(lines) {}

  Status init() override { return path_.init(); }

  Status new_instance(Variable into, Class of) override {
    return told(&ManagedDict::new_instance, "new_instance", into, of);
  }
  Status del_instance(Variable variable) override {
    return told(&ManagedDict::del_instance, "del_instance", variable);
  }
  Status store_attr(Variable variable, Attribute attribute, ValueKind kind) override {
    return told(&ManagedDict::store_attr, "store_attr", variable, attribute, kind);
  }
  Status load_attr(Variable variable, Attribute attribute) override {
    return told(&ManagedDict::load_attr, "load_attr", variable, attribute);
  }
  Status delete_attr(Variable variable, Attribute attribute) override {
    return told(&ManagedDict::delete_attr, "delete_attr", variable, attribute);
  }
  Status access_dict(Variable variable) override {
    return told(&ManagedDict::access_dict, "access_dict", variable);
  }
  Status replace_dict(Variable variable) override {
    return told(&ManagedDict::replace_dict, "replace_dict", variable);
  }
  Status delete_dict(Variable variable) override {
    return told(&ManagedDict::delete_dict, "delete_dict", variable);
  }
  Status set_class(Variable variable, Class to) override {
    return told(&ManagedDict::set_class, "set_class", variable, to);
  }
  Status set_type_attr(Class of) override {
    return told(&ManagedDict::set_type_attr, "set_type_attr", of);
  }
  Status subclass(Class of) override { return told(&ManagedDict::subclass, "subclass", of); }
  Status collect() override { return told(&ManagedDict::collect, "collect"); }
  Status hold_noise(std::uint32_t bytes) override {
    return told(&ManagedDict::hold_noise, "hold_noise", bytes);
  }
  Status drop_noise() override { return told(&ManagedDict::drop_noise, "drop_noise"); }
  Status with_block(std::uint32_t depth, Body body) override {
    return told(&ManagedDict::with_block, "with_block", depth, body);
  }
  Status launch(Variable variable) override {
    return told(&ManagedDict::launch, "launch", variable);
  }

  // Of the model's JIT alone.
  Status force_compile(Function function) override { return path_.force_compile(function); }
  Status deopt(Function function) override { return path_.deopt(function); }
  Status compile_step() override { return path_.compile_step(); }

  bool is_defined(Variable variable) const override { return path_.is_defined(variable); }
  Class class_of(Variable variable) const override { return path_.class_of(variable); }
  std::uint32_t noise_count() const override { return path_.noise_count(); }
  targets::managed_dict::Version layout() const override { return path_.layout(); }
  const targets::managed_dict::HeapView& heap() const override { return path_.heap(); }
  View view(Variable variable) override { return path_.view(variable); }
  View held_view() override { return path_.held_view(); }
  std::uint64_t class_references() override { return path_.class_references(); }
  std::uint32_t class_version(Class of) override { return path_.class_version(of); }
  bool clear_up() override {
    lines_.emplace_back("clear_up");
    return path_.clear_up();
  }

 private:
  /// Told before it is done, since it may not return.
  template <class... Arguments>
  Status told(Status (ManagedDict::*method)(Arguments...), const char* name,
              std::type_identity_t<Arguments>... arguments) {
    std::string line = name;
    ((line += fmt::format(" {}", static_cast<std::uint32_t>(arguments))), ...);
    lines_.push_back(std::move(line));
    const std::size_t place = lines_.size();
    const Status status = (path_.*method)(arguments...);
    if (status != Status::ok && lines_.size() == place) lines_.pop_back();
    return status;
  }

  ManagedDict& path_;
  std::vector<std::string>& lines_;
};

}  // namespace scenarios::managed_dict
