// SPDX-License-Identifier: Apache-2.0
// How it works. A table has a row for each documented option and directs the parser. Rows with use
// `own` have a function each.
#include "harness/device_code/nvrtc/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <optional>

namespace harness::nvrtc {
namespace {

enum class Use : unsigned char { shared, own, nothing, note, refused };

struct Row {
  std::string_view name, brief, argument;
  Use use;
  std::string_view for_clang;
};

constexpr Row kRows[] = {
#define OPTION(name, brief, argument, use, for_clang) {name, brief, argument, Use::use, for_clang},
#include "harness/device_code/nvrtc/options.def"
#undef OPTION
};

[[noreturn]] void refuse(const std::string& why) {
  throw InvalidOption{fmt::format("nvrtc: error: {}\n", why)};
}

std::string full_name(const Row& row) { return fmt::format("{} ({})", row.name, row.brief); }

/// Returns whether a name has one letter, so that its argument may follow directly: -DNAME.
bool is_one_letter(std::string_view name) { return name.size() == 2; }

/// A row, and the argument in the same word.
struct Named {
  const Row* row;
  std::optional<std::string> argument;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

Named find(std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  for (const Row& row : kRows) {
    if (name != row.name && name != row.brief) continue;
    if (name.size() == word.size()) return {&row, std::nullopt};
    return {&row, std::string(word.substr(name.size() + 1))};
  }
  for (const Row& row : kRows) {
    if (!is_one_letter(row.brief) || row.argument != "text" || !word.starts_with(row.brief))
      continue;
    return {&row, std::string(trimmed(word.substr(row.brief.size())))};
  }
  refuse(fmt::format("no such option: {}", word));
}

bool is_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0;
}

bool is_among(std::string_view text, std::string_view words) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find('|'));
    if (text == word) return true;
    words.remove_prefix(std::min(word.size() + 1, words.size()));
  }
  return false;
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

/// Checks an argument. Compilers read "@FILE" as a file of further words.
void check_text(const Row& row, const std::string& argument) {
  if (argument.empty()) refuse(fmt::format("{} takes an argument", full_name(row)));
  if (argument.front() == '@')
    refuse(fmt::format("{} takes no file of options: '{}'", full_name(row), argument));
  if (has_control(argument))
    refuse(fmt::format("{}: a control character in its argument", full_name(row)));
}

bool is_numbers(std::string_view text) {
  while (is_number(text.substr(0, text.find(',')))) {
    const std::size_t comma = text.find(',');
    if (comma == text.npos) return true;
    text.remove_prefix(comma + 1);
  }
  return false;
}

void check(const Row& row, const std::string& argument) {
  const std::string_view kind = row.argument;
  if (kind == "truth" || kind == "maybe") {
    if (argument != "true" && argument != "false")
      refuse(fmt::format("{} takes true or false, not '{}'", full_name(row), argument));
  } else if (kind == "number") {
    if (!is_number(argument))
      refuse(fmt::format("{} takes a number, not '{}'", full_name(row), argument));
  } else if (kind == "numbers") {
    if (!is_numbers(argument))
      refuse(fmt::format("{} takes numbers with commas, not '{}'", full_name(row), argument));
  } else if (kind == "text") {
    check_text(row, argument);
  } else if (!is_among(argument, kind)) {
    refuse(fmt::format("{} takes {}, not '{}'", full_name(row), kind, argument));
  }
}

/// Checks a name such as compute_90a or sm_90a. The letter after the number means a family or
/// specific features.
void check_architecture(const Row& row, const std::string& argument) {
  std::string_view number = argument;
  for (const std::string_view before : {"compute_", "sm_"})
    if (argument.starts_with(before)) number.remove_prefix(before.size());
  const bool is_lettered = number.ends_with('a') || number.ends_with('f');
  if (is_lettered) number.remove_suffix(1);
  const bool is_known = number.size() < argument.size() && is_number(number) &&
                        std::any_of(
                            std::begin(kArchitectures), std::end(kArchitectures),
                            [&](int known) { return number == std::to_string(known); });
  if (!is_known)
    refuse(fmt::format("{} knows no '{}': compute_75 to compute_121, sm_75 to sm_121",
                       full_name(row), argument));
}

// ---- folders, headers and macros ----------------------------------------------------------------

std::string include_folder(const Row& row, const std::string& folder) {
  std::error_code error;
  const std::string path = std::filesystem::absolute(folder, error).string();
  if (error || !is_plain_folder(path))
    refuse(
        fmt::format("{}: the compiler cannot be given '{}': quotes, commas, '$', '`' and '\\' "
                    "mean something else to it",
                    full_name(row), folder));
  return path;
}

