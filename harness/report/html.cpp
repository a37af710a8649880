// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/printable.h"

namespace harness::reports {
namespace {

constexpr std::string_view kColourBegin = "\x1b[";

/// Returns the digits of the colour code at the beginning of `text`; "" for other escapes.
std::string_view colour_code(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789", kColourBegin.size());
  if (end == text.npos || text[end] != 'm') return {};
  return text.substr(kColourBegin.size(), end - kColourBegin.size());
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  return safe;
}

std::string shown_text(std::string_view text) { return escaped(printable(text)); }

std::string shown_name(std::string_view name) {
  constexpr std::string_view kBreaks = "_/-:";
  std::string text;
  for (const char c : shown_text(name)) {
    text += c;
    if (kBreaks.find(c) != kBreaks.npos) text += "<wbr>";
  }
  return text;
}

std::string coloured(std::string_view text) {
  std::string html;
  bool open = false;
  for (std::size_t at; (at = text.find(kColourBegin)) != text.npos;) {
    html += escaped(text.substr(0, at));
    text.remove_prefix(at);
    const std::string_view code = colour_code(text);
    if (open) html += "</span>";
    open = !code.empty() && code != "0";
    if (open) html += "<span class=\"t" + std::string(code) + "\">";
    text.remove_prefix(code.empty() ? kColourBegin.size() : kColourBegin.size() + code.size() + 1);
  }
  return html + escaped(text) + (open ? "</span>" : "");
}

std::string reference(std::string_view path) {
  constexpr std::string_view kPlain = "_-./~";
  std::string text;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kPlain.find(c) != kPlain.npos;
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

std::string shell_word(std::string_view word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./+,:=@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return std::string(word);
  std::string safe = "'";
  for (const char c : word) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return safe + "'";
}

}  // namespace harness::reports
