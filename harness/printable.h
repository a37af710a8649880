// Printable: text that is not ours (of files, of a command line) made fit for a terminal and a
// message.
//
// Bytes that a terminal would take for a command, or that nobody would see, are told by number.
// Long text is cut in the middle.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace harness {

/// Longest name that a message quotes whole.
inline constexpr std::size_t kShownBytes = 100;
/// The same of a signature: longer than any that a run gives.
inline constexpr std::size_t kShownSignatureBytes = 400;

/// How many bytes of `text` are UTF-8, from its beginning; all of them where it is UTF-8.
std::size_t utf8_bytes(std::string_view text);

/// One line without control characters: "\n", "\x1b", "\xff" (a byte that is no UTF-8), "\u{202e}"
/// (what changes the direction of text, or is invisible).
std::string printable(std::string_view text);

/// The same, with "...(9000 bytes)..." for the middle of what is longer than `limit` bytes.
std::string shown(std::string_view text, std::size_t limit = kShownBytes);

}  // namespace harness
