// Streams: what the program says, and to whom: results on stdout, one line of error on stderr.
//
// Output that cannot be written is an error of the world, told when the command is done; an error
// that nobody can hear still has its exit code.
#pragma once

#include <string>
#include <string_view>

namespace harness::entries {

/// Puts something in the place of streams that the caller closed, so that no file takes their
/// number, and makes a reader who is gone and a limit on files errors of the write rather than
/// signals.
void prepare_streams();

/// One line on stderr, "afterlife: ..."; never throws. `what` is told as printable() and shown()
/// do.
void say_error(std::string_view what) noexcept;

/// Writes out what is still held back of stdout. Returns what was wrong with it since the program
/// began, or nothing.
std::string finish_output();

/// Returns whether stdout is a pipe that nobody reads any more.
bool is_reader_gone();

}  // namespace harness::entries
