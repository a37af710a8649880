// SPDX-License-Identifier: Apache-2.0
// Builders: a graph by stream capture. A launch into a capture keeps neither the kernel nor its
// arguments alive, in any version of cuda.core.
#include "targets/graph_argument/script/builders.h"

#include "targets/graph_argument/script/kernel_call.h"

namespace targets::graph_argument {

using harness::Ref;

static Status own_capture(BuilderBox& box) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUgraph graph = nullptr;
  if (cuStreamGetCaptureInfo(box.stream, &status, nullptr, &graph, nullptr, nullptr, nullptr) !=
          CUDA_SUCCESS ||
      graph == nullptr)
    return Status::driver_error;
  box.graph =
      Shared<GraphBox>::make(box.core.arena, box.core, graph, box.id, Shared<GraphBox>(), nullptr);
  return Status::ok;
}

Status ScriptBuilders::begin_building(Variable into) {
  const Method method(core_);
  Ref made;
  const Status status = frame_.c_call("begin_building", [&] {
    CUstream stream = nullptr;
    if (cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
      return Status::driver_error;
    frame_.tell(&Observer::bound);
    auto box = Shared<BuilderBox>::make(core_.arena, core_, stream, core_.facts.make_graph());
    if (cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED) != CUDA_SUCCESS)
      return Status::driver_error;
    box->capturing = true;
    if (core_.policy->captured() == Captured::owned_at_once)
      if (const Status owned = own_capture(*box); owned != Status::ok) return owned;
    made = frame_.make(kBuilderType, BuilderPayload{std::move(box)});
    return Status::ok;
  });
  return frame_.keep(into, status, std::move(made));
}

Status ScriptBuilders::launch_captured(Variable variable, Variable module_variable,
                                       Variable buffer_variable) {
  const Method method(core_);
  Ref builder, module, buffer;
  const Status status = frame_.load_all({{variable, kBuilderType, builder},
                                         {module_variable, kModuleType, module},
                                         {buffer_variable, kBufferType, buffer}});
  if (status != Status::ok) return status;
  return frame_.c_call("launch", [&] {
    const Shared<BuilderBox> box = builder->payload<BuilderPayload>().box;
    const Shared<ModuleBox> code = module->payload<ModulePayload>().module;
    KernelCall call;
    if (const Status prepared = prepare_call(code, Work::captured, buffer, buffer, call);
        prepared != Status::ok)
      return prepared;
    if (!box->capturing) return Status::closed;  // prepare_call() may have ended it.
    if (cuLaunchKernel(reinterpret_cast<CUfunction>(call.params.kern), kBlockCount, 1, 1,
                       kBlockThreads, 1, 1, 0, box->stream, call.params.kernelParams,
                       nullptr) != CUDA_SUCCESS)
      return Status::driver_error;
    core_.facts.add_node(box->id,
                         {.work = Work::captured, .things = call.things, .helper = code->thing});
    frame_.tell(&Observer::bound);
    return Status::ok;
  });
}

Status ScriptBuilders::end_building(Variable variable) {
  const Method method(core_);
  Ref builder;
  if (const Status status = frame_.load(variable, kBuilderType, builder); status != Status::ok)
    return status;
  return frame_.c_call("end_building", [&] {
    const Shared<BuilderBox> box = builder->payload<BuilderPayload>().box;
    if (!box->capturing) return Status::closed;
    const Status ended = box->end();
    if (ended == Status::ok) frame_.tell(&Observer::bound);
    return ended;
  });
}

Status ScriptBuilders::complete(Variable into, Variable variable) {
  const Method method(core_);
  Ref builder, made;
  if (const Status status = frame_.load(variable, kBuilderType, builder); status != Status::ok)
    return status;
  const Status status = frame_.c_call("complete", [&] {
    const Shared<BuilderBox> box = builder->payload<BuilderPayload>().box;
    return box->ended ? instantiate_graph(box->graph, made) : Status::closed;
  });
  return frame_.keep(into, status, std::move(made));
}

}  // namespace targets::graph_argument
