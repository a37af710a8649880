// SPDX-License-Identifier: Apache-2.0
// Html: markup of a page, a drawing or an XML file, in which text is escaped by its type.
//
// Markup is made of constants of our source, of other markup, and of text, which is escaped. Text
// from files is untrusted, and there is no way to insert it unescaped. Deterministic: no ids, no
// dates.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace harness::reports {

/// A constant of our source: trusted text.
class Literal {
 public:
  /// Accepts nothing but constants.
  template <std::convertible_to<std::string_view> Text>
  consteval Literal(const Text& text) : text_(text) {}

  std::string_view text() const { return text_; }  ///< Returns the constant.

 private:
  std::string_view text_;
};

template <class Value>
concept Number =
    std::is_arithmetic_v<Value> && !std::same_as<Value, bool> && !std::same_as<Value, char>;

/// Escapes a line of text as shown_text() does.
std::string shown_line(std::string_view text);

/// A piece of markup.
class Markup {
 private:
  /// Returns a value in the form in which a pattern takes it.
  template <class Value>
  static decltype(auto) part(const Value& value) {
    if constexpr (std::same_as<Value, Markup>)
      return (value.text_);
    else if constexpr (std::same_as<Value, Literal>)
      return value.text();
    else if constexpr (Number<Value>)
      return Value(value);
    else
      return shown_line(value);
  }

 public:
  Markup() = default;
  Markup(Literal literal) : text_(literal.text()) {}

  /// Returns a pattern with a value at each place: markup and literals as they are, numbers
  /// formatted as the place says, and lines of text as by shown_text().
  template <class... Values>
  static Markup of(fmt::format_string<decltype(part(std::declval<const Values&>()))...> pattern,
                   const Values&... values) {
    return made(fmt::format(pattern, part(values)...));
  }

  Markup& operator+=(const Markup& other) {
    text_ += other.text_;
    return *this;
  }
  Markup& operator+=(Literal literal) {
    text_ += literal.text();
    return *this;
  }
  friend Markup operator+(Markup left, const Markup& right) { return std::move(left += right); }
  friend Markup operator+(Markup left, Literal right) { return std::move(left += right); }
  friend Markup operator+(Literal left, const Markup& right) { return Markup(left) + right; }

  /// Returns whether there is nothing in it.
  bool empty() const { return text_.empty(); }
  /// Returns it, to write into a file.
  const std::string& text() const { return text_; }

 private:
  /// Takes text that is markup already.
  static Markup made(std::string text) {
    Markup markup;
    markup.text_ = std::move(text);
    return markup;
  }

  friend Markup shown_text(std::string_view text);
  friend Markup shown_name(std::string_view name);
  friend Markup coloured(std::string_view text);

  std::string text_;
};

/// Escapes text for use between tags, or in an attribute. Line breaks are kept.
std::string escaped(std::string_view text);

/// Returns a line of untrusted text: control characters are replaced by their numbers, then it is
/// escaped.
Markup shown_text(std::string_view text);

/// The same for a name, a signature or a file. A long one can be broken after an underscore, a
/// slash, a dash or a colon, but not within a word.
Markup shown_name(std::string_view name);

/// The same for each line of a text.
Markup shown_lines(std::string_view text);

/// Escapes text, and makes each terminal colour a span: `Terminal::paint(Colour::red, "x")` gives
/// <span class="t31">x</span>. Line breaks are kept.
Markup coloured(std::string_view text);

/// Returns a path as a relative reference (RFC 3986), as links require.
std::string reference(std::string_view path);

/// Returns one word of a command line for a POSIX shell, quoted if necessary.
std::string shell_word(std::string_view word);

// ---- parts of a page ----

/// Returns a part of a page that scrolls if it is too wide.
Markup scrolling(std::string_view name, const Markup& inside);

/// Returns a section that scrolls if it is too wide. `above`: markup between the title and that.
Markup section(std::string_view title, const Markup& inside, const Markup& above = {});

/// Returns a row of a table with a heading at its left.
Markup table_row(std::string_view heading, std::string_view value);

/// Returns a whole page.
Markup whole_page(std::string_view title, const Markup& style, const Markup& body);

}  // namespace harness::reports
