// SPDX-License-Identifier: Apache-2.0
// Program: the statements of the managed-dict path, run by a real interpreter.
//
// One statement per line, named like those of targets::managed_dict::Statements, with their
// numbers:
//
//     new_instance 0 1          variable, class (0 _NoGrad, 1 _Autocast, 2 _ProfileScope)
//     store_attr 0 2 0          variable, attribute, kind of value (4, 5: code runs when it goes)
//     with_block 3              depth
//
// and also for what the model decides elsewhere:
//
//     stray 4 incref            before the 4th attribute store of the run, counted from 1
//     stray_load 2 incref       before the 2nd attribute load; may be given again
//     bit23 1                   of the address of each number that is stored from here on
//
// `stray` is the planted fault: a C function counts references of what the tagged word seems to
// point at. Its kinds: incref, decref, balanced (one of each), incref2, decref2; and incref_values,
// which takes the tag off first; and stores to the word itself: and_byte, and_two, sub_four,
// sub_eight, store_sixteen (with the word before it, the tag gone), clear_sixteen. Lines that begin
// with # are skipped.
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
