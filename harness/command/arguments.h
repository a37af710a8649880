// SPDX-License-Identifier: Apache-2.0
// Arguments: validators for values on the command line, and the end of a command's help. CLI11
// itself reads 010 as eight, accepts "" and 2^64, and takes "nan" as a time.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>

namespace harness::entries {

/// Accepts a whole number in decimal digits, without sign and leading zeros.
inline CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        std::uint64_t number = 0;
        const char* end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, number);
        const bool padded = text.size() > 1 && text.front() == '0';
        if (error == std::errc{} && rest == end && !padded && number >= least && number <= most)
          return {};
        return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
      },
      "");
}

/// Accepts a number in decimal digits; refuses nan and inf.
inline CLI::Validator number(double least, double most) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        double value = 0;
        const char* end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc{} && rest == end && value >= least && value <= most) return {};
        return fmt::format("'{}' is not a number from {} to {:.0f}", text, least, most);
      },
      "");
}

/// Accepts a size: a number of bytes, or a number with suffix K, M, G, T, KiB, MiB, GiB or TiB
/// (powers of 1024). Replaces the text by the number of bytes.
inline CLI::Validator size_in_bytes() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        constexpr std::string_view kUnits = "KMGT";
        std::uint64_t number = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, number);
        const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
        const std::size_t power = unit.empty() ? 0 : kUnits.find(unit.front()) + 1;
        const bool is_unit = unit.size() <= 1 || unit.substr(1) == "iB";
        const bool is_known = unit.empty() || power > 0;
        if (error != std::errc{} || !is_known || !is_unit || number >> (64 - 10 * power - 1) > 0)
          return fmt::format("'{}' is not a size such as 500M or 2GiB", text);
        text = fmt::format("{}", number << (10 * power));
        return {};
      },
      "");
}

inline CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& text) { return text.empty() ? "'' names nothing" : std::string(); }, "");
}

/// Adds the option --seed.
inline void add_seed(CLI::App& command, std::uint64_t& seed, const char* words) {
  command.add_option("--seed", seed, words)
      ->check(whole_number(0, ~std::uint64_t{0}))
      ->type_name("N");
}

/// Returns the end of a command's help.
inline std::string help_footer(const char* examples, const char* exit_codes) {
  return fmt::format("\nExamples:\n{}\n\n{}", examples, exit_codes);
}

}  // namespace harness::entries
