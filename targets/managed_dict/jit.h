// SPDX-License-Identifier: Apache-2.0
// Jit: selects the functions to compile, and implements compiled attribute access.
//
// A function is compiled once it has been called often enough, or on request; with a compiler
// thread, when that thread gets to it. Compiled attribute access goes through a cache to the values
// or the dict; on a cache miss it calls the interpreter's functions.
#pragma once

#include "targets/managed_dict/caches.h"
#include "targets/managed_dict/managed_dict.h"

namespace targets::managed_dict {

class Jit final : public JitControl {
 public:
  explicit Jit(Core& core) : core_(core) {}

  /// Counts a call of the function. Returns whether its compiled code runs.
  bool enter(Function function);
  bool is_compiled(Function function) const { return state(function).compiled; }
  void compile(Function function);
  /// Runs the next step of the compiler thread. Returns false if there is no work.
  bool compile_queued();

  // ---- JitControl ----
  Status force_compile(Function function) override {
    compile(function);
    return Status::ok;
  }
  /// Returns the function to the interpreter, until it is compiled again.
  Status deopt(Function function) override;
  Status compile_step() override { return compile_queued() ? Status::ok : Status::name_error; }

  // ---- attributes, compiled or not ----
  Status store_attr(Function in, Site site, Address object, Attribute attribute, Address value);
  /// Returns a borrowed reference, or 0.
  Address load_attr(Function in, Site site, Address object, Attribute attribute);
  /// `_NoGrad._enabled`: returns a borrowed reference.
  Address load_type_attr(Function in, Class of);
  /// `_NoGrad._enabled = value`: modifies the type. Takes a new reference.
  void store_type_attr(const Type& type, Address value);

 private:
  struct State {
    std::uint32_t calls = 0;
    bool compiled = false;
    bool queued = false;
  };
  State& state(Function function) { return functions_[harness::raw(function)]; }
  const State& state(Function function) const { return functions_[harness::raw(function)]; }

  Status store_compiled(Site site, Address object, Attribute attribute, Address value);
  Address load_compiled(Site site, Address object, Attribute attribute);
  void note_hit(const CacheLine& line, const Type& type);

  Core& core_;
  std::array<State, kFunctionCount> functions_;
};

}  // namespace targets::managed_dict
