// SPDX-License-Identifier: Apache-2.0
#include "targets/argpack/own.h"

#include "targets/argpack/gfx_runtime.h"

namespace targets::argpack {

// ---- binding ------------------------------------------------------------------------------------

Status Own::admit(const LaunchContext& context, const Program& program) {
  if (context.generation != program.generation() || program.is_finalized())
    return Status::context_invalid;
  return context.launched ? Status::context_spent : Status::ok;
}

bool Own::is_current(const LaunchContext& context) const {
  return core_.program != nullptr && core_.program->generation() == context.generation;
}

void Own::bound(LaunchContext&, PackArgument& argument) { argument.pack->holders().add(); }
void Own::bound(LaunchContext&, ArrayArgument& argument) { argument.array->holders().add(); }

void Own::bound(LaunchContext& context, ExternalArgument&, const harness::Ref& wrapper) {
  context.exported = wrapper;
  ++wrapper->payload<ExternalPayload>().external.export_count;
}

// After a reset, only objects that the program does not own need to be released.
void Own::unbound(LaunchContext& context, PackArgument& argument) {
  if (is_current(context)) let_go(argument.pack);
}
void Own::unbound(LaunchContext& context, ArrayArgument& argument) {
  if (is_current(context)) let_go(argument.array);
}
void Own::unbound(LaunchContext& context, ExternalArgument&) {
  let_go(std::move(context.exported));
}

template <class T>
void Own::let_go(const harness::Borrowed<T>& pointer) {
  if (pointer->holders().remove()) core_.program->erase(pointer);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the reference ends with the call.
void Own::let_go(harness::Ref external) {
  --external->payload<ExternalPayload>().external.export_count;
}

// ---- launching ----------------------------------------------------------------------------------

Status Own::before_launch(Program& program, LaunchContext& context) {
  context.array.resolved = false;  // A failed launch may be retried.
  context.gradient.resolved = false;
  if (held_.empty()) return Status::ok;
  const bool idle = (program.gfx() == nullptr || program.gfx()->empty()) &&
                    cuStreamQuery(nullptr) == CUDA_SUCCESS;
  if (idle) {
    program.finished();
    return Status::ok;
  }
  return launch_count_ < kLaunchLimit ? Status::ok : program.synchronize();
}

// The device now holds what the context held: the context is spent.
void Own::launched(LaunchContext& context) {
  ++launch_count_;
  for (std::uint32_t level = 0; level < context.depth; ++level) {
    held_.push_back({context.packs[level].pack, {}, {}});
    context.packs[level].bound = false;
  }
  for (ArrayArgument* argument : {&context.array, &context.gradient}) {
    if (!std::exchange(argument->bound, false)) continue;
    held_.push_back({{}, argument->array, {}});
  }
  if (std::exchange(context.external.bound, false))
    held_.push_back({{}, {}, std::move(context.exported)});
}

// ---- the end ------------------------------------------------------------------------------------

void Own::synchronized(Program&) {
  launch_count_ = 0;
  if (held_.empty()) return;
  std::swap(held_, finished_);
  const std::size_t object_count = core_.program->object_count();
  for (Held& held : finished_) {
    if (held.pack) let_go(held.pack);
    if (held.array) let_go(held.array);
    if (held.external) let_go(std::move(held.external));
  }
  finished_.clear();
  // Pools free in stream order: memory is free once the device has got there.
  if (core_.program->object_count() != object_count) cuStreamSynchronize(nullptr);
}

}  // namespace targets::argpack
