// SPDX-License-Identifier: Apache-2.0
// ExternalArrays: memory that the user owns: numpy's on the host, torch's on the device.
#pragma once

#include "targets/argpack/script/globals.h"

namespace targets::argpack {

/// Ownership: borrows the globals; a wrapper owns its storage, and the heap owns the wrapper.
class ExternalArrays : private Steps {
 public:
  ExternalArrays(Core& core, ScriptGlobals& globals) : Steps(core), globals_(globals) {}

  Status create(Variable into, Storage storage, std::int32_t value);
  Status resize(Variable variable);
  /// Does the work of resize() within another method.
  Status resize_now(ExternalPayload& payload);
  /// Reports the content of the storage.
  Status read(Program& program, const ExternalPayload& payload);
  /// copy = tensor.to("cpu", copy=True): a host copy that only the caller refers to.
  Status copy_to_host(const harness::Ref& tensor, harness::Ref& copy);
  /// tensor.copy_(copy): copies into the storage that the tensor has now.
  Status copy_from_host(const harness::Ref& tensor, const harness::Ref& copy);
  /// Frees the storage. Called when nothing refers to the wrapper.
  void deallocate(ExternalPayload& payload);
  /// Returns whether any memory was allocated on the user's stream, and is freed on it.
  bool uses_user_stream() const { return uses_user_stream_; }

 private:
  Status allocate(ExternalPayload& payload, External& made);
  void free(External& external);
  void tell_storage(const ExternalPayload& payload);

  ScriptGlobals& globals_;
  bool uses_user_stream_ = false;
};

}  // namespace targets::argpack
