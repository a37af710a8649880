// SPDX-License-Identifier: Apache-2.0
// Command: what a compiler is called with, in a folder that has the program and its headers.
//
// All names are relative to that folder, so that the words are the same in any.
#pragma once

#include <string>

#include "harness/nvrtc/compilation.h"
#include "harness/process/process.h"

namespace harness::nvrtc {

inline constexpr const char* kProgramFile = "afterlife_program.cu";
inline constexpr const char* kPtxFile = "afterlife_program.ptx";
inline constexpr const char* kDependencyFile = "afterlife_program.d";
/// The folder of the headers that came with the program, as deep in others as ".." may lead.
inline constexpr const char* kHeaderFolder = "headers/1/2/3/4/5/6/7/8";
/// The folder of our own headers, which clang is given instead of a toolkit's.
inline constexpr const char* kOwnFolder = "cuda";

/// Returns the program's name as a line of C++, a PTX text and a log may have it: control
/// characters, quotes, backslashes, question marks and what is not UTF-8 become "_".
std::string plain_name(const std::string& name);

/// Returns the words. None begins with a text of the program's: those are in its file. Errors:
/// InvalidOption, for one that this compiler lacks.
Command command_of(const Source& source, const Options& options, const Toolchain& toolchain);

/// Returns the text of the program's file.
std::string program_text(const Source& source, const Options& options, const Toolchain& toolchain);

}  // namespace harness::nvrtc
