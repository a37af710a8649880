// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/root.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "harness/base/base.h"
#include "harness/search/triage/choice.h"

namespace harness::nightly {
namespace {

using Json = nlohmann::json;

/// A finding without a root.
struct Unsorted {
  std::string cause;
  std::string signature;
  Sorted sorted;
  bool is_of_canary = false;
};

/// An SQL expression: whether a row of findings f belongs to a canary.
constexpr const char* kOfCanary =
    "EXISTS (SELECT 1 FROM sightings s JOIN cells c ON c.night = s.night AND c.shard = s.shard AND "
    "c.path = f.path AND c.variant = f.variant WHERE s.cause = f.cause AND c.claim = 'unsound')";

/// Returns the words that determine the root of a finding: its repair, or its first fault.
std::string what_names(const Unsorted& finding, const std::string& words) {
  if (!words.empty()) return words;
  return finding.sorted.first.empty() ? finding.signature : finding.sorted.first;
}

/// The roots of one path.
class PathRoots {
 public:
  PathRoots(Database& database, const std::string& path) : database_(database), path_(path) {
    for (const Row& row : database.query(
             fmt::format("SELECT words, repairs, root, signature, {} AS is_of_canary FROM roots r "
                         "JOIN findings f USING (cause) WHERE path = :path ORDER BY root",
                         kOfCanary),
             {{"path", path}})) {
      const std::string words = row.text("words");
      const Sorted sorted = words.empty() ? parse_sorted(row.text("repairs")) : Sorted{};
      const std::string what = what_names({{}, row.text("signature"), sorted}, words);
      known_[row.count("is_of_canary") != 0].emplace(what, row.text("root"));
    }
  }

  void sort(const std::vector<Unsorted>& findings) {
    std::vector<Unsorted> fresh;
    for (const Unsorted& finding : findings) {
      if (finding.sorted.repairs.empty())
        note(finding, "");
      else if (const std::optional<std::string> known = known_of(finding))
        note(finding, *known);
      else
        fresh.push_back(finding);
    }
    choose(fresh);
  }

 private:
  std::optional<std::string> known_of(const Unsorted& finding) const {
    std::optional<std::pair<unsigned, std::string>> best;
    for (const RepairRecord& repair : finding.sorted.repairs) {
      const std::pair one(repair.cost, repair.words);
      const bool is_known = known_root(repair.words, finding.is_of_canary) != nullptr;
      if (is_known && (!best || one < *best)) best = one;
    }
    return best ? std::optional(best->second) : std::nullopt;
  }

  /// Returns the root with these words of the same kind (canary or not), else of the other kind; or
  /// null.
  const std::string* known_root(const std::string& what, bool is_of_canary) const {
    for (const bool canary : {is_of_canary, !is_of_canary})
      if (const auto found = known_[canary].find(what); found != known_[canary].end())
        return &found->second;
    return nullptr;
  }

  void choose(const std::vector<Unsorted>& findings) {
    std::map<std::string, unsigned> repairs;  // Costs, by the repair's words.
    for (const Unsorted& finding : findings)
      for (const RepairRecord& repair : finding.sorted.repairs) repairs[repair.words] = repair.cost;
    std::vector<std::string> words;
    std::vector<unsigned> costs;
    for (const auto& [one, cost] : repairs) {
      words.push_back(one);
      costs.push_back(cost);
    }
    std::vector<std::vector<RepairOption>> offers;
    for (const Unsorted& finding : findings) {
      std::vector<RepairOption>& own = offers.emplace_back();
      for (const RepairRecord& repair : finding.sorted.repairs) {
        const auto place = std::lower_bound(words.begin(), words.end(), repair.words);
        own.push_back({static_cast<std::size_t>(place - words.begin()), repair.is_own});
      }
    }
    for (const Explained& cause : choose_causes(costs, offers))
      for (const std::size_t finding : cause.findings) note(findings[finding], words[cause.repair]);
  }

  void note(const Unsorted& finding, const std::string& words) {
    const std::string what = what_names(finding, words);
    const std::string* known = known_root(what, finding.is_of_canary);
    database_.insert("roots", {{"cause", finding.cause},
                               {"root", known != nullptr ? *known : root_of(path_, what)},
                               {"words", words}});
  }

  Database& database_;
  std::string path_;
  /// Roots by their words, for sound variants and for canaries. Joined roots have a common name
  /// (changes.h).
  std::map<std::string, std::string> known_[2];
};

}  // namespace

// Returns a list of repairs, or a string with the first fault. Older histories only have lists.
std::string to_text(const Sorted& sorted) {
  if (sorted.repairs.empty() && !sorted.first.empty()) return Json(sorted.first).dump();
  Json json = Json::array();
  for (const RepairRecord& repair : sorted.repairs)
    json.push_back({repair.words, repair.cost, repair.is_own});
  return json.dump();
}

Sorted parse_sorted(const std::string& text) {
  Sorted sorted;
  try {
    const Json json = Json::parse(text);
    if (json.is_string()) return {{}, json};
    for (const Json& one : json) sorted.repairs.push_back({one.at(0), one.at(1), one.at(2)});
  } catch (const Json::exception&) {
    throw std::runtime_error("repairs of a finding cannot be read");
  }
  return sorted;
}

std::string root_of(const std::string& path, const std::string& what) {
  return fmt::format("{:016x}", hash_name("root of " + path + "\n" + what));
}

void sort_by_root(Database& database) {
  std::map<std::string, std::vector<Unsorted>> by_path;
  for (const Row& row : database.query(fmt::format(
           "SELECT path, cause, signature, repairs, {} AS is_of_canary FROM findings f "
           "WHERE repairs <> '' AND NOT EXISTS (SELECT 1 FROM roots r WHERE r.cause = f.cause) "
           "ORDER BY cause",
           kOfCanary)))
    by_path[row.text("path")].push_back({row.text("cause"), row.text("signature"),
                                         parse_sorted(row.text("repairs")),
                                         row.count("is_of_canary") != 0});
  Transaction transaction(database);
  for (const auto& [path, findings] : by_path) PathRoots(database, path).sort(findings);
  transaction.commit();
}

std::vector<KnownRepair> known_repairs(Database& database) {
  std::vector<KnownRepair> known;
  for (const Row& row : database.query(
           "SELECT path, words, cause FROM roots JOIN findings USING (cause) ORDER BY path, words, "
           "cause")) {
    const std::string path = row.text("path"), words = row.text("words");
    const bool is_same = !known.empty() && known.back().path == path && known.back().words == words;
    if (!is_same) known.push_back({path, words, {}});
    known.back().causes.push_back(row.text("cause"));
  }
  return known;
}

}  // namespace harness::nightly
