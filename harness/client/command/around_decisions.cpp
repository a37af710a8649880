// SPDX-License-Identifier: Apache-2.0
// How it works. After an edit of the program, the choice that a decision answers has another name.
// A run of the other decisions lists the offered choices. The same answer is then tried at those of
// the same kind.
#include "harness/client/command/around_decisions.h"

#include <algorithm>
#include <vector>

#include "harness/client/border/orders.h"
#include "harness/client/outside/search/search.h"

namespace harness::entries {
namespace {

using client::AskedQuestion;
using client::ClientRun;

constexpr unsigned kRuns = 40;

class Around {
 public:
  Around(const client::Client& client, const client::Finding& finding,
         const std::function<bool(const client::ToldFault&)>& is_alike,
         const std::atomic<bool>& stop)
      : client_(client), finding_(finding), is_alike_(is_alike), stop_(stop) {}

  Nearby look() {
    const Tape tape = client::orders_of(finding_).tape;
    for (std::size_t i = 0; i < tape.size() && !is_over(); ++i) {
      Tape others = tape;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const ClientRun without = run(others, true);
      for (const Decision& moved : nearest(questions_of(without), tape, i)) {
        if (is_over()) break;
        Tape changed = tape;
        changed[i] = moved;
        run(changed, false);
      }
    }
    return found_;
  }

 private:
  bool is_over() const { return found_.is_found || found_.run_count >= kRuns || stop_.load(); }

  ClientRun run(const Tape& tape, bool asks) {
    client::Orders orders = client::default_orders_of(finding_);
    orders.tape = tape;
    orders.asks = asks;
    ClientRun made = client::run_client(client_, orders, stop_);
    ++found_.run_count;
    for (const client::Report& report : made.reports)
      found_.is_found = found_.is_found || std::ranges::any_of(report.faults, is_alike_);
    found_.is_found = found_.is_found || std::ranges::any_of(made.failures, is_alike_);
    return made;
  }

  static std::vector<AskedQuestion> questions_of(const ClientRun& run) {
    std::vector<AskedQuestion> all;
    for (const client::Report& report : run.reports)
      all.insert(all.end(), report.asked.begin(), report.asked.end());
    return all;
  }

  /// Returns other choices at which the answer of a decision can be given. Where its own choice has
  /// moved is unknown, so if there are many, a sample of the whole run is returned.
  static std::vector<Decision> nearest(const std::vector<AskedQuestion>& asked, const Tape& tape,
                                       std::size_t index) {
    constexpr std::size_t kEach = 16;
    const Decision& old = tape[index];
    std::vector<Decision> all;
    for (const AskedQuestion& question : asked) {
      const Decision moved{question.activation, site_tag(question.site), question.nth, old.value};
      const bool fits = moved.site_tag == old.site_tag && moved != old &&
                        std::ranges::find(question.values, old.value) != question.values.end();
      if (fits && std::ranges::find(tape, moved) == tape.end()) all.push_back(moved);
    }
    if (all.size() <= kEach) return all;
    std::vector<Decision> some;
    for (std::size_t i = 0; i < kEach; ++i) some.push_back(all[i * all.size() / kEach]);
    return some;
  }

  const client::Client& client_;
  const client::Finding& finding_;
  const std::function<bool(const client::ToldFault&)>& is_alike_;
  const std::atomic<bool>& stop_;
  Nearby found_;
};

}  // namespace

Nearby look_around(const client::Client& client, const client::Finding& finding,
                   const std::function<bool(const client::ToldFault&)>& is_alike,
                   const std::atomic<bool>& stop) {
  return Around(client, finding, is_alike, stop).look();
}

}  // namespace harness::entries
