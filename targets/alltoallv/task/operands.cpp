#include "targets/alltoallv/task/operands.h"

namespace targets::alltoallv {

Status Operands::take(CUstream stream) {
  Tensors& tensors = post_.rank.tensors;
  if (!post_.arguments.null_source) {
    source_tensor_ = tensors.at(post_.arguments.source);
    if (!source_tensor_) return Status::no_buffer;
    if (const Status status = await_fill(stream); status != Status::ok) return status;
  }
  return tensors.make(destination_tensor_, destination_base_);
}

// Without an execution engine, data are ready when the collective is posted.
Status Operands::await_fill(CUstream stream) {
  auto& payload = source_tensor_->payload<TensorPayload>();
  source_base_ = payload.base;
  if (payload.ready || (stream != nullptr && stream == payload.stream)) return Status::ok;
  if (cuStreamSynchronize(payload.stream) != CUDA_SUCCESS) return Status::driver_error;
  payload.ready = true;
  return Status::ok;
}

Status Operands::export_to_peers() {
  if (const Status status = export_memory(source_base_, exported_source_); status != Status::ok)
    return status;
  exported_source_.offset += post_.arguments.offset * sizeof(std::int32_t);
  return post_.rank.team.proxies().empty()
             ? Status::ok
             : export_memory(destination_base_, exported_destination_);
}

void Operands::release() {
  source_tensor_.reset();
  destination_tensor_.reset();
}

}  // namespace targets::alltoallv
