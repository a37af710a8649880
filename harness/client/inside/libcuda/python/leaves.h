// SPDX-License-Identifier: Apache-2.0
// Python leaves: immutable objects that lead to no garbage. Whether the collector visits them or
// not, it finds the same.
//
// Weak references, tuples of constants and descriptors are tracked nevertheless. With cuda.core and
// numpy, they are 4,000 of the 5,300 objects that no installed module reaches.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "harness/client/inside/libcuda/python/api.h"

namespace harness::entries {

/// Lifetime: that of one traversal of all objects, which it borrows. Threads: requires the
/// interpreter's lock, on one thread.
class PythonLeaves {
 public:
  /// Borrows the module `gc`, and the objects that collections pass over.
  PythonLeaves(PythonObject gc, const std::unordered_set<PythonObject>& passed_over);

  bool contains(PythonObject object) { return is_leaf(object, kDepthLimit); }
  /// Returns whether it refers to leaves only. It need not be a leaf itself.
  bool leads_to_leaves(PythonObject object) { return leads_to_leaves(object, kDepthLimit); }

 private:
  static constexpr unsigned kDepthLimit = 16;  ///< For nested tuples.

  bool is_leaf(PythonObject object, unsigned depth);
  bool find_out(PythonObject object, PythonObject type, unsigned depth);
  bool leads_to_leaves(PythonObject object, unsigned depth);
  bool is_table_of_subclasses(PythonObject table) const;

  PythonOwned get_referents_;
  const std::unordered_set<PythonObject>& passed_over_;
  std::unordered_map<PythonObject, bool> known_;
};

}  // namespace harness::entries
