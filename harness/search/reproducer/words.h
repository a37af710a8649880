// SPDX-License-Identifier: Apache-2.0
// Words shared by the writer and the reader of reproducers.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "harness/search/reproducer/reproducer.h"

namespace harness::words {

inline constexpr std::string_view kMagic = "afterlife reproducer";
inline constexpr int kVersion = 1;
inline constexpr std::string_view kStart = "start";
inline constexpr std::string_view kNobody = "-";  ///< A task whose name is unknown.

/// Smaller values are numbers; others are the low half of a name.
inline constexpr std::uint32_t kNumberLimit = 1 << 16;

/// Returns the value of a thing on a tape: the low half of its name, and never 0.
constexpr std::uint32_t value_of(Name name) { return static_cast<std::uint32_t>(name) | 1; }

/// Returns whether the value names a thing of the run.
constexpr bool is_thing(Site site, std::uint32_t value) {
  return site == Site::schedule || site == Site::reuse || value >= kNumberLimit;
}

/// Returns whether the name is that of an op slot.
constexpr bool is_slot(Name name) { return name >= slot_name(0, 0) && name < (Name{1} << 33); }
/// Returns the index of the task whose op slot it is.
constexpr std::size_t task_of(Name slot) { return static_cast<std::size_t>(slot >> 16) - 1; }

/// Returns the text in quotes, unless it is one word that cannot be mistaken for anything else.
inline std::string quoted(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), is_plain) &&
                     (text[0] < '0' || text[0] > '9');
  return plain ? std::string(text) : '"' + std::string(text) + '"';
}

}  // namespace harness::words
