// SPDX-License-Identifier: Apache-2.0
// Label: the static name of a place in code or a kind of thing ("delete_argpack", "ArgPack").
// Signatures and traces are made of labels and names, never of addresses or line numbers.
#pragma once

#include <string_view>

#include "harness/base/base.h"

namespace harness {

/// A literal converts implicitly and is hashed by the compiler; other text needs of().
/// Lifetime: points at a string that outlives every run (a literal, or a kernel's entry name).
class Label {
 public:
  constexpr Label() = default;
  consteval Label(const char* literal)
      : Label(of(literal)) {}  // Implicit: literals read best unwrapped.

  /// Makes a label from text that is not known to the compiler, such as a kernel's entry name.
  static constexpr Label of(const char* text) {
    Label label;
    label.text_ = text;
    label.hash_ = hash_name(text);
    return label;
  }

  /// Returns the text.
  constexpr std::string_view view() const { return text_; }
  /// Returns the text, ended by a zero byte.
  constexpr const char* c_str() const { return text_; }
  /// Returns whether the text is empty.
  constexpr bool empty() const { return *text_ == '\0'; }
  constexpr std::uint64_t hash() const { return hash_; }

  /// Compares contents: equal names from two translation units are equal.
  constexpr bool operator==(const Label& other) const { return hash_ == other.hash_; }

 private:
  const char* text_ = "";
  std::uint64_t hash_ = hash_name("");
};

}  // namespace harness
