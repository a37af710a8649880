// SPDX-License-Identifier: Apache-2.0
#include "harness/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace harness {
namespace {

struct Character {
  std::size_t bytes;  ///< 0 if the text does not begin with valid UTF-8.
  std::uint32_t code;
};

/// Returns the first character of a non-empty text. Source: RFC 3629, section 4.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {0, 0};
  std::uint32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {0, 0};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kLeast[bytes] || code > 0x10ffff || surrogate ? Character{0, 0}
                                                              : Character{bytes, code};
}

/// Returns whether a character is a control, a direction mark, or has no width.
bool is_unseen(std::uint32_t code) {
  const auto in = [&](std::uint32_t first, std::uint32_t last) {
    return code >= first && code <= last;
  };
  return code < 0x20 || in(0x7f, 0x9f) || code == 0x61c || in(0x200b, 0x200f) ||
         in(0x2028, 0x202e) || in(0x2060, 0x206f) || code == 0xfeff;
}

std::string escape(std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  return code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{{{:x}}}", code);
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

std::size_t utf8_bytes(std::string_view text) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Character next = first_character(text.substr(bytes, 4));
    if (next.bytes == 0) break;
    bytes += next.bytes;
  }
  return bytes;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character next = first_character(text.substr(0, 4));
    if (next.bytes == 0)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if (is_unseen(next.code))
      result += escape(next.code);
    else
      result += text.substr(0, next.bytes);
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  return result;
}

std::string shown(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return printable(text);
  std::size_t head = limit * 2 / 3;
  std::size_t tail = text.size() - limit / 4;
  for (int i = 0; i < 3 && head > 0 && continues(text[head]); ++i) --head;
  for (int i = 0; i < 3 && tail < text.size() && continues(text[tail]); ++i) ++tail;
  return fmt::format("{}...({} bytes)...{}", printable(text.substr(0, head)), tail - head,
                     printable(text.substr(tail)));
}

}  // namespace harness
