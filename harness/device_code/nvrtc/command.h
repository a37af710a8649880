// SPDX-License-Identifier: Apache-2.0
// Command: the command line of a compiler, in a folder with the program and its headers.
//
// All names are relative to that folder, so that the command line is the same in any folder.
#pragma once

#include <string>

#include "harness/base/process/process.h"
#include "harness/device_code/nvrtc/compilation.h"

namespace harness::nvrtc {

inline constexpr const char* kProgramFile = "afterlife_program.cu";
inline constexpr const char* kPtxFile = "afterlife_program.ptx";
inline constexpr const char* kDependencyFile = "afterlife_program.d";
/// The folder of the program's headers, deep enough for names with "..".
inline constexpr const char* kHeaderFolder = "headers/1/2/3/4/5/6/7/8";
/// The folder of our headers, which clang gets in place of a toolkit's.
inline constexpr const char* kOwnFolder = "cuda";

/// Returns the program's name in a form that is safe in a line of C++, a PTX text and a log:
/// control characters, quotes, backslashes, question marks and invalid UTF-8 become "_".
std::string plain_name(const std::string& name);

/// Returns the command line. No word of it begins with text of the program, which is in the
/// program's file. Errors: InvalidOption for an option that this compiler lacks.
Command command_of(const Source& source, const Options& options, const Toolchain& toolchain);

/// Returns the text of the program's file.
std::string program_text(const Source& source, const Options& options, const Toolchain& toolchain);

}  // namespace harness::nvrtc
