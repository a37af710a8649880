// SPDX-License-Identifier: Apache-2.0
// ScriptArrays: taichi.ScalarNdarray with its gradient, and to_numpy() of every array.
#pragma once

#include "targets/argpack/script/externals.h"

namespace targets::argpack {

/// Ownership: borrows the globals and the external arrays; the heap owns the ndarrays.
class ScriptArrays final : public Arrays, private Steps {
 public:
  ScriptArrays(Core& core, ScriptGlobals& globals, ExternalArrays& externals)
      : Steps(core), globals_(globals), externals_(externals) {}

  Status new_ndarray(Variable into, std::int32_t value, bool with_gradient) override;
  Status fill(Variable array, std::int32_t value) override;
  Status set_gradient(Variable array) override;
  Status drop_gradient(Variable array) override;
  Status new_external(Variable into, Storage storage, std::int32_t value) override {
    return externals_.create(into, storage, value);
  }
  Status resize_external(Variable external) override { return externals_.resize(external); }
  Status to_numpy(Variable array) override;

  /// Assigns array.grad within another method; an empty gradient is None.
  Status set_grad(const harness::Ref& array, const harness::Ref& gradient);
  /// Deletes the wrapped objects. Called when nothing refers to the wrapper.
  void finalize(ArrayPayload& payload);

 private:
  Status make_array(std::int32_t value, Ref& made);
  Status read_array(Program& program, const Ref& array);

  ScriptGlobals& globals_;
  ExternalArrays& externals_;
};

}  // namespace targets::argpack
