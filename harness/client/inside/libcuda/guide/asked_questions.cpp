// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/guide/asked_questions.h"

namespace harness::entries {

/// Limit of recorded choices: a choice is offered before each line of the user's files.
static constexpr std::size_t kListLimit = 4096;

std::uint32_t AskedQuestions::answer(const Question& question) {
  if (list_.size() < kListLimit) {
    client::AskedQuestion& asked =
        list_.emplace_back(question.activation, question.site, question.nth);
    for (std::uint32_t i = 1; i < question.option_count; ++i)
      asked.values.push_back(question.value(i));
  }
  return answers_->answer(question);
}

}  // namespace harness::entries
