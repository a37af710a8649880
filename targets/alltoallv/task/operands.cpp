// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/task/operands.h"

namespace targets::alltoallv {

bool Operands::take() {
  Tensors& tensors = post_.rank.tensors;
  if (!post_.arguments.null_source) {
    source_tensor_ = tensors.at(post_.arguments.source);
    if (!source_tensor_) return false;
    source_base_ = source_tensor_->payload<TensorPayload>().base;
  }
  destination_tensor_ = tensors.take_destination(post_.request);
  if (!destination_tensor_) return false;
  destination_base_ = destination_tensor_->payload<TensorPayload>().base;
  return true;
}

Status Operands::export_to_peers() {
  if (const Status status = export_memory(source_base_, exported_source_); status != Status::ok)
    return status;
  exported_source_.offset += post_.arguments.offset * sizeof(std::int32_t);
  return post_.team().proxies().empty() ? Status::ok
                                        : export_memory(destination_base_, exported_destination_);
}

void Operands::release() {
  source_tensor_.reset();
  destination_tensor_.reset();
}

void Operands::give_back() {
  source_tensor_.reset();
  if (destination_tensor_)
    post_.rank.tensors.return_destination(post_.request, std::move(destination_tensor_));
}

}  // namespace targets::alltoallv
