// SPDX-License-Identifier: Apache-2.0
#include "harness/core/fault/former_words.h"

#include <algorithm>

namespace harness {
namespace {

struct Word {
  std::string_view former;
  std::string_view current;
};

constexpr Word kWords[] = {
    {"order", "data_race"}, {"retention", "leak"}, {"use_after_death", "use_after_free"}};

std::string replaced(std::string_view signature, std::string_view Word::* from,
                     std::string_view Word::* to) {
  const std::size_t end = std::min(signature.find(' '), signature.size());
  for (const Word& word : kWords)
    if (signature.substr(0, end) == word.*from)
      return std::string(word.*to).append(signature.substr(end));
  return std::string(signature);
}

}  // namespace

std::string in_current_words(std::string_view signature) {
  return replaced(signature, &Word::former, &Word::current);
}

std::string in_former_words(std::string_view signature) {
  return replaced(signature, &Word::current, &Word::former);
}

}  // namespace harness
