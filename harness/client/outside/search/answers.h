// SPDX-License-Identifier: Apache-2.0
// Answers: the orders of the runs of a search, made by a strategy one run after another.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "harness/client/outside/client.h"

namespace harness::client {

/// Each run is a separate process that follows its orders. When the run is over, the strategy gets
/// its reports. Threads: confined to one thread.
class Answers {
 public:
  virtual ~Answers() = default;
  /// Fills in the orders of the next run; the first run makes default choices. The first run is
  /// over before the second is requested, and if the strategy looks back, each run is over before
  /// the next. Returns false when nothing is left to try.
  virtual bool next(Orders& orders) = 0;
  /// Notes that the run of these orders is over.
  virtual void ran(const ClientRun& run) = 0;
  /// Returns the largest k such that every set of at most k choices has been tried; 0 if the
  /// strategy does not know.
  virtual unsigned tried_whole() const { return 0; }
};

struct AnswersInfo {
  std::string_view name;
  std::string_view summary;
  bool looks_back;  ///< The next orders depend on the choices that the previous run offered.
  std::unique_ptr<Answers> (*make)(std::uint64_t seed);
};

/// Returns all strategies, the default first.
std::span<const AnswersInfo> all_answers();

/// Returns the strategy of that name, or null.
const AnswersInfo* find_answers(std::string_view name);

}  // namespace harness::client
