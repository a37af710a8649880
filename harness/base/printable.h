// SPDX-License-Identifier: Apache-2.0
// Printable: untrusted text (files, a command line), made safe for a terminal and a message.
//
// Bytes that control a terminal or are invisible are shown as numbers. Long text is cut in the
// middle.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace harness {

/// Longest name that a message quotes in full.
inline constexpr std::size_t kShownBytes = 100;
/// The same for a signature: longer than any signature of a run.
inline constexpr std::size_t kShownSignatureBytes = 400;

/// Returns the number of leading bytes of `text` that are UTF-8.
std::size_t utf8_bytes(std::string_view text);

/// Returns one line without control characters: "\n", "\x1b", "\xff" (a byte that is not UTF-8),
/// "\u{202e}" (a mark that changes the direction of text, or is invisible).
std::string printable(std::string_view text);

/// Does the same, with "...(9000 bytes)..." for the middle of text longer than `limit` bytes.
std::string shown(std::string_view text, std::size_t limit = kShownBytes);

}  // namespace harness
