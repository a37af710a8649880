// SPDX-License-Identifier: Apache-2.0
// Link: several modules in PTX as one: what one declares and another one defines is the same thing.
//
// Source: PTX ISA 9.0, Linking Directives. The result is a text, which a driver loads as any other.
#pragma once

#include <string>
#include <vector>

namespace harness::ptx {

struct LinkInput {
  std::string name;  ///< For messages.
  std::string text;
};

/// Inputs that do not fit together: a line for each reason.
struct NotLinked {
  std::vector<std::string> errors;
};

/// Returns one text of them all, in their order. Names that a module keeps to itself are changed
/// where another one has the same. Errors: NotLinked; Malformed where one is not PTX.
std::string link(const std::vector<LinkInput>& inputs);

}  // namespace harness::ptx
