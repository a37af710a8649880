// SPDX-License-Identifier: Apache-2.0
// Transcript: the statements of a run, as text that a real interpreter can run
// (tests/embedded/program.h).
//
// It intercepts the path's statements (Detour) and forwards them. A statement that the path
// refuses is left out. All tasks of a run share it, so it can be repeated only if the script ran
// alone.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "targets/managed_dict/managed_dict.h"

namespace scenarios::managed_dict {

/// Ownership: in the run's arena; borrows the statements and the lines.
class Transcript final : public targets::managed_dict::Statements {
 public:
  using Attribute = targets::managed_dict::Attribute;
  using Body = targets::managed_dict::Body;
  using Class = targets::managed_dict::Class;
  using Status = targets::managed_dict::Status;
  using ValueKind = targets::managed_dict::ValueKind;
  using Variable = targets::managed_dict::Variable;

  /// `path` and `lines` must outlive it.
  Transcript(Statements& path, std::vector<std::string>& lines) : path_(path), lines_(lines) {}

  Status new_instance(Variable into, Class of) override {
    return told(&Statements::new_instance, "new_instance", into, of);
  }
  Status del_instance(Variable variable) override {
    return told(&Statements::del_instance, "del_instance", variable);
  }
  Status store_attr(Variable variable, Attribute attribute, ValueKind kind) override {
    return told(&Statements::store_attr, "store_attr", variable, attribute, kind);
  }
  Status load_attr(Variable variable, Attribute attribute) override {
    return told(&Statements::load_attr, "load_attr", variable, attribute);
  }
  Status delete_attr(Variable variable, Attribute attribute) override {
    return told(&Statements::delete_attr, "delete_attr", variable, attribute);
  }
  Status access_dict(Variable variable) override {
    return told(&Statements::access_dict, "access_dict", variable);
  }
  Status replace_dict(Variable variable) override {
    return told(&Statements::replace_dict, "replace_dict", variable);
  }
  Status delete_dict(Variable variable) override {
    return told(&Statements::delete_dict, "delete_dict", variable);
  }
  Status set_class(Variable variable, Class to) override {
    return told(&Statements::set_class, "set_class", variable, to);
  }
  Status set_type_attr(Class of) override {
    return told(&Statements::set_type_attr, "set_type_attr", of);
  }
  Status subclass(Class of) override { return told(&Statements::subclass, "subclass", of); }
  Status collect() override { return told(&Statements::collect, "collect"); }
  Status hold_noise(std::uint32_t bytes) override {
    return told(&Statements::hold_noise, "hold_noise", bytes);
  }
  Status drop_noise() override { return told(&Statements::drop_noise, "drop_noise"); }
  Status with_block(std::uint32_t depth, Body body) override {
    return told(&Statements::with_block, "with_block", depth, body);
  }
  Status launch(Variable variable) override {
    return told(&Statements::launch, "launch", variable);
  }

  bool clear_up() override {
    lines_.emplace_back("clear_up");
    return path_.clear_up();
  }

 private:
  /// Adds the line first, because the statement may not return.
  template <class... Arguments>
  Status told(Status (Statements::*method)(Arguments...), const char* name,
              std::type_identity_t<Arguments>... arguments) {
    std::string line = name;
    ((line += fmt::format(" {}", static_cast<std::uint32_t>(arguments))), ...);
    lines_.push_back(std::move(line));
    const std::size_t place = lines_.size();
    const Status status = (path_.*method)(arguments...);
    if (status != Status::ok && lines_.size() == place) lines_.pop_back();
    return status;
  }

  Statements& path_;
  std::vector<std::string>& lines_;
};

}  // namespace scenarios::managed_dict
