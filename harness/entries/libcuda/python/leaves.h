// SPDX-License-Identifier: Apache-2.0
// Python leaves: objects that cannot change, and through which nothing is reached that the
// collector might end: whether it looks at them or not, it finds the same.
//
// Why: weak references, tuples of constants and descriptors are tracked nevertheless. With
// cuda.core and numpy they are 4,000 of the 5,300 objects that no installed module reaches.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "harness/entries/libcuda/python/api.h"

namespace harness::entries {

/// Lifetime: of one look at all objects, which it borrows. Threads: confined to one, which has the
/// interpreter's lock.
class PythonLeaves {
 public:
  /// Borrows the module `gc`, and what collections pass over as it is.
  PythonLeaves(PythonObject gc, const std::unordered_set<PythonObject>& passed_over);

  bool contains(PythonObject object) { return is_leaf(object, kDepthLimit); }
  /// Returns whether it leads to leaves alone, whatever it is.
  bool leads_to_leaves(PythonObject object) { return leads_to_leaves(object, kDepthLimit); }

 private:
  static constexpr unsigned kDepthLimit = 16;  ///< Tuples in tuples.

  bool is_leaf(PythonObject object, unsigned depth);
  bool find_out(PythonObject object, PythonObject type, unsigned depth);
  bool leads_to_leaves(PythonObject object, unsigned depth);
  bool is_table_of_subclasses(PythonObject table) const;

  PythonOwned get_referents_;
  const std::unordered_set<PythonObject>& passed_over_;
  std::unordered_map<PythonObject, bool> known_;
};

}  // namespace harness::entries
