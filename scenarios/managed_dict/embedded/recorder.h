// SPDX-License-Identifier: Apache-2.0
// Recorder: what the instruments see of the real interpreter, one line of evidence each, written at
// once: the process may die of its next statement.
//
// The lines say what an observer of the model is told (targets/managed_dict/memory_observer.h), and
// tests/managed_dict_embedded.h reads them. Lines that begin with # are for people: they name the
// function that wrote, which a judge must not know.
#pragma once

#include <Python.h>

#include <cstdint>

namespace scenarios::managed_dict::embedded {

/// Instruments of the program that are not always on.
struct Instruments {
  bool hardware_watch = true;
  std::size_t write_limit = 65536;  ///< Writes that are kept between two statements.
};

/// Once, after Py_Initialize and before the first instance.
void start_recording(const Instruments& instruments);

/// Instances of this plain class are watched from tp_alloc to tp_free.
void record_class(PyTypeObject* type);

/// A statement begins: the clock of the record.
void next_statement();

/// An attribute is about to be stored: the probe of the report, at its place.
void record_store(PyObject* object);

/// An attribute is about to be loaded.
void record_load(PyObject* object);

/// A load found something else than what was stored last.
void record_reading();

/// Takes over the writes that the hardware watch saw since it was asked last.
void drain_writes();

/// The last line of a process that reached its end.
void stop_recording();

}  // namespace scenarios::managed_dict::embedded
