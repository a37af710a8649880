// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/cuda/passed.h"

#include <algorithm>
#include <cstring>

namespace harness {
namespace {

constexpr std::size_t kContentsLimit = 4096;  ///< Bytes of one copy; the rest is not recorded.

}  // namespace

void Passed::tell(std::initializer_list<PassedArgument> arguments) {
  for (const PassedArgument* at = arguments.begin(); at != arguments.end(); ++at) {
    ++argument_;
    const bool has_size = at + 1 != arguments.end() && at[1].kind == PassedArgument::Kind::size;
    add(*at, has_size ? at[1].value : 0);
  }
}

void Passed::add(const PassedArgument& argument, std::uint64_t size) {
  using Kind = PassedArgument::Kind;
  switch (argument.kind) {
    case Kind::ignored:
      return;
    case Kind::number:
    case Kind::size:
      return trail_.add(argument_, argument.value);
    case Kind::address:
      return add_word(argument.value);
    case Kind::source:
      return add_contents(argument.at<void>(), size);
    case Kind::function:
      function_ = std::bit_cast<CUfunction>(argument.value);
      [[fallthrough]];
    case Kind::handle:
      return trail_.add_handle(argument_, argument.at<void>());
    case Kind::parameters:
      return add_parameters(function_, std::bit_cast<void**>(argument.value));
    case Kind::ipc_handle:
      static_assert(sizeof(CUipcMemHandle) == sizeof(CUipcEventHandle));
      return add_contents(argument.at<void>(), sizeof(CUipcMemHandle));
    case Kind::kernel_node:
      return add_kernel_node(argument.at<CUDA_KERNEL_NODE_PARAMS>());
    case Kind::copy:
      return add_copy(argument.at<CUDA_MEMCPY3D>());
    case Kind::memset_node:
      return add_memset_node(argument.at<CUDA_MEMSET_NODE_PARAMS>());
  }
}

// The newest lifetime at the address counts, even if it has ended.
void Passed::add_word(std::uint64_t word) {
  const auto& lives = world_.ledger.lives();
  for (std::size_t i = lives.size(); i-- > 1;) {
    const Life& life = lives[i];
    if (word < life.address || word - life.address >= std::max<std::uint64_t>(life.bytes, 1))
      continue;
    trail_.add(argument_, life.name);
    return trail_.add(argument_, word - life.address);
  }
  trail_.add(argument_, word);
}

void Passed::add_contents(const void* bytes, std::size_t count) {
  const auto* at = static_cast<const char*>(bytes);
  if (at == nullptr) return;
  for (std::size_t i = 0; i < std::min(count, kContentsLimit); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + i, std::min(count - i, sizeof word));
    add_word(word);
  }
}

void Passed::add_parameters(CUfunction function, void* const* parameters) {
  std::size_t offset = 0;
  std::size_t bytes = 0;
  if (function == nullptr || parameters == nullptr) return;
  for (std::size_t i = 0; table_.cuFuncGetParamInfo(function, i, &offset, &bytes) == CUDA_SUCCESS;
       ++i)
    add_contents(parameters[i], bytes);
}

void Passed::add_kernel_node(const CUDA_KERNEL_NODE_PARAMS* node) {
  if (node == nullptr) return;
  auto* const kernel = reinterpret_cast<CUfunction>(node->kern);  // cuda.h allows this cast.
  CUfunction const function = node->func != nullptr ? node->func : kernel;
  trail_.add_handle(argument_, function);
  for (const unsigned one : {node->gridDimX, node->gridDimY, node->gridDimZ, node->blockDimX,
                             node->blockDimY, node->blockDimZ, node->sharedMemBytes})
    trail_.add(argument_, one);
  add_parameters(function, node->kernelParams);
}

void Passed::add_copy(const CUDA_MEMCPY3D* copy) {
  if (copy == nullptr) return;
  add_word(copy->dstDevice);
  add_word(copy->srcDevice);
  for (const std::size_t one : {copy->srcXInBytes, copy->srcY, copy->dstXInBytes, copy->dstY,
                                copy->WidthInBytes, copy->Height, copy->Depth})
    trail_.add(argument_, one);
}

void Passed::add_memset_node(const CUDA_MEMSET_NODE_PARAMS* set) {
  if (set == nullptr) return;
  add_word(set->dst);
  for (const std::uint64_t one : {std::uint64_t{set->value}, std::uint64_t{set->elementSize},
                                  std::uint64_t{set->width}, std::uint64_t{set->height}})
    trail_.add(argument_, one);
}

}  // namespace harness
