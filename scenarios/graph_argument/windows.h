// SPDX-License-Identifier: Apache-2.0
// Windows: the places where the race can happen, one per row of windows.def.
#pragma once

#include <cstdint>

namespace scenarios::graph_argument {

enum class Window : std::uint8_t {
#define WINDOW(name, ...) name,
#include "scenarios/graph_argument/windows.def"
};

}  // namespace scenarios::graph_argument
