// SPDX-License-Identifier: Apache-2.0
// Judged: the path as the scenario calls it. Each call is forwarded to the path, and the witness
// judges the result.
#pragma once

#include "scenarios/argpack/witness.h"

namespace scenarios::argpack {

/// One interface of the path. Ownership: borrows the witness and the path's interface.
template <class Interface>
class Judged : public Interface {
 public:
  Judged(Witness& witness, Interface& path) : witness_(witness), path_(path) {}

 protected:
  using Status = targets::argpack::Status;

  Witness& witness_;
  Interface& path_;
};

class JudgedPrograms final : public Judged<targets::argpack::Programs> {
 public:
  using Judged::Judged;
  Status init() override { return path_.init(); }
  Status reset() override;
  Status synchronize() override;
  Status flush() override;
};

class JudgedPacks final : public Judged<targets::argpack::Packs> {
 public:
  using Judged::Judged;
  Status new_argpack(Variable into, std::uint32_t depth, std::int32_t value,
                     Variable array) override;
  Status set_scalar(Variable pack, std::uint32_t level, std::int32_t value) override;
  Status replace_nested(Variable pack, std::uint32_t level, std::int32_t value) override;
  Status set_nested(Variable pack, std::uint32_t level, Variable child) override;
  Status get_nested(Variable into, Variable pack, std::uint32_t level) override;
};

class JudgedArrays final : public Judged<targets::argpack::Arrays> {
 public:
  using Judged::Judged;
  Status new_ndarray(Variable into, std::int32_t value, bool with_gradient) override;
  Status fill(Variable array, std::int32_t value) override;
  Status set_gradient(Variable array) override;
  Status drop_gradient(Variable array) override;
  Status new_external(Variable into, targets::argpack::Storage storage,
                      std::int32_t value) override;
  Status resize_external(Variable external) override;
  Status to_numpy(Variable array) override;
};

class JudgedGlobals final : public Judged<targets::argpack::Globals> {
 public:
  using Judged::Judged;
  Status alias(Variable into, Variable from) override;
  Status drop(Variable variable) override;
  Status drop_all() override { return path_.drop_all(); }
  Kind kind(Variable variable) const override { return path_.kind(variable); }
  std::uint32_t depth(Variable variable) const override { return path_.depth(variable); }
};

class JudgedGarbage final : public Judged<targets::argpack::Garbage> {
 public:
  using Judged::Judged;
  Status make_cycle(Variable variable) override;
  Status plant(targets::argpack::FinalizerAction action, Variable victim,
               std::int32_t value) override;
  Status collect(std::uint32_t generation) override;
};

class JudgedCalls final : public Judged<targets::argpack::Calls> {
 public:
  using Judged::Judged;
  Status call(const targets::argpack::Arguments& arguments) override;
};

class JudgedContexts final : public Judged<targets::argpack::Contexts> {
 public:
  using Judged::Judged;
  Status make_context(Variable into) override;
  Status set_arg_argpack(Variable context, Variable pack) override;
  Status set_arg_ndarray(Variable context, Variable array) override;
  Status set_arg_ndarray_with_grad(Variable context, Variable array) override;
  Status set_arg_external(Variable context, Variable external) override;
  Status set_arg_scalar(Variable context, std::int32_t value) override;
  Status compile(Variable context) override;
  Status launch(Variable context, bool returns) override;
};

/// The whole path, judged. Ownership: in the run's arena; borrows the witness and the path.
class JudgedPath {
 public:
  JudgedPath(Witness& witness, const targets::argpack::Argpack& path)
      : programs_(witness, path.programs),
        packs_(witness, path.packs),
        arrays_(witness, path.arrays),
        globals_(witness, path.globals),
        garbage_(witness, path.garbage),
        calls_(witness, path.calls),
        contexts_(witness, path.contexts) {}
  JudgedPath(const JudgedPath&) = delete;  // path() points into it.
  JudgedPath& operator=(const JudgedPath&) = delete;

  targets::argpack::Argpack path() {
    return {programs_, packs_, arrays_, globals_, garbage_, calls_, contexts_};
  }

 private:
  JudgedPrograms programs_;
  JudgedPacks packs_;
  JudgedArrays arrays_;
  JudgedGlobals globals_;
  JudgedGarbage garbage_;
  JudgedCalls calls_;
  JudgedContexts contexts_;
};

}  // namespace scenarios::argpack
