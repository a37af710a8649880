// SPDX-License-Identifier: Apache-2.0
// FuzzArguments: the flags of a fuzz target that libFuzzer does not have. libFuzzer ignores
// arguments that begin with two dashes, so a misspelt --variant would silently fuzz the sound
// variants.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/suggest.h"

namespace harness::entries {

struct FuzzFlag {
  std::string_view name;
  const char* variable;  ///< The environment variable that passes the value to processes started by
                         ///< libFuzzer.
};

inline constexpr std::array kFuzzFlags{FuzzFlag{"--variant", "AFTERLIFE_VARIANT"},
                                       FuzzFlag{"--config", "AFTERLIFE_CONFIG"},
                                       FuzzFlag{"--dictionary", "AFTERLIFE_DICTIONARY"}};

inline std::vector<std::string> fuzz_flag_names() {
  std::vector<std::string> names;
  for (const FuzzFlag& flag : kFuzzFlags) names.emplace_back(flag.name);
  return names;
}

/// Removes our flags from the command line, and passes each with its value to `set(variable,
/// value)`. Returns what is wrong with a flag that is neither ours nor libFuzzer's, or "".
template <class Set>
std::string take_fuzz_flags(int& argc, char** argv, Set set) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "-ignore_remaining_args=1") {  // The rest belongs to libFuzzer's parent process.
      while (i < argc) argv[kept++] = argv[i++];
      break;
    }
    if (!word.starts_with("--")) {
      argv[kept++] = argv[i];
      continue;
    }
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    const FuzzFlag* known = nullptr;
    for (const FuzzFlag& flag : kFuzzFlags)
      if (flag.name == name) known = &flag;
    if (known == nullptr)
      return fmt::format("there is no flag '{}'{}", name, did_you_mean(name, fuzz_flag_names()));
    if (equals + 1 >= word.size()) return fmt::format("{} needs a value: {}=TEXT", name, name);
    set(known->variable, std::string(word.substr(equals + 1)));
  }
  argv[argc = kept] = nullptr;
  return {};
}

}  // namespace harness::entries
