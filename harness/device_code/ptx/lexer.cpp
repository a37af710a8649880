// SPDX-License-Identifier: Apache-2.0
#include "harness/device_code/ptx/lexer.h"

#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace harness::ptx {
namespace {

/// Maximum number of inlined calls that are recorded for a line.
constexpr int kCallersLimit = 256;
/// The highest number of a file.
constexpr int kFileLimit = 1 << 20;

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}
bool goes_on(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

}  // namespace

void Lexer::fail(const std::string& why) const {
  const std::string here = now_.kind == Token::Kind::end
                               ? "the end of the text"
                               : fmt::format("'{}'", now_.text.substr(0, 40));
  throw Malformed{fmt::format("line {}: {} at {}", now_.line, why, here)};
}

Token Lexer::take() {
  const Token taken = now_;
  if (taken.kind == Token::Kind::end) fail("unexpected end");
  next();
  return taken;
}

bool Lexer::accept(std::string_view word) {
  if (now_.kind == Token::Kind::end || now_.kind == Token::Kind::text || now_.text != word)
    return false;
  next();
  return true;
}

void Lexer::expect(std::string_view word) {
  if (!accept(word)) fail(fmt::format("'{}' is missing", word));
}

void Lexer::skip_braces() {
  expect("{");
  for (int depth = 1; depth != 0;) {
    const std::string_view word = take().text;
    depth += word == "{" ? 1 : word == "}" ? -1 : 0;
  }
}

void Lexer::skip_line() {
  while (place_ < text_.size() && text_[place_] != '\n') ++place_;
}

void Lexer::skip_blanks() {
  while (place_ < text_.size()) {
    const char c = text_[place_];
    if (c == '\n') ++line_;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++place_;
    } else if (c == '/' && at(1) == '/') {
      skip_line();
    } else if (c == '/' && at(1) == '*') {
      const std::size_t end = text_.find("*/", place_ + 2);
      const std::size_t after = end == std::string_view::npos ? text_.size() : end + 2;
      for (; place_ < after; ++place_) line_ += text_[place_] == '\n' ? 1 : 0;
    } else {
      return;
    }
  }
}

/// Reads "1 12 5", after .loc: a file's number, a line, a column. Line 0 is code of the compiler.
/// For an inlined function, "inlined_at" gives the position of the call, which an earlier .loc
/// describes.
void Lexer::read_source(std::string_view line) {
  const std::string text(line);
  std::array<int, 3> at{};
  if (std::sscanf(text.c_str(), "%d %d %d", &at[0], &at[1], &at[2]) < 2 || at[1] <= 0) return;
  SourceLine read{at[0], at[1], nullptr, 0};
  std::array<int, 3> call{};
  const std::size_t inlined = text.find("inlined_at");
  if (inlined != std::string::npos && std::sscanf(text.c_str() + inlined, "inlined_at %d %d %d",
                                                  &call[0], &call[1], &call[2]) == 3) {
    const auto known = lines_.find(call);
    const bool is_known = known != lines_.end() && known->second.depth < kCallersLimit;
    read.caller = std::make_shared<SourceLine>(is_known ? known->second
                                                        : SourceLine{call[0], call[1], nullptr, 0});
    read.depth = read.caller->depth + 1;
  }
  lines_[at] = source_ = read;
}

/// Reads the number and the last text of "1 "name.cu", 1234, 56", after .file.
void Lexer::read_file(std::string_view line) {
  int number = 0;
  const std::size_t end = line.rfind('"');
  const std::size_t begin =
      end == std::string_view::npos || end == 0 ? end : line.rfind('"', end - 1);
  if (begin == std::string_view::npos) return;
  if (std::sscanf(std::string(line.substr(0, begin)).c_str(), "%d", &number) != 1) return;
  if (number < 0 || number > kFileLimit) return;
  files_[number] = line.substr(begin + 1, end - begin - 1);
}

/// A word continues after a dot, or two colons, if another word follows.
void Lexer::read_word() {
  const std::size_t begin = place_;
  now_.kind = text_[place_] == '.' ? Token::Kind::directive : Token::Kind::word;
  ++place_;
  for (;;) {
    while (goes_on(at(0))) ++place_;
    const std::size_t colons = at(0) == ':' && at(1) == ':' ? 2 : at(0) == '.' ? 1 : 0;
    if (colons == 0 || !goes_on(at(colons)) || now_.kind == Token::Kind::directive) break;
    place_ += colons;
  }
  now_.text = text_.substr(begin, place_ - begin);
}

/// 0f3F800000 and 0d3FF0000000000000 are bits. Others are as in C, with or without U at the end.
void Lexer::read_number() {
  const std::size_t begin = place_;
  const char second = static_cast<char>(std::tolower(static_cast<unsigned char>(at(1))));
  const bool is_bits = text_[place_] == '0' && (second == 'f' || second == 'd');
  const bool is_hex = text_[place_] == '0' && (second == 'x' || is_bits);
  const bool is_binary = text_[place_] == '0' && second == 'b';
  if (is_hex || is_binary) place_ += 2;
  const std::size_t digits = place_;
  const auto goes = [&](char c) {
    return is_hex ? std::isxdigit(static_cast<unsigned char>(c)) != 0
                  : std::isdigit(static_cast<unsigned char>(c)) != 0;
  };
  while (goes(at(0))) ++place_;
  if (!is_hex && !is_binary && (at(0) == '.' || at(0) == 'e' || at(0) == 'E')) {
    char* end = nullptr;
    const std::string copy(text_.substr(begin, 64));
    now_.bits = std::bit_cast<std::uint64_t>(std::strtod(copy.c_str(), &end));
    place_ = begin + static_cast<std::size_t>(end - copy.c_str());
    now_.kind = Token::Kind::real;
    now_.real_bytes = 8;
  } else {
    const bool is_octal = !is_hex && !is_binary && text_[begin] == '0' && place_ - begin > 1;
    const int base = is_hex ? 16 : is_binary ? 2 : is_octal ? 8 : 10;
    now_.bits = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + digits, text_.data() + place_, now_.bits, base);
    now_.kind = is_bits ? Token::Kind::real : Token::Kind::integer;
    now_.real_bytes = second == 'f' ? 4 : 8;
    if (at(0) == 'U') ++place_;
    now_.text = text_.substr(begin, place_ - begin);
    if (error != std::errc() || end == text_.data() + digits) fail("no number");
  }
  now_.text = text_.substr(begin, place_ - begin);
}

void Lexer::next() {
  for (;;) {
    skip_blanks();
    now_ = {};
    now_.line = line_;
    now_.source = source_;
    if (place_ >= text_.size()) return;
    const char c = text_[place_];
    if (begins_word(c) || (c == '.' && begins_word(at(1)))) {
      read_word();
      if (now_.text != ".loc" && now_.text != ".file") return;
      const std::size_t begin = place_;
      skip_line();
      const std::string_view rest = text_.substr(begin, place_ - begin);
      now_.text == ".loc" ? read_source(rest) : read_file(rest);
    } else if (c == '@' && at(1) == '@') {
      skip_line();
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      return read_number();
    } else if (c == '"') {
      const std::size_t end = text_.find('"', place_ + 1);
      if (end == std::string_view::npos) fail("no end of a text");
      now_.kind = Token::Kind::text;
      now_.text = text_.substr(place_ + 1, end - place_ - 1);
      place_ = end + 1;
      return;
    } else {
      now_.kind = Token::Kind::sign;
      now_.text = text_.substr(place_++, 1);
      return;
    }
  }
}

}  // namespace harness::ptx
