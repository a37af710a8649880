// Label: the static name of a place in code or a kind of thing ("delete_argpack", "ArgPack").
// Signatures and traces are made of labels and names, never of addresses or line numbers.
#pragma once

#include <string_view>

#include "harness/base.h"

namespace harness {

/// Lifetime: points at a string that outlives every run (a literal, or a kernel's entry name).
class Label {
 public:
  constexpr Label() = default;
  constexpr Label(const char* text) : text_(text) {}  // NOLINT: literals read best unwrapped.

  constexpr std::string_view view() const { return text_; }
  constexpr const char* c_str() const { return text_; }
  constexpr bool empty() const { return *text_ == '\0'; }
  constexpr std::uint64_t hash() const { return hash_name(text_); }

  /// By content: equal names from two translation units are equal.
  constexpr bool operator==(const Label& other) const {
    return text_ == other.text_ || view() == other.view();
  }

 private:
  const char* text_ = "";
};

}  // namespace harness
