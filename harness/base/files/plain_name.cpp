// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/plain_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/printable.h"

namespace harness {
namespace {

constexpr std::size_t kNameBytes = 200, kIdDigits = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hexadecimal(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

[[noreturn]] void refuse(std::string_view what, const std::string& text, std::string_view why) {
  throw NotAName(fmt::format("{} is '{}', which is not {} {}", what, shown(text),
                             why.starts_with('i') ? "an" : "a", why));
}

}  // namespace

bool is_plain_name(std::string_view text) {
  constexpr std::string_view kOthers = ".+=,@-";
  return !text.empty() && text.size() <= kNameBytes && is_word(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_word(c) || kOthers.find(c) != kOthers.npos; });
}

bool is_hexadecimal_id(std::string_view text) {
  return text.size() == kIdDigits && std::all_of(text.begin(), text.end(), is_hexadecimal);
}

std::string plain_name(std::string text, std::string_view what) {
  if (!is_plain_name(text)) refuse(what, text, "plain name");
  return text;
}

std::string hexadecimal_digits(std::string text, std::string_view what) {
  if (!std::all_of(text.begin(), text.end(), is_hexadecimal))
    refuse(what, text, "number of hexadecimal digits");
  return text;
}

std::string hexadecimal_id(std::string text, std::string_view what) {
  if (!is_hexadecimal_id(text)) refuse(what, text, "id: expected 16 hexadecimal digits");
  return text;
}

}  // namespace harness
