// SPDX-License-Identifier: Apache-2.0
#include "targets/argpack/script/arrays.h"

namespace targets::argpack {

using harness::Label;
using harness::Ref;

Status ScriptArrays::make_array(std::int32_t value, Ref& made) {
  step("ScalarNdarray.__init__");
  const ThingId thing = core_.facts.made(Kind::ndarray, value);
  made = core_.runtime.heap.make<ArrayPayload>(kArrayType, ArrayPayload{this, thing, 0, {}});
  return c_call("create_ndarray", [&](Program& program) {
    ArrayPayload& payload = made->payload<ArrayPayload>();
    payload.generation = program.generation();
    const Status status = program.create_ndarray(value, payload.ndarray);
    if (status == Status::ok)
      core_.facts.tell(&Observer::built, thing, payload.ndarray.birth(), payload.generation);
    return status;
  });
}

void ScriptArrays::finalize(ArrayPayload& payload) {
  core_.facts.tell(&Observer::ended, payload.thing);
  const std::uint32_t now = generation_now();
  if (now == 0 || !payload.ndarray) return;
  const Label site = kDeleteNdarray.by(payload.generation != now);
  c_call(site, [&](Program& program) {
    program.delete_ndarray(payload.ndarray, payload.generation);
    return Status::ok;
  });
}

Status ScriptArrays::new_ndarray(Variable into, std::int32_t value, bool with_gradient) {
  const Op op(core_);
  Ref array;
  Status status = make_array(value, array);
  if (status != Status::ok) return status;
  if (with_gradient) {
    Ref gradient;
    status = make_array(0, gradient);
    if (status == Status::ok) status = set_grad(array, gradient);
  }
  if (status == Status::ok) globals_.store(into, std::move(array));
  return status;
}

Status ScriptArrays::fill(Variable variable, std::int32_t value) {
  const Op op(core_);
  Ref array;
  if (const Status status = globals_.load(variable, kArrayType, array); status != Status::ok)
    return status;
  ArrayPayload& payload = array->payload<ArrayPayload>();
  const ThingId thing = payload.thing;
  core_.facts.tell(&Observer::assigned, thing, value);
  return c_call(kFill, [&](Program& program) {
    if (const Status admitted = admit(payload, program); admitted != Status::ok) return admitted;
    const Status status = program.fill(payload.ndarray, value);
    if (status == Status::ok) core_.facts.tell(&Observer::written, thing, value);
    return status;
  });
}

Status ScriptArrays::set_grad(const Ref& array, const Ref& gradient) {
  step("STORE_ATTR");
  const ThingId value = gradient ? thing_of(*gradient) : ThingId::none;
  const Ref old = array->exchange("grad", gradient);
  core_.facts.tell(&Observer::attached, array->payload<ArrayPayload>().thing, 1, value);
  return Status::ok;
}

Status ScriptArrays::set_gradient(Variable variable) {
  const Op op(core_);
  Ref array;
  if (const Status status = globals_.load(variable, kArrayType, array); status != Status::ok)
    return status;
  Ref gradient;
  const Status status = make_array(0, gradient);
  return status == Status::ok ? set_grad(array, gradient) : status;
}

Status ScriptArrays::drop_gradient(Variable variable) {
  const Op op(core_);
  Ref array;
  const Status status = globals_.load(variable, kArrayType, array);
  return status == Status::ok ? set_grad(array, Ref()) : status;
}

Status ScriptArrays::read_array(Program& program, const Ref& array) {
  const ArrayPayload& payload = array->payload<ArrayPayload>();
  if (const Status admitted = admit(payload, program); admitted != Status::ok) return admitted;
  std::array<std::int32_t, kArrayWords> words;
  const Status status = program.read(payload.ndarray, words);
  if (status == Status::ok) core_.facts.tell(&Observer::contents, payload.thing, words);
  return status;
}

Status ScriptArrays::to_numpy(Variable variable) {
  const Op op(core_);
  Ref array;
  if (const Status status = globals_.load(variable, array); status != Status::ok) return status;
  if (&array->type() == &kExternalType)
    return c_call("numpy", [&](Program& program) {
      return externals_.read(program, array->payload<ExternalPayload>());
    });
  if (&array->type() != &kArrayType) return Status::type_error;
  const Ref gradient = array->get("grad");
  return c_call(kToNumpy, [&](Program& program) {
    const Status status = read_array(program, array);
    return status == Status::ok && gradient ? read_array(program, gradient) : status;
  });
}

}  // namespace targets::argpack
