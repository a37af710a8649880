// SPDX-License-Identifier: Apache-2.0
// Python's types: classes of the interpreter itself, looked up by name.
#pragma once

#include "harness/client/inside/libcuda/python/api.h"

namespace harness::entries {

#define AFTERLIFE_PYTHON_TYPES(TYPE) \
  TYPE(PyLong_Type)                  \
  TYPE(PyDict_Type)                  \
  TYPE(PyTuple_Type)                 \
  TYPE(PyFrozenSet_Type)             \
  TYPE(PyCFunction_Type)             \
  TYPE(PyMemberDescr_Type)           \
  TYPE(PyGetSetDescr_Type)           \
  TYPE(PyMethodDescr_Type)           \
  TYPE(PyWrapperDescr_Type)          \
  TYPE(_PyWeakref_RefType)

struct PythonTypes {
#define AFTERLIFE_DECLARE(name) PythonObject name = nullptr;
  AFTERLIFE_PYTHON_TYPES(AFTERLIFE_DECLARE)
#undef AFTERLIFE_DECLARE
};

/// All null before look_up_python().
extern PythonTypes python_types;

}  // namespace harness::entries
