// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "harness/base.h"
#include "harness/nightly/sightings.h"

namespace harness::nightly {
namespace {

constexpr std::array<std::string_view, 3> kOutcomes{"named", "was before", "unclear"};

ChangeOutcome outcome_of(const std::string& text) {
  const auto found = std::find(kOutcomes.begin(), kOutcomes.end(), text);
  if (found == kOutcomes.end()) throw std::runtime_error("the difference cannot be read");
  return static_cast<ChangeOutcome>(found - kOutcomes.begin());
}

/// A root that is new, or new among sound variants or canaries only. A joined finding gets the name
/// of the first in this order: completely new roots, then roots that a repair names.
struct Root {
  bool was_shown = false;
  bool is_unexplained = false;
  std::string name;
  auto operator<=>(const Root&) const = default;
};

/// New findings of one path, with the functions that behave differently, and those whose results
/// may cause it.
struct Group {
  std::string path;
  std::set<std::string> functions;
  std::set<Root> roots;

  bool shares_with(const Group& other) const {
    return path == other.path &&
           std::any_of(functions.begin(), functions.end(),
                       [&](const std::string& one) { return other.functions.contains(one); });
  }
};

/// Splits the text of a column with several names into lines.
std::vector<std::string> lines_of(const std::string& column) {
  std::vector<std::string> lines;
  std::istringstream text(column);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::vector<Group> named_in(Database& database, const std::string& night) {
  std::vector<Group> named;
  for (const Row& row : database.query(
           "SELECT path, function, upon, r.root, NOT EXISTS (SELECT 1 FROM roots e WHERE e.root = "
           "r.root AND e.words <> ''), EXISTS (SELECT 1 FROM roots o JOIN sightings s USING "
           "(cause) JOIN nights n ON n.id = s.night WHERE o.root = r.root AND n.number < (SELECT "
           "number FROM nights WHERE id = ?1)) FROM changes c JOIN findings f USING (cause) JOIN "
           "roots r USING (cause) WHERE c.night = ?1 AND outcome = 'named' ORDER BY cause",
           {night})) {
    Group& group = named.emplace_back(
        text(row[0]), std::set{text(row[1])},
        std::set{Root{count_at(row, 5) != 0, count_at(row, 4) != 0, text(row[3])}});
    for (const std::string& one : lines_of(text(row[2]))) group.functions.insert(one);
  }
  return named;
}

/// Joins groups that share a function, directly or through other groups.
std::vector<Group> joined(const std::vector<Group>& all) {
  std::vector<Group> groups;
  for (Group group : all) {
    for (auto other = groups.begin(); other != groups.end();) {
      if (!group.shares_with(*other)) {
        ++other;
        continue;
      }
      group.functions.merge(other->functions);
      group.roots.merge(other->roots);
      groups.erase(other);
      other = groups.begin();
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

/// Renames a root for the findings that this night was the first to show; if the root was shown
/// before, only for those of sound variants.
void rename(Database& database, const Root& root, const std::string& name,
            const std::string& night) {
  static const std::string kRename = fmt::format(
      "UPDATE roots SET root = ?1 WHERE root = ?2 AND cause IN (SELECT cause FROM {} seen WHERE "
      "root = ?2 AND NOT (canary AND ?3) GROUP BY cause HAVING min(number) = (SELECT number FROM "
      "nights WHERE id = ?4))",
      kSightings);
  database.query(kRename, {name, root.name, whole(root.was_shown ? 1 : 0), night});
}

}  // namespace

std::string to_text(ChangeOutcome outcome) { return std::string(kOutcomes.at(raw(outcome))); }

void note_changes(Database& database, const std::string& night,
                  const std::map<std::string, Change>& changes) {
  Transaction transaction(database);
  for (const auto& [cause, change] : changes)
    database.query("INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?, ?, ?, ?)",
                   {night, cause, to_text(change.outcome), change.function, change.file,
                    whole(change.line), fmt::format("{}", fmt::join(change.upon, "\n"))});
  for (const Group& group : joined(named_in(database, night)))
    for (const Root& root : group.roots)
      if (root != *group.roots.begin()) rename(database, root, group.roots.begin()->name, night);
  transaction.commit();
}

std::map<std::string, Change> changes_of(Database& database, const std::string& night) {
  std::map<std::string, Change> changes;
  for (const Row& row : database.query(
           "SELECT cause, outcome, function, file, line, upon FROM changes WHERE night = ?",
           {night}))
    changes[text(row[0])] = {outcome_of(text(row[1])), text(row[2]), text(row[3]), count_at(row, 4),
                             lines_of(text(row[5]))};
  return changes;
}

}  // namespace harness::nightly
