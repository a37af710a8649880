// Source places: the lines of a program that is no script, by what its compiler left in it (-g).
#pragma once

#include "harness/client/report.h"

namespace harness::client {

/// Gives the frames of machine code of the faults and places their files, lines and functions,
/// where `addr2line` is installed and knows them; leaves the others as they are.
void add_lines(const std::vector<ToldFault*>& faults, const std::vector<Place*>& places);

/// Does so for these, which may be of several modules.
void add_lines(const std::vector<Frame*>& frames);

/// Takes what addr2line prints of these frames: the address, and two lines for each function that
/// is inlined there, the innermost first. Frames that it does not know stay.
void take_lines(std::vector<Frame*>& frames, const std::string& printed);

/// Marks the frames of the CUDA toolkit's headers, and of what nvcc writes, as a library's.
void pass_toolkit(Place& place);

}  // namespace harness::client
