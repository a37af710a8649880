// SPDX-License-Identifier: Apache-2.0
#include "targets/argpack/script/contexts.h"

namespace targets::argpack {

using harness::Ref;

Status ScriptContexts::make_context(Variable into) {
  const Op op(core_);
  Ref context;
  const Status status = binder_.make_launch_context(context);
  if (status == Status::ok) globals_.store(into, std::move(context));
  return status;
}

Status ScriptContexts::load_both(Variable context_variable, Ref& context, Variable variable,
                                 const harness::TypeInfo& type, Ref& loaded) {
  const Status status = globals_.load(context_variable, kContextType, context);
  return status == Status::ok ? globals_.load(variable, type, loaded) : status;
}

Status ScriptContexts::set_arg_argpack(Variable variable, Variable pack_variable) {
  const Op op(core_);
  Ref context;
  Ref pack;
  if (const Status status = load_both(variable, context, pack_variable, kPackType, pack);
      status != Status::ok)
    return status;
  c_call("clear_args", [&](Program&) {
    binder_.unbind_packs(context_of(context));
    return Status::ok;
  });
  core_.facts.tell(&Observer::setting_began);
  const Status status = binder_.set_packs(context, pack, 0, nullptr);
  core_.facts.tell(&Observer::setting_ended);
  return status;
}

Status ScriptContexts::set_array(Variable variable, Variable array_variable, bool with_gradient) {
  const Op op(core_);
  Ref context;
  Ref array;
  const Status status = load_both(variable, context, array_variable, kArrayType, array);
  return status == Status::ok ? binder_.bind_array(context, array, with_gradient) : status;
}

Status ScriptContexts::set_arg_ndarray(Variable context, Variable array) {
  return set_array(context, array, false);
}
Status ScriptContexts::set_arg_ndarray_with_grad(Variable context, Variable array) {
  return set_array(context, array, true);
}

Status ScriptContexts::set_arg_external(Variable variable, Variable external_variable) {
  const Op op(core_);
  Ref context;
  Ref external;
  const Status status = load_both(variable, context, external_variable, kExternalType, external);
  return status == Status::ok ? binder_.bind_external(context, external) : status;
}

Status ScriptContexts::set_arg_scalar(Variable variable, std::int32_t value) {
  const Op op(core_);
  Ref context;
  const Status status = globals_.load(variable, kContextType, context);
  return status == Status::ok ? binder_.bind_scalar(context, value) : status;
}

Status ScriptContexts::compile(Variable variable) {
  const Op op(core_);
  Ref context;
  const Status status = globals_.load(variable, kContextType, context);
  return status == Status::ok ? launches_.compile(context) : status;
}

Status ScriptContexts::launch(Variable variable, bool returns) {
  const Op op(core_);
  Ref context;
  const Status status = globals_.load(variable, kContextType, context);
  return status == Status::ok ? launches_.launch(context, returns) : status;
}

}  // namespace targets::argpack
