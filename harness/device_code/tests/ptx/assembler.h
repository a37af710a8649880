// SPDX-License-Identifier: Apache-2.0
// NVIDIA's assembler, if the toolkit has it. It decides whether a text is valid PTX.
#pragma once

#include <string>

namespace harness::testing {

/// Returns the complaint about a text; empty if it is taken, and where there is no assembler.
std::string assembler_complaint(const std::string& text);

}  // namespace harness::testing
