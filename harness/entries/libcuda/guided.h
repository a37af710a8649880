// Guided: the guide of a process that `afterlife run` started. Answers as the orders say, and
// reports.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/client/call_mark.h"
#include "harness/client/orders.h"
#include "harness/client/report.h"
#include "harness/cuda/guide.h"
#include "harness/world.h"

namespace harness::entries {

/// Lifetime: until the process ends.
class Guided final : public Guide {
 public:
  /// Returns the guide where the environment orders one, else null. Orders that cannot be read are
  /// told on stderr, and there is none.
  static std::unique_ptr<Guide> make();

  Guided(std::string folder, client::Orders orders);

  Strategy& strategy() override { return *strategy_; }
  void coming() override;
  void forked() override { is_claimed_ = false; }
  Activation begin_call(std::size_t thread, Label function) override;
  void passed(const World& world) override;
  void found(const World& world, const Fault& fault) override;

 private:
  /// Whoever asks a question, so that it can be told in words.
  struct Asker {
    std::string_view function;  ///< Empty: `line` of `file`.
    std::size_t thread = 0;
    std::uint32_t nth = 0;  ///< Counted from 1 on.
    const std::string* file = nullptr;
    int line = 0;
  };

  class FirstQuestion;

  static bool asks_to_collect(const char* file, int line);
  bool decide_to_collect(const char* file, int line);
  /// Has the driver do what the orders say, before its first call.
  void set_up(World& world);
  void watch_python();
  /// Takes the next number that no process of the program has, unless this one has its own.
  void claim_process();
  void take_number();
  /// Forks a child for each run that is wanted. Returns, in each, who answers.
  std::unique_ptr<Strategy> begin_run();
  /// Makes it known by name who asked and what caused what.
  void index();
  std::string words_of(const Asker& asker) const;
  client::ToldDecision told(const Decision& decision) const;
  /// Returns the call or the line that an activation comes from.
  Name origin_of(Name activation) const;
  const client::Place& place_of(Name activation) const;
  void find_places(const World& world, const Fault& fault, client::ToldFault& told) const;
  void report(const World& world);
  static void end_of_process();

  std::string folder_;
  client::Orders orders_;
  std::unique_ptr<Strategy> strategy_;
  Name root_ = 0;            ///< The process.
  bool is_claimed_ = false;  ///< The process has a number.
  bool is_set_up_ = false;
  client::Report report_;
  client::CallMark mark_;
  std::uint32_t told_failures_ = 0;  ///< So many calls that were told to fail are in the report.
  std::map<std::pair<std::size_t, std::uint64_t>, std::uint32_t> call_counts_;
  std::map<std::pair<std::string, int>, std::uint32_t> line_counts_;
  std::vector<std::pair<Name, Asker>> new_askers_;  ///< Not looked up yet: most never are.
  std::vector<std::pair<Name, Name>> new_parents_;
  std::unordered_map<Name, Asker> askers_;
  std::unordered_map<Name, Name> parents_;  ///< By the name of what they caused.
  std::unordered_map<Name, client::Place> places_;
};

}  // namespace harness::entries
