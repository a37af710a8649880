// SPDX-License-Identifier: Apache-2.0
// Lowered names: each name expression becomes the initial value of a variable, so that the compiler
// writes its lowered name into the PTX.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace harness::nvrtc {

/// Returns whether a text is a single expression on one line: brackets match, and it contains no
/// statement, comment, string or preprocessor directive.
bool is_expression(std::string_view text);

/// Returns the declarations of these variables, to be put after the program.
/// Each expression must satisfy is_expression().
std::string name_declarations(const std::vector<std::string>& expressions);

/// Removes the variables from a PTX text. Returns the names that they refer to, "" for a missing
/// one.
std::vector<std::string> take_names(std::string& ptx, std::size_t count);

}  // namespace harness::nvrtc
