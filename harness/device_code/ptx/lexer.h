// SPDX-License-Identifier: Apache-2.0
// Lexer: the words of a PTX text. An instruction with its modifiers ("ld.global.u32") is one word,
// and so is a directive (".reg"). Comments are not words. Neither are .loc and .file, which give
// the source line of the following words.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "harness/device_code/ptx/module.h"

namespace harness::ptx {

struct Token {
  enum class Kind : std::uint8_t { end, word, directive, integer, real, text, sign };
  Kind kind = Kind::end;
  std::string_view text;
  std::uint64_t bits = 0;        ///< The value of a number.
  std::uint32_t real_bytes = 0;  ///< 4 for "0f...", else 8.
  int line = 1;
  SourceLine source;  ///< From the last .loc.
};

/// Lifetime: borrows the text. Errors: Malformed.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { next(); }

  /// Returns the next word.
  const Token& peek() const { return now_; }
  /// Takes the next word.
  Token take();
  /// Takes the next word if it is this one.
  bool accept(std::string_view word);
  /// Takes this word. Fails if it is not the next one.
  void expect(std::string_view word);
  /// Reports an error at the next word.
  [[noreturn]] void fail(const std::string& why) const;
  /// Takes words up to the end of the block that the next "{" opens.
  void skip_braces();
  /// Forgets the last .loc, because another function begins.
  void forget_source() {
    source_ = {};
    lines_.clear();
  }
  /// Returns the names of all .file directives so far, by number.
  const std::map<int, std::string>& files() const { return files_; }

 private:
  void next();
  void skip_blanks();
  void skip_line();
  void read_source(std::string_view line);
  void read_file(std::string_view line);
  void read_word();
  void read_number();
  char at(std::size_t offset) const {
    return place_ + offset < text_.size() ? text_[place_ + offset] : '\0';
  }

  std::string_view text_;
  std::size_t place_ = 0;
  int line_ = 1;
  SourceLine source_;
  std::map<std::array<int, 3>, SourceLine> lines_;  ///< The last .loc of a file, line and column.
  std::map<int, std::string> files_;
  Token now_;
};

}  // namespace harness::ptx
