// SPDX-License-Identifier: Apache-2.0
// Kernel names: names of kernels as their source has them, for views. Records and signatures keep
// the names that modules have.
#pragma once

#include <string>
#include <string_view>

namespace harness::reports {

/// Returns printable text in which each mangled name is the function's, without what it returns and
/// takes: "reduce<float, 256>" for _Z6reduceIfLi256EEvPT_. Of long names, and of those that refer
/// to their parts more often than any of a program does, template arguments are left out.
std::string with_plain_names(std::string_view text);

}  // namespace harness::reports