std::string pre_include(const Row& row, const std::string& header) {
  if (header.find('"') != header.npos)
    refuse(fmt::format("{}: no header has this name: '{}'", full_name(row), header));
  return fmt::format("#include \"{}\"\n", header);
}

bool is_in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), is_in_name);
}

/// Returns whether the text is NAME or NAME(a, b, ...).
bool is_macro(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == text.npos) return is_name(text);
  const std::string_view parameters = text.substr(open);
  return is_name(text.substr(0, open)) && parameters.find(')') == parameters.size() - 1 &&
         std::all_of(parameters.begin() + 1, parameters.end() - 1,
                     [](char c) { return is_in_name(c) || c == ',' || c == ' ' || c == '.'; });
}

/// Returns the line that defines a macro: "X" is 1, "X=" is empty. A trailing backslash would
/// extend the macro to the next line.
std::string definition(const Row& row, const std::string& argument) {
  const std::size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  const std::string value = equals == argument.npos ? "1" : argument.substr(equals + 1);
  if (!is_macro(name) || value.ends_with('\\') || value.ends_with("?\?/"))
    refuse(fmt::format("{} takes NAME or NAME=VALUE, not '{}'", full_name(row), argument));
  return fmt::format("#define {} {}\n", name, value);
}

std::string removal(const Row& row, const std::string& name) {
  if (!is_name(name)) refuse(fmt::format("{} takes a name, not '{}'", full_name(row), name));
  return fmt::format("#undef {}\n", name);
}

void take_own(Options& made, const Row& row, const std::string& argument) {
  const std::string_view name = row.name;
  const bool is_true = argument == "true";
  if (name == "--gpu-architecture") {
    check_architecture(row, argument);
    made.architecture = argument;
  } else if (name == "--std") {
    made.standard = argument;
  } else if (name == "--device-c" || name == "--device-w") {
    made.is_relocatable = name == "--device-c";
  } else if (name == "--relocatable-device-code") {
    made.is_relocatable = is_true;
  } else if (name == "--fmad") {
    made.contracts = is_true;
  } else if (name == "--use_fast_math") {
    made.is_fast_math = true;
  } else if (name == "--include-path") {
    made.includes.push_back(include_folder(row, argument));
  } else if (name == "--pre-include") {
    made.pre_includes += pre_include(row, argument);
  } else if (name == "--define-macro") {
    made.macros += definition(row, argument);
  } else if (name == "--undefine-macro") {
    made.macros += removal(row, argument);
  } else if (name == "--no-source-include") {
    made.searches_beside_source = false;
  } else if (name == "--no-cache") {
    made.uses_cache = false;
  } else if (name == "--create-pch") {
    made.creates_pch = true;
  } else if (name == "--device-as-default-execution-space") {
    made.is_device_by_default = true;
  } else {  // --device-int128 and --device-float128: only a macro; nvcc has the types.
    made.macros += fmt::format("#define __CUDACC_RTC_{}__ 1\n",
                               name == "--device-int128" ? "INT128" : "FLOAT128");
  }
}

void take(Options& made, const Row& row, const std::string& argument) {
  switch (row.use) {
    case Use::own:
      return take_own(made, row, argument);
    case Use::shared: {
      const std::string_view for_clang = argument != "false" ? row.for_clang : "";
      made.shared.push_back({std::string(row.name), argument, std::string(for_clang)});
      return;
    }
    case Use::note:
      made.notes.push_back(fmt::format("nvrtc: {} has no effect here\n", full_name(row)));
      return;
    case Use::refused:
      refuse(fmt::format("{} is not supported: PTX is all that is made here", full_name(row)));
    case Use::nothing:
      return;
  }
}

}  // namespace

std::string_view Options::generation() const {
  return std::string_view(architecture).substr(architecture.find('_') + 1);
}

bool is_plain_folder(std::string_view path) {
  return path.starts_with('/') && !has_control(path) && path.find_first_of("\"'`$\\,") == path.npos;
}

Options parse_options(std::span<const char* const> given) {
  Options made;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == nullptr) refuse("an option is null");
    auto [row, argument] = find(trimmed(given[i]));
    if (row->argument == "none") {
      if (argument) refuse(fmt::format("{} takes no argument", full_name(*row)));
      take(made, *row, "");
      continue;
    }
    if (!argument && row->argument == "maybe") argument = "true";
    if (!argument && i + 1 < given.size() && given[i + 1] != nullptr)
      argument = std::string(trimmed(given[++i]));
    if (argument && is_one_letter(row->brief) && argument->starts_with('='))
      argument->erase(0, 1);  // For "-D=NAME".
    check(*row, argument.value_or(""));
    take(made, *row, *argument);
  }
  return made;
}

}  // namespace harness::nvrtc
