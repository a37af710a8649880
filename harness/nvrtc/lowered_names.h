// SPDX-License-Identifier: Apache-2.0
// Lowered names: a name expression becomes the first value of a variable, whose name the compiler
// then writes into the PTX.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace harness::nvrtc {

/// Returns whether a text can be one expression, in a line: brackets match, and it has no
/// statement, comment, string or preprocessor's line.
bool is_expression(std::string_view text);

/// Returns the declarations of these variables, to be put behind the program.
/// Each expression is one by is_expression().
std::string name_declarations(const std::vector<std::string>& expressions);

/// Removes the variables from a PTX. Returns the names that they stand for, "" for one that is not
/// there.
std::vector<std::string> take_names(std::string& ptx, std::size_t count);

}  // namespace harness::nvrtc
