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

std::string shown_line(std::string_view text) { return escaped(printable(text)); }

Markup shown_text(std::string_view text) { return Markup::made(shown_line(text)); }

Markup shown_name(std::string_view name) {
  constexpr std::string_view kBreaks = "_/-:";
  std::string text;
  for (const char c : shown_line(name)) {
    text += c;
    if (kBreaks.find(c) != kBreaks.npos) text += "<wbr>";
  }
  return Markup::made(text);
}

Markup shown_lines(std::string_view text) {
  Markup markup;
  for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
    markup += Markup::of("{}\n", text.substr(0, end));
  return markup + shown_text(text);
}

Markup coloured(std::string_view text) {
  Markup markup;
  bool open = false;
  for (std::size_t at; (at = text.find(kColourBegin)) != text.npos;) {
    markup += Markup::made(escaped(text.substr(0, at)));
    text.remove_prefix(at);
    const std::string_view code = colour_code(text);
    if (open) markup += "</span>";
    open = !code.empty() && code != "0";
    if (open) markup += Markup::of("<span class=\"t{}\">", code);
    text.remove_prefix(code.empty() ? kColourBegin.size() : kColourBegin.size() + code.size() + 1);
  }
  return markup + Markup::made(escaped(text)) + (open ? Markup("</span>") : Markup());
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

Markup scrolling(std::string_view name, const Markup& inside) {
  return Markup::of(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}</div>", name,
      inside);
}

Markup section(std::string_view title, const Markup& inside, const Markup& above) {
  return Markup::of("<section>\n<h2>{}</h2>\n{}{}\n</section>\n", title, above,
                    scrolling(title, inside));
}

Markup table_row(std::string_view heading, std::string_view value) {
  return Markup::of("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", heading, value);
}

Markup whole_page(std::string_view title, const Markup& style, const Markup& body) {
  return Markup::of(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}"
      "</main>\n</body>\n</html>\n",
      title, style, body);
}

}  // namespace harness::reports
