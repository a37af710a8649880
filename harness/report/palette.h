// SPDX-License-Identifier: Apache-2.0
// Palette: the colours of a page, in light and in dark mode. Text has a contrast of at least 4.5 on
// each background.
#pragma once

#include <array>
#include <string_view>

namespace harness::reports {

enum class Use : unsigned char {
  ground,  ///< A background of text.
  text,
  line,  ///< Has no meaning alone.
};

struct Paint {
  std::string_view name;  ///< Name of the style sheet's variable.
  Use use;
  std::string_view light;
  std::string_view dark;
};

inline constexpr std::array<Paint, 14> kPalette{{
    {"page", Use::ground, "#ffffff", "#0d1117"},
    {"panel", Use::ground, "#f5f6f8", "#161b22"},
    {"bad-ground", Use::ground, "#fdeceb", "#33191d"},
    {"death-ground", Use::ground, "#fbf3e0", "#2b2413"},
    {"good-ground", Use::ground, "#e6f5ea", "#12261a"},
    {"text", Use::text, "#1b1f24", "#e6edf3"},
    {"dim", Use::text, "#545d68", "#9aa4b0"},
    {"task", Use::text, "#0a58b5", "#7cc0ff"},
    {"stream", Use::text, "#6a35b5", "#d0a9ff"},
    {"object", Use::text, "#14692e", "#5fd470"},
    {"death", Use::text, "#835400", "#e5b73b"},
    {"bad", Use::text, "#b4161f", "#ff8a82"},
    {"ordered", Use::text, "#07686d", "#4fd1d0"},
    {"line", Use::line, "#d3d9e0", "#323a44"},
}};

}  // namespace harness::reports
