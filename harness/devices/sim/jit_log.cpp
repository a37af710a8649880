// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/jit_log.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace harness::devices {

void JitLog::limit(void** bytes) {
  used_out_ = bytes;
  bytes_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(*bytes));
}

void JitLog::add(std::string_view line) {
  if (buffer_ == nullptr || bytes_ == 0) return;
  const std::size_t room = bytes_ - 1 - used_;
  const std::size_t count = std::min(line.size(), room);
  std::memcpy(buffer_ + used_, line.data(), count);
  used_ += count;
  if (used_ < bytes_ - 1) buffer_[used_++] = '\n';
  buffer_[used_] = '\0';
}

void JitLog::tell() const {
  if (buffer_ != nullptr && bytes_ != 0) buffer_[used_] = '\0';
  if (used_out_ != nullptr) *used_out_ = reinterpret_cast<void*>(used_);
}

JitLogs::JitLogs(unsigned count, const CUjit_option* options, void** values) {
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) errors.give(values[i]);
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) errors.limit(&values[i]);
    if (options[i] == CU_JIT_INFO_LOG_BUFFER) information.give(values[i]);
    if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) information.limit(&values[i]);
  }
}

void JitLogs::end(std::string_view error) {
  if (!error.empty()) errors.add(error);
  errors.tell();
  information.tell();
}

}  // namespace harness::devices
