// Builders: a graph by stream capture. What is launched into a capture keeps nothing: neither the
// kernel nor its arguments, in any generation.
#include "targets/graph_argument/script.h"

namespace targets::graph_argument {

using harness::Ref;

Status Script::own_capture(BuilderBox& box) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUgraph graph = nullptr;
  if (cuStreamGetCaptureInfo(box.stream, &status, nullptr, &graph, nullptr, nullptr, nullptr) !=
          CUDA_SUCCESS ||
      graph == nullptr)
    return Status::driver_error;
  box.graph =
      Shared<GraphBox>::make(core_.arena, core_, graph, box.id, Shared<GraphBox>(), nullptr);
  return Status::ok;
}

Status Script::begin_building(Variable into) {
  const Op op(core_);
  Ref made;
  const Status status = c_call("begin_building", [&] {
    CUstream stream = nullptr;
    if (cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
      return Status::driver_error;
    tell(&Observer::bound);
    auto box = Shared<BuilderBox>::make(core_.arena, core_, stream, core_.facts.make_graph());
    if (cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED) != CUDA_SUCCESS)
      return Status::driver_error;
    box->capturing = true;
    if (policy_.owns_while_capturing())
      if (const Status owned = own_capture(*box); owned != Status::ok) return owned;
    made = make(kBuilderType, BuilderPayload{std::move(box)});
    return Status::ok;
  });
  return keep(into, status, std::move(made));
}

Status Script::launch_captured(Variable variable, Variable module_variable,
                               Variable buffer_variable) {
  const Op op(core_);
  Ref builder, module, buffer;
  const Status status = load_all({{variable, kBuilderType, builder},
                                  {module_variable, kModuleType, module},
                                  {buffer_variable, kBufferType, buffer}});
  if (status != Status::ok) return status;
  return c_call("launch", [&] {
    const Shared<BuilderBox> box = builder->payload<BuilderPayload>().box;
    const Shared<ModuleBox> code = module->payload<ModulePayload>().module;
    KernelCall call;
    if (const Status prepared = prepare_call(code, Work::captured, buffer, buffer, call);
        prepared != Status::ok)
      return prepared;
    if (!box->capturing) return Status::closed;  // After what may have ended it.
    if (cuLaunchKernel(reinterpret_cast<CUfunction>(call.params.kern), kBlockCount, 1, 1,
                       kBlockThreads, 1, 1, 0, box->stream, call.params.kernelParams,
                       nullptr) != CUDA_SUCCESS)
      return Status::driver_error;
    core_.facts.add_node(box->id,
                         {.work = Work::captured, .things = call.things, .helper = code->thing});
    tell(&Observer::bound);
    return Status::ok;
  });
}

Status Script::end_building(Variable variable) {
  const Op op(core_);
  Ref builder;
  if (const Status status = load(variable, kBuilderType, builder); status != Status::ok)
    return status;
  return c_call("end_building", [&] {
    const Shared<BuilderBox> box = builder->payload<BuilderPayload>().box;
    if (!box->capturing) return Status::closed;
    const Status ended = box->end();
    if (ended == Status::ok) tell(&Observer::bound);
    return ended;
  });
}

bool Script::is_capturing(Variable variable) const {
  return kind(variable) == Kind::builder &&
         variables_[variable]->payload<BuilderPayload>().box->capturing;
}

Status Script::complete(Variable into, Variable variable) {
  const Op op(core_);
  Ref builder, made;
  if (const Status status = load(variable, kBuilderType, builder); status != Status::ok)
    return status;
  const Status status = c_call("complete", [&] {
    const Shared<BuilderBox> box = builder->payload<BuilderPayload>().box;
    return box->ended ? instantiate_now(box->graph, made) : Status::closed;
  });
  return keep(into, status, std::move(made));
}

}  // namespace targets::graph_argument
