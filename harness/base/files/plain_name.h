// SPDX-License-Identifier: Apache-2.0
// Plain name: a name in a foreign file for a file, a path, a variant or a build.
//
// It cannot lead out of a folder, be an option of a command, or control a terminal. An id has 16
// hexadecimal digits, the format of fmt's {:016x} for a hash.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace harness {

/// Returns whether the text consists of 1 to 200 of the characters A-Z a-z 0-9 _ . + = , @ - and
/// begins with a letter, a digit or _.
bool is_plain_name(std::string_view text);

/// Returns whether the text consists of 16 digits 0-9 and a-f.
bool is_hexadecimal_id(std::string_view text);

/// The text "WHAT is 'TEXT', which is not a plain name" (or not an id). Callers put the file's name
/// before it.
struct NotAName : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns `text` if it is a plain name. Errors: NotAName.
std::string plain_name(std::string text, std::string_view what);

/// Returns `text` if it consists of digits 0-9 and a-f. Errors: NotAName.
std::string hexadecimal_digits(std::string text, std::string_view what);

/// Returns `text` if it is an id. Errors: NotAName.
std::string hexadecimal_id(std::string text, std::string_view what);

}  // namespace harness
