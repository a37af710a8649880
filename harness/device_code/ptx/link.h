// SPDX-License-Identifier: Apache-2.0
// Link: links several PTX modules. A declaration in one refers to a definition in another.
//
// Source: PTX ISA 9.0, Linking Directives. The result is a text, which a driver loads like any
// other.
#pragma once

#include <string>
#include <vector>

namespace harness::ptx {

struct LinkInput {
  std::string name;  ///< For messages.
  std::string text;
};

/// Inputs that cannot be linked: one line for each error.
struct NotLinked {
  std::vector<std::string> errors;
};

/// Returns one text of all inputs, in their order. Private names of a module are changed if another
/// one has the same name. Errors: NotLinked; Malformed if an input is not PTX.
std::string link(const std::vector<LinkInput>& inputs);

}  // namespace harness::ptx
