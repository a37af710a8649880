// SPDX-License-Identifier: Apache-2.0
// Recorder: the instruments' observations of the real interpreter, one line of evidence each,
// written at once, because the process may crash in its next statement.
//
// The lines contain what an observer of the model receives
// (targets/managed_dict/memory_observer.h), and tests/managed_dict_embedded_test.cpp reads them.
// Lines that begin with # are for people: they name the function that wrote, which a judge must not
// know.
#pragma once

#include <Python.h>

#include <cstdint>

namespace scenarios::managed_dict::embedded {

/// Optional instruments of the program.
struct Instruments {
  bool hardware_watch = true;
  std::size_t write_limit = 65536;  ///< Maximum number of writes between two statements.
};

/// Called once, after Py_Initialize and before the first instance.
void start_recording(const Instruments& instruments);

/// Watches instances of this plain class from tp_alloc to tp_free.
void record_class(PyTypeObject* type);

/// Called when a statement begins: advances the clock of the record.
void next_statement();

/// Called before an attribute is stored: the report's probe, at its place.
void record_store(PyObject* object);

/// Called before an attribute is loaded.
void record_load(PyObject* object);

/// Called when a load found another value than the one last stored.
void record_reading();

/// Takes over the writes that the hardware watch has recorded since the last call.
void drain_writes();

/// Writes the last line of a process that has not crashed.
void stop_recording();

}  // namespace scenarios::managed_dict::embedded
