// SPDX-License-Identifier: Apache-2.0
// Streams: results on stdout, one line for an error on stderr.
//
// Output that cannot be written is an error of the environment, reported at the end of the command.
// If an error cannot be printed, the exit code still shows it.
#pragma once

#include <string>
#include <string_view>

namespace harness::entries {

/// Opens /dev/null for streams that the caller closed, so that no file gets their number. Makes a
/// closed pipe and a file size limit errors of the write instead of signals.
void prepare_streams();

/// Prints one line on stderr, "afterlife: ..."; never throws. `what` is made printable, as by
/// printable() and shown().
void say_error(std::string_view what) noexcept;

/// Flushes stdout. Returns the first error of stdout since the program began, or nothing.
std::string finish_output();

/// Returns whether stdout is a pipe whose reader has closed it.
bool is_reader_gone();

}  // namespace harness::entries
