// SPDX-License-Identifier: Apache-2.0
// Viewer: reads attributes for judges. It changes no byte.
#pragma once

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

class Viewer {
 public:
  explicit Viewer(Core& core) : core_(core) {}

  View of_instance(Address object);
  View of_dict(Address dict);

 private:
  std::uint64_t word(Address address) { return core_.memory.load<std::uint64_t>(address); }
  void add_dict(View& view, Address dict);
  void add_values(View& view, Address values, const SharedKeys& keys);
  void add_table(View& view, Address table);
  void add(View& view, Attribute attribute, Address value);

  Core& core_;
};

}  // namespace targets::managed_dict
