// SPDX-License-Identifier: Apache-2.0
// Python's C interface: the functions of it that we use, looked up by name.
//
// Python.h is not included: these functions have been the same since 3.10, and so the build does
// not need Python. Objects are addresses.
#pragma once

#include <utility>

namespace harness::entries {

using PythonObject = void*;
using PythonTrace = int (*)(PythonObject self, PythonObject frame, int what, PythonObject argument);

/// Describes one of our functions to the interpreter, like PyMethodDef.
struct PythonMethod {
  const char* name;
  PythonObject (*function)(PythonObject self, PythonObject arguments);
  int flags;
  const char* text;
};

/// Functions of Python.h, by their names there: what they return, and what they take.
#define AFTERLIFE_PYTHON_FUNCTIONS(FUNCTION)                                             \
  FUNCTION(int, Py_IsInitialized, ())                                                    \
  FUNCTION(const char*, Py_GetVersion, ())                                               \
  FUNCTION(void, Py_IncRef, (PythonObject))                                              \
  FUNCTION(void, Py_DecRef, (PythonObject))                                              \
  FUNCTION(int, Py_AddPendingCall, (int (*)(void*), void*))                              \
  FUNCTION(int, PyGILState_Check, ())                                                    \
  FUNCTION(int, PyGILState_Ensure, ())                                                   \
  FUNCTION(void, PyGILState_Release, (int))                                              \
  FUNCTION(PythonObject, PyGILState_GetThisThreadState, ())                              \
  FUNCTION(PythonObject, PyEval_SaveThread, ())                                          \
  FUNCTION(void, PyEval_RestoreThread, (PythonObject))                                   \
  FUNCTION(PythonObject, PyEval_GetFrame, ())                                            \
  FUNCTION(void, PyEval_SetTrace, (PythonTrace, PythonObject))                           \
  FUNCTION(PythonObject, PyFrame_GetBack, (PythonObject))                                \
  FUNCTION(PythonObject, PyFrame_GetCode, (PythonObject))                                \
  FUNCTION(int, PyFrame_GetLineNumber, (PythonObject))                                   \
  FUNCTION(PythonObject, PyObject_GetAttrString, (PythonObject, const char*))            \
  FUNCTION(PythonObject, PyObject_CallNoArgs, (PythonObject))                            \
  FUNCTION(PythonObject, PyObject_GetIter, (PythonObject))                               \
  FUNCTION(PythonObject, PyIter_Next, (PythonObject))                                    \
  FUNCTION(PythonObject, PyMapping_GetItemString, (PythonObject, const char*))           \
  FUNCTION(PythonObject, PyTuple_GetItem, (PythonObject, long))                          \
  FUNCTION(PythonObject, PyTuple_Pack, (long, ...))                                      \
  FUNCTION(PythonObject, PyCFunction_NewEx, (PythonMethod*, PythonObject, PythonObject)) \
  FUNCTION(PythonObject, PySys_GetObject, (const char*))                                 \
  FUNCTION(const char*, PyUnicode_AsUTF8, (PythonObject))                                \
  FUNCTION(int, PyBytes_AsStringAndSize, (PythonObject, char**, long*))                  \
  FUNCTION(PythonObject, PyList_New, (long))                                             \
  FUNCTION(int, PyList_Append, (PythonObject, PythonObject))                             \
  FUNCTION(long, PyList_Size, (PythonObject))                                            \
  FUNCTION(PythonObject, PyList_GetItem, (PythonObject, long))                           \
  FUNCTION(PythonObject, PyList_AsTuple, (PythonObject))                                 \
  FUNCTION(int, PyDict_Next, (PythonObject, long*, PythonObject*, PythonObject*))        \
  FUNCTION(PythonObject, PyModule_GetDict, (PythonObject))                               \
  FUNCTION(PythonObject, PyFunction_GetGlobals, (PythonObject))                          \
  FUNCTION(PythonObject, PyObject_Type, (PythonObject))                                  \
  FUNCTION(int, PyObject_IsInstance, (PythonObject, PythonObject))                       \
  FUNCTION(unsigned long, PyType_GetFlags, (PythonObject))                               \
  FUNCTION(PythonObject, PyObject_CallObject, (PythonObject, PythonObject))              \
  FUNCTION(int, PyObject_IS_GC, (PythonObject))                                          \
  FUNCTION(int, PyObject_GC_IsTracked, (PythonObject))                                   \
  FUNCTION(void, PyObject_GC_Track, (PythonObject))                                      \
  FUNCTION(void, PyObject_GC_UnTrack, (PythonObject))                                    \
  FUNCTION(long, PyLong_AsLong, (PythonObject))                                          \
  FUNCTION(void*, PyLong_AsVoidPtr, (PythonObject))                                      \
  FUNCTION(long, PyGC_Collect, ())                                                       \
  FUNCTION(void, PyErr_Clear, ())                                                        \
  FUNCTION(PythonObject, PyImport_ImportModule, (const char*))                           \
  FUNCTION(PythonObject, PyObject_CallMethod, (PythonObject, const char*, const char*, ...))

/// Objects in the interpreter itself, with their exported names.
#define AFTERLIFE_PYTHON_OBJECTS(OBJECT)       \
  OBJECT(none, _Py_NoneStruct)                 \
  OBJECT(PyBaseObject_Type, PyBaseObject_Type) \
  OBJECT(PyType_Type, PyType_Type)             \
  OBJECT(PyModule_Type, PyModule_Type)         \
  OBJECT(PyFunction_Type, PyFunction_Type)

struct PythonFunctions {
#define AFTERLIFE_DECLARE(result, name, parameters) result(*name) parameters = nullptr;
  AFTERLIFE_PYTHON_FUNCTIONS(AFTERLIFE_DECLARE)
#undef AFTERLIFE_DECLARE
#define AFTERLIFE_DECLARE(member, name) PythonObject member = nullptr;
  AFTERLIFE_PYTHON_OBJECTS(AFTERLIFE_DECLARE)
#undef AFTERLIFE_DECLARE
};

/// All null before look_up_python().
extern PythonFunctions python;

/// Looks them up, and the classes of python_types.h. Returns false if one is missing.
bool look_up_python();

/// Returns the version text of the interpreter in this process; null if there is none.
const char* present_python_version();

/// Holds the interpreter's lock while it exists.
class PythonLocked {
 public:
  PythonLocked() : state_(python.PyGILState_Ensure()) {}
  ~PythonLocked() { python.PyGILState_Release(state_); }
  PythonLocked(const PythonLocked&) = delete;
  PythonLocked& operator=(const PythonLocked&) = delete;

 private:
  int state_;
};

/// Releases the interpreter's lock, which the calling thread has, while it exists. If the
/// interpreter finalizes during this time, the attempt to take the lock again ends the thread by
/// pthread_exit(), which unwinds it.
class PythonUnlocked {
 public:
  PythonUnlocked() : state_(python.PyEval_SaveThread()) {}
  ~PythonUnlocked() noexcept(false) { python.PyEval_RestoreThread(state_); }
  PythonUnlocked(const PythonUnlocked&) = delete;
  PythonUnlocked& operator=(const PythonUnlocked&) = delete;

 private:
  PythonObject state_;
};

/// Owns a reference to an object of the interpreter.
class PythonOwned {
 public:
  explicit PythonOwned(PythonObject object) : object_(object) {}
  ~PythonOwned() {
    if (object_ != nullptr) python.Py_DecRef(object_);
  }
  PythonOwned(PythonOwned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PythonOwned& operator=(PythonOwned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  PythonObject get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PythonObject object_;
};

}  // namespace harness::entries
