// SPDX-License-Identifier: Apache-2.0
// Asked questions: a strategy that records the offered choices, and forwards them to another one.
#pragma once

#include <memory>
#include <vector>

#include "harness/client/border/report.h"

namespace harness::entries {

/// Ownership: owns the other strategy; borrows the list. Threads: confined to one thread.
class AskedQuestions final : public Strategy {
 public:
  AskedQuestions(std::unique_ptr<Strategy> answers, std::vector<client::AskedQuestion>& list)
      : answers_(std::move(answers)), list_(list) {}

  void begin() override { answers_->begin(); }
  std::uint32_t answer(const Question& question) override;

 private:
  std::unique_ptr<Strategy> answers_;
  std::vector<client::AskedQuestion>& list_;
};

}  // namespace harness::entries
