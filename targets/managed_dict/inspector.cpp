// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/inspector.h"

#include "targets/managed_dict/viewer.h"

namespace targets::managed_dict {

View Inspector::view(Variable variable) {
  return Viewer(core_).of_instance(variables_.objects[variable]);
}

View Inspector::held_view() { return Viewer(core_).of_dict(variables_.held_dict); }

std::uint64_t Inspector::class_references() {
  std::uint64_t sum = 0;
  for (const Type& type : core_.types.all())
    sum += core_.memory.load<std::uint64_t>(type.address + kRefcountOffset) - kTypeReferences;
  return sum;
}

}  // namespace targets::managed_dict
