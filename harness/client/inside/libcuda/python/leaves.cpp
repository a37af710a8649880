// SPDX-License-Identifier: Apache-2.0
// How it works. A leaf refers only to other leaves, to objects that are passed over, and to objects
// of classes without garbage collection. A list or a dictionary is not a leaf even if it is empty,
// because something may be added later. The exception is the table of subclasses that each class
// has, which only the interpreter modifies: it maps an address to a weak reference.
#include "harness/client/inside/libcuda/python/leaves.h"

#include <algorithm>
#include <array>

#include "harness/client/inside/libcuda/python/types.h"

namespace harness::entries {
namespace {

bool is_collected(PythonObject type) {
  constexpr unsigned long kHaveGc = 1UL << 14;  // Py_TPFLAGS_HAVE_GC.
  return (python.PyType_GetFlags(type) & kHaveGc) != 0;
}

PythonOwned type_of(PythonObject object) { return PythonOwned(python.PyObject_Type(object)); }

bool is_weak_reference(PythonObject object) {
  if (type_of(object).get() != python_types._PyWeakref_RefType) return false;
  const PythonOwned callback(python.PyObject_GetAttrString(object, "__callback__"));
  return callback.get() == python.none;
}

/// Returns whether objects of the class never change their references after creation.
bool is_constant(PythonObject type) {
  const std::array types{python_types.PyTuple_Type,       python_types.PyFrozenSet_Type,
                         python_types.PyCFunction_Type,   python_types.PyMemberDescr_Type,
                         python_types.PyGetSetDescr_Type, python_types.PyMethodDescr_Type,
                         python_types.PyWrapperDescr_Type};
  return std::ranges::find(types, type) != types.end();
}

}  // namespace

PythonLeaves::PythonLeaves(PythonObject gc, const std::unordered_set<PythonObject>& passed_over)
    : get_referents_(python.PyObject_GetAttrString(gc, "get_referents")),
      passed_over_(passed_over) {}

bool PythonLeaves::is_leaf(PythonObject object, unsigned depth) {
  if (passed_over_.contains(object)) return true;
  const PythonOwned type = type_of(object);
  if (!is_collected(type.get())) return true;
  const auto known = known_.find(object);
  if (known != known_.end()) return known->second;
  return known_[object] = find_out(object, type.get(), depth);
}

bool PythonLeaves::find_out(PythonObject object, PythonObject type, unsigned depth) {
  // Such a class is static, and the collector does not traverse it.
  if (python.PyObject_IS_GC(object) == 0 && python.PyObject_IsInstance(object, python.PyType_Type))
    return true;
  if (is_constant(type)) return depth != 0 && leads_to_leaves(object, depth - 1);
  if (type == python_types.PyDict_Type) return is_table_of_subclasses(object);
  return is_weak_reference(object);
}

bool PythonLeaves::leads_to_leaves(PythonObject object, unsigned depth) {
  const PythonOwned arguments(python.PyTuple_Pack(1, object));
  const PythonOwned all(arguments && get_referents_
                            ? python.PyObject_CallObject(get_referents_.get(), arguments.get())
                            : nullptr);
  if (!all) return python.PyErr_Clear(), false;
  for (long i = 0; i < python.PyList_Size(all.get()); ++i)
    if (!is_leaf(python.PyList_GetItem(all.get(), i), depth)) return false;
  return true;
}

bool PythonLeaves::is_table_of_subclasses(PythonObject table) const {
  PythonObject address = nullptr;
  PythonObject reference = nullptr;
  bool is_empty = true;
  for (long at = 0; python.PyDict_Next(table, &at, &address, &reference) != 0; is_empty = false) {
    if (type_of(address).get() != python_types.PyLong_Type || !is_weak_reference(reference))
      return false;
    const PythonOwned subclass(python.PyObject_CallNoArgs(reference));
    if (python.PyLong_AsVoidPtr(address) != subclass.get() ||
        python.PyObject_IsInstance(subclass.get(), python.PyType_Type) != 1)
      return python.PyErr_Clear(), false;
  }
  return !is_empty;
}

}  // namespace harness::entries
