// SPDX-License-Identifier: Apache-2.0
// Reader: reads the path's objects as a script would, and compares them with the model.
#pragma once

#include "scenarios/managed_dict/model.h"
#include "scenarios/managed_dict/value_capacity.h"

namespace scenarios::managed_dict {

/// Ownership: owned by the script. Borrows the scene, the model and the capacity.
class Reader {
 public:
  Reader(harness::Scene& scene, Model& model, const ValueCapacity& capacity)
      : scene_(scene), model_(model), capacity_(capacity) {}

  /// Reads a variable by vars() and type(). `asked`: other code requests dicts, too.
  void read_instance(targets::managed_dict::Inspection& path, Variable variable, bool asked);
  /// Reads the last result of vars().
  void read_held(targets::managed_dict::Inspection& path, bool asked);

 private:
  void compare(const targets::managed_dict::View& view, Contents& contents);

  harness::Scene& scene_;
  Model& model_;
  const ValueCapacity& capacity_;
  std::int64_t newest_ = 0;  ///< Newest number seen so far.
};

}  // namespace scenarios::managed_dict
