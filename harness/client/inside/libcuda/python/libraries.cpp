// SPDX-License-Identifier: Apache-2.0
// How it works. First all tracked objects are frozen (gc.freeze(), documented for processes that
// fork). Then those that no installed module reaches are tracked again, except leaves.
#include "harness/client/inside/libcuda/python/libraries.h"

#include <string>
#include <unordered_set>
#include <vector>

#include "harness/client/inside/libcuda/python/api.h"
#include "harness/client/inside/libcuda/python/code.h"
#include "harness/client/inside/libcuda/python/leaves.h"

namespace harness::entries {
namespace {

using Objects = std::unordered_set<PythonObject>;

/// Returns the items of a list, which are borrowed from it.
std::vector<PythonObject> items_of(PythonObject list) {
  std::vector<PythonObject> items;
  if (list == nullptr) return items;
  const long count = python.PyList_Size(list);
  items.reserve(static_cast<std::size_t>(count));
  for (long i = 0; i < count; ++i) items.push_back(python.PyList_GetItem(list, i));
  return items;
}

/// Returns the file of a module; "" for a module of the interpreter.
std::string file_of(PythonObject module) {
  const PythonOwned file(python.PyObject_GetAttrString(module, "__file__"));
  const char* text = file ? python.PyUnicode_AsUTF8(file.get()) : nullptr;
  python.PyErr_Clear();
  return text != nullptr ? text : "";
}

class Libraries {
 public:
  Libraries() {
    find_modules();
    find_classes();
  }

  /// Returns all objects that they reach.
  const Objects& reached(PythonObject gc) {
    reached_ = modules_;
    reached_.insert(classes_.begin(), classes_.end());
    std::vector<PythonObject> latest(reached_.begin(), reached_.end());
    while (!latest.empty()) {
      const PythonOwned referents = referents_of(gc, latest);
      latest.clear();
      for (PythonObject object : items_of(referents.get()))
        if (is_theirs(object) && reached_.insert(object).second) latest.push_back(object);
    }
    python.PyErr_Clear();
    return reached_;
  }

  /// Returns the dictionaries of the modules.
  const Objects& tables() const { return tables_; }

 private:
  void find_modules() {
    PythonObject all = python.PySys_GetObject("modules");
    PythonObject name = nullptr;
    PythonObject module = nullptr;
    for (long at = 0; all != nullptr && python.PyDict_Next(all, &at, &name, &module) != 0;) {
      if (python.PyObject_IsInstance(module, python.PyModule_Type) != 1) continue;
      const char* text = python.PyUnicode_AsUTF8(name);
      if (text == nullptr || !is_installed(text, module)) {
        users_.insert(module);
        users_.insert(python.PyModule_GetDict(module));
        continue;
      }
      modules_.insert(module);
      tables_.insert(python.PyModule_GetDict(module));
      names_.insert(text);
    }
    python.PyErr_Clear();
  }

  static bool is_installed(const std::string& name, PythonObject module) {
    if (name == "__main__") return false;
    const std::string file = file_of(module);
    return file.empty() || PythonCode::comes_installed(file);
  }

  /// Also finds static classes, which the collector does not track: starts at `object`, and follows
  /// the subclasses.
  void find_classes() {
    std::vector<PythonObject> latest{python.PyBaseObject_Type};
    while (!latest.empty()) {
      const PythonObject type = latest.back();
      latest.pop_back();
      if (!sort_class(type)) continue;
      const PythonOwned below(
          python.PyObject_CallMethod(python.PyType_Type, "__subclasses__", "O", type));
      for (PythonObject each : items_of(below.get())) latest.push_back(each);
    }
    python.PyErr_Clear();
  }

  static bool is_class(PythonObject object) {
    return python.PyObject_IsInstance(object, python.PyType_Type) == 1;
  }

  /// Returns whether the class is new.
  bool sort_class(PythonObject type) {
    if (classes_.contains(type) || users_classes_.contains(type)) return false;
    return (is_from_library(type) ? classes_ : users_classes_).insert(type).second;
  }

