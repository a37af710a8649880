// Script: the Python side. Each method is a list of steps, named after bytecodes and C calls; other
// tasks may run between any two of them.
#pragma once

#include "targets/argpack/policy.h"
#include "targets/argpack/wrappers.h"

namespace targets::argpack {

/// Ownership: holds the script's globals; the heap owns what they refer to. Never destroyed.
class Script final : public Argpack {
 public:
  Script(Core& core, Policy& policy) : core_(core), policy_(policy) { core.policy = &policy; }

  Status init() override;
  Status reset() override;
  Status synchronize() override;
  Status flush() override;

  Status new_argpack(Variable into, std::uint32_t depth, std::int32_t value,
                     Variable array) override;
  Status set_scalar(Variable pack, std::uint32_t level, std::int32_t value) override;
  Status replace_nested(Variable pack, std::uint32_t level, std::int32_t value) override;
  Status set_nested(Variable pack, std::uint32_t level, Variable child) override;
  Status get_nested(Variable into, Variable pack, std::uint32_t level) override;

  Status new_ndarray(Variable into, std::int32_t value, bool with_gradient) override;
  Status fill(Variable array, std::int32_t value) override;
  Status set_gradient(Variable array) override;
  Status drop_gradient(Variable array) override;
  Status new_external(Variable into, Storage storage, std::int32_t value) override;
  Status resize_external(Variable external) override;
  Status to_numpy(Variable array) override;

  Status alias(Variable into, Variable from) override;
  Status drop(Variable variable) override;
  Status make_cycle(Variable variable) override;
  Status plant(Mischief mischief, Variable victim, std::int32_t value) override;
  Status collect(std::uint32_t generation) override;
  Kind kind(Variable variable) const override;
  std::uint32_t depth(Variable variable) const override;

  Status call(const Arguments& arguments) override;
  Status make_context(Variable into) override;
  Status set_arg_argpack(Variable context, Variable pack) override;
  Status set_arg_ndarray(Variable context, Variable array) override;
  Status set_arg_ndarray_with_grad(Variable context, Variable array) override;
  Status set_arg_external(Variable context, Variable external) override;
  Status set_arg_scalar(Variable context, std::int32_t value) override;
  Status compile(Variable context) override;
  Status launch(Variable context, bool returns) override;

  Status drop_all() override;
  harness::Interpreter& interpreter() override { return core_.interpreter; }

  // ---- what wrappers do when they die ----
  void finalize(PackPayload& payload);
  void finalize(ArrayPayload& payload);
  void finalize(const TrapPayload& payload);
  void deallocate(ExternalPayload& payload);
  void deallocate(ContextPayload& payload);
  void deallocate(CyclePayload& payload);

 private:
  using Ref = harness::Ref;

  /// A method runs: on a Python thread, with CUDA's context current.
  class Op {
   public:
    explicit Op(Core& core) : attach_(core.interpreter), objects_(core.objects) {
      objects_.pass();
      core.driver.make_current();
      objects_.pass();
    }
    ~Op() { objects_.pass(); }
    Op(const Op&) = delete;
    Op& operator=(const Op&) = delete;

   private:
    harness::AttachScope attach_;
    ObjectLocks& objects_;
  };

  // ---- script.cpp ----
  /// Of the program of now; 0 where there is none.
  std::uint32_t generation_now();
  void step(harness::Label bytecode) {
    core_.objects.pass();
    core_.interpreter.step(bytecode);
    core_.objects.pass();
  }
  /// A C call: `function` gets the program of now, which stays for as long as the call.
  template <class Function>
  Status c_call(harness::Label name, Function function);
  Status load(Variable variable, const harness::TypeInfo& type, Ref& loaded);
  void store(Variable variable, Ref value);
  void tell_dropped(ThingId thing);
  Status reset_now();
  Status start_program();
  void mischief(const TrapPayload& trap);

  // ---- script_packs.cpp ----
  Status load_pack(Variable variable, std::uint32_t level, Ref& pack);
  Status construct(std::uint32_t depth, std::int32_t value, const Ref& array, Ref& made);
  Status cast(const Ref& pack, Ref& made);
  Status make_pack(std::uint32_t depth, std::int32_t value, const Ref& child, const Ref& array,
                   Ref& made);
  Status set_item(const Ref& parent, const Ref& child);
  Status replace(const Ref& parent, std::int32_t value);
  CUdeviceptr host_address(const Ref& pack) const;

  // ---- script_arrays.cpp ----
  Status make_array(std::int32_t value, Ref& made);
  Status set_grad(const Ref& array, const Ref& gradient);
  Status allocate(ExternalPayload& payload, External& made);
  void free(External& external);
  void tell_storage(const ExternalPayload& payload);
  Status resize(ExternalPayload& payload);
  Status read_array(Program& program, const Ref& array);
  Status read_external(Program& program, const ExternalPayload& payload);

  // ---- script_launch.cpp ----
  Status launch_kernel(harness::Object& arguments, const Arguments& from);
  Status set_args(const Ref& context, harness::Object& arguments, harness::Object& tmps,
                  harness::Object& set_later);
  Status set_packs(const Ref& context, const Ref& pack, std::uint32_t level, harness::Object* tmps);
  Status compile_now(const Ref& context);
  Status launch_now(const Ref& context, bool returns);
  Status wait_for_result(const Ref& context);
  Status set_array(Variable context, Variable array, bool with_gradient);

  // ---- script_bind.cpp ----
  Status make_launch_context(Ref& made);
  Status bind(const Ref& context, const Ref& pack, std::uint32_t level);
  Status bind_array(const Ref& context, const Ref& array, bool with_gradient);
  Status bind_external(const Ref& context, const Ref& external);
  Status bind_one(LaunchContext& context, ArrayArgument& argument, harness::Object& array);
  void unbind_packs(LaunchContext& context);
  void unbind(LaunchContext& context, ArrayArgument& argument);

  Core& core_;
  Policy& policy_;
  std::uint32_t generation_ = 0;
  bool over_ = false;              ///< drop_all() has been called.
  bool user_stream_used_ = false;  ///< For memory of the user's own.
  std::array<Ref, kVariableCount> variables_;
};

template <class Function>
Status Script::c_call(harness::Label name, Function function) {
  core_.objects.pass();
  return core_.interpreter.c_call(name, [&] {
    const CCall call(core_);
    return core_.program != nullptr ? function(*core_.program) : Status::no_program;
  });
}

}  // namespace targets::argpack
