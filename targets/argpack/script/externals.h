// SPDX-License-Identifier: Apache-2.0
// ExternalArrays: memory of the user's own, numpy's on the host and torch's on the device.
#pragma once

#include "targets/argpack/script/globals.h"

namespace targets::argpack {

/// Ownership: borrows the globals; a wrapper owns its storage, and the heap owns the wrapper.
class ExternalArrays : private Steps {
 public:
  ExternalArrays(Core& core, ScriptGlobals& globals) : Steps(core), globals_(globals) {}

  Status create(Variable into, Storage storage, std::int32_t value);
  Status resize(Variable variable);
  /// Does what resize() does, in the middle of another method.
  Status resize_now(ExternalPayload& payload);
  /// Returns what the storage holds.
  Status read(Program& program, const ExternalPayload& payload);
  /// copy = tensor.to("cpu", copy=True): on the host, and no one's but the caller's.
  Status copy_to_host(const harness::Ref& tensor, harness::Ref& copy);
  /// tensor.copy_(copy): into whatever storage the tensor has by now.
  Status copy_from_host(const harness::Ref& tensor, const harness::Ref& copy);
  /// Frees the storage: nothing refers to the wrapper any more.
  void deallocate(ExternalPayload& payload);
  /// Some of the memory was allocated on the user's stream, and is freed on it.
  bool uses_user_stream() const { return uses_user_stream_; }

 private:
  Status allocate(ExternalPayload& payload, External& made);
  void free(External& external);
  void tell_storage(const ExternalPayload& payload);

  ScriptGlobals& globals_;
  bool uses_user_stream_ = false;
};

}  // namespace targets::argpack
