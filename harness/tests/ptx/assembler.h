// NVIDIA's assembler, where the toolkit has it: the judge of whether a text is PTX.
#pragma once

#include <string>

namespace harness::testing {

/// What it has against a text; empty where it takes it, and where there is no assembler.
std::string assembler_complaint(const std::string& text);

}  // namespace harness::testing