  bool is_from_library(PythonObject type) const {
    const PythonOwned name(python.PyObject_GetAttrString(type, "__module__"));
    const char* text = name ? python.PyUnicode_AsUTF8(name.get()) : nullptr;
    python.PyErr_Clear();
    return text != nullptr && names_.contains(text);
  }

  bool is_theirs(PythonObject object) const {
    if (python.PyObject_GC_IsTracked(object) == 0 && !is_class(object)) return false;
    if (users_.contains(object) || users_classes_.contains(object)) return false;
    const PythonOwned type(python.PyObject_Type(object));
    if (type.get() == python.PyFunction_Type)
      return tables_.contains(python.PyFunction_GetGlobals(object));
    return !users_classes_.contains(type.get());
  }

  static PythonOwned referents_of(PythonObject gc, const std::vector<PythonObject>& objects) {
    const PythonOwned list(python.PyList_New(0));
    for (PythonObject object : objects) {
      python.PyList_Append(list.get(), object);
      if (!is_class(object)) continue;
      // A static class is not tracked, but the objects in its dictionary are.
      const PythonOwned table(python.PyObject_GetAttrString(object, "__dict__"));
      if (table) python.PyList_Append(list.get(), table.get());
    }
    const PythonOwned arguments(python.PyList_AsTuple(list.get()));
    const PythonOwned function(python.PyObject_GetAttrString(gc, "get_referents"));
    return PythonOwned(function && arguments
                           ? python.PyObject_CallObject(function.get(), arguments.get())
                           : nullptr);
  }

  Objects modules_;        ///< Installed modules.
  Objects tables_;         ///< Dictionaries of installed modules.
  Objects classes_;        ///< Classes of installed modules.
  Objects users_;          ///< The user's modules and their dictionaries.
  Objects users_classes_;  ///< The user's classes.
  Objects reached_;
  std::unordered_set<std::string> names_;  ///< Names of installed modules.
};

/// Keeps those functions alive that refer to constants and module dictionaries only. Otherwise the
/// interpreter would destroy each of them at its end.
void keep_functions(const Objects& libraries, PythonLeaves leaves) {
  const PythonOwned weakref(python.PyImport_ImportModule("_weakref"));
  for (PythonObject object : libraries) {
    if (PythonOwned(python.PyObject_Type(object)).get() != python.PyFunction_Type) continue;
    const PythonOwned watched(
        weakref ? python.PyObject_CallMethod(weakref.get(), "getweakrefcount", "O", object)
                : nullptr);
    if (watched && python.PyLong_AsLong(watched.get()) == 0 && leaves.leads_to_leaves(object))
      python.Py_IncRef(object);
  }
  python.PyErr_Clear();
}

}  // namespace

void pass_over_libraries() {
  const PythonOwned gc(python.PyImport_ImportModule("gc"));
  const PythonOwned tracked(gc ? python.PyObject_CallMethod(gc.get(), "get_objects", nullptr)
                               : nullptr);
  if (!tracked) return python.PyErr_Clear();
  std::vector<PythonObject> objects = items_of(tracked.get());
  Libraries libraries;
  const Objects& passed_over = libraries.reached(gc.get());
  PythonLeaves leaves(gc.get(), passed_over);
  std::erase_if(objects, [&](PythonObject object) { return leaves.contains(object); });
  const PythonOwned frozen(python.PyObject_CallMethod(gc.get(), "freeze", nullptr));
  if (!frozen) return python.PyErr_Clear();
  for (PythonObject object : objects) {
    if (python.PyObject_GC_IsTracked(object) == 0) continue;
    python.PyObject_GC_UnTrack(object);
    python.PyObject_GC_Track(object);
  }
  keep_functions(passed_over, PythonLeaves(gc.get(), libraries.tables()));
}

}  // namespace harness::entries
