// SPDX-License-Identifier: Apache-2.0
// Program: the statements of the managed-dict path, run by a real interpreter.
//
// One statement per line, with the names of targets::managed_dict::Statements and numbers for their
// arguments:
//
//     new_instance 0 1          variable, class (0 _NoGrad, 1 _Autocast, 2 _ProfileScope)
//     store_attr 0 2 0          variable, attribute, kind of value (4, 5: code runs when it goes)
//     with_block 3              depth
//
// Other lines set what the model chooses in other ways:
//
//     stray 4 incref            before the 4th attribute store of the run, counted from 1
//     stray_load 2 incref       before the 2nd attribute load; may be given again
//     bit23 1                   of the address of each number that is stored from here on
//
// `stray` plants the fault: a C function counts references at the address in the tagged word. Its
// kinds are incref, decref, balanced (one of each), incref2 and decref2; incref_values, which
// removes the tag first; and stores to the word itself: and_byte, and_two, sub_four, sub_eight,
// store_sixteen (with the previous word, without the tag) and clear_sixteen. Lines that begin with
// # are skipped.
#pragma once

#include <Python.h>

#include <istream>
#include <string>

namespace scenarios::managed_dict::embedded {

/// Makes the classes, and as many instances of each as it takes until shared keys do not shrink any
/// more. After Py_Initialize.
void define_program();

/// Records the classes' instances from here on. After start_recording().
void record_program();

/// Errors: std::runtime_error with one line, if a statement is none or raises.
void run_program(std::istream& statements);

}  // namespace scenarios::managed_dict::embedded
