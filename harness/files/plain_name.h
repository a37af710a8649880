// SPDX-License-Identifier: Apache-2.0
// Plain name: what a file of another owner may call a file, a path, a variant or a build.
//
// It never leads out of a folder, is not an option of a command, and says nothing to a terminal. An
// id is 16 hexadecimal digits, as fmt's {:016x} writes a hash.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace harness {

/// Whether it has 1 to 200 of the characters A-Z a-z 0-9 _ . + = , @ - and begins with a letter, a
/// digit or _.
bool is_plain_name(std::string_view text);

/// Whether it has 16 digits of 0-9 and a-f.
bool is_hexadecimal_id(std::string_view text);

/// The text "WHAT is 'TEXT', which is not a plain name", or no id: code that knows the file
/// prefixes it.
struct NotAName : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns the name. Errors: NotAName.
std::string plain_name(std::string text, std::string_view what);

/// Returns bytes that are written as digits of 0-9 and a-f. Errors: NotAName.
std::string hexadecimal_digits(std::string text, std::string_view what);

/// Returns the id. Errors: NotAName.
std::string hexadecimal_id(std::string text, std::string_view what);

}  // namespace harness
