// SPDX-License-Identifier: Apache-2.0
// Reader: looks at what the path keeps as a script would, and compares it with the model.
#pragma once

#include "scenarios/managed_dict/model.h"
#include "scenarios/managed_dict/value_capacity.h"

namespace scenarios::managed_dict {

/// Ownership: owned by the script. Borrows the scene, the model, the rooms and the path.
class Reader {
 public:
  Reader(harness::Scene& scene, Model& model, const ValueCapacity& capacity)
      : scene_(scene), model_(model), capacity_(capacity) {}

  /// The variable, as vars() and type() tell. `asked`: others ask for dicts as well.
  void read_instance(targets::managed_dict::Inspection& path, Variable variable, bool asked);
  /// The dict that vars() returned last.
  void read_held(targets::managed_dict::Inspection& path, bool asked);

 private:
  void compare(const targets::managed_dict::View& view, Contents& contents);

  harness::Scene& scene_;
  Model& model_;
  const ValueCapacity& capacity_;
  std::int64_t newest_ = 0;  ///< Number that was ever seen.
};

}  // namespace scenarios::managed_dict
