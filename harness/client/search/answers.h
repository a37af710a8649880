// Answers: what the runs of a search are told to answer, one run after another, by a strategy.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "harness/client/client.h"

namespace harness::client {

/// Each run is a process of its own, which answers as its orders say: a strategy knows of it what
/// its reports tell once it is over. Threads: confined to one thread.
class Answers {
 public:
  virtual ~Answers() = default;
  /// Fills in how the next run answers: the first plainly. The first is over before the second is
  /// asked for, and of a strategy that looks back each. Returns false when nothing is left to try.
  virtual bool next(Orders& orders) = 0;
  /// The run of these orders is over.
  virtual void ran(const ClientRun& run) = 0;
  /// Returns the largest k of which every set of at most k decisions has been tried, by design; 0
  /// where a strategy knows of none.
  virtual unsigned tried_whole() const { return 0; }
};

struct AnswersInfo {
  std::string_view name;
  std::string_view summary;
  bool looks_back;  ///< Answers depend on what the run before was asked.
  std::unique_ptr<Answers> (*make)(std::uint64_t seed);
};

/// Returns all strategies, the usual one first.
std::span<const AnswersInfo> all_answers();

/// Returns the one of that name, or null.
const AnswersInfo* find_answers(std::string_view name);

}  // namespace harness::client
