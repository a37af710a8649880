// SPDX-License-Identifier: Apache-2.0
// How it works. A column's rule is found by its name; if the name has several meanings, by table
// and name. The same function judges a row of an import, and, called by SQLite, each row of a file.
#include "harness/nightly/foreign_rows.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "harness/base/files/fail.h"
#include "harness/base/files/plain_name.h"
#include "harness/base/printable.h"
#include "harness/nightly/cause.h"
#include "harness/nightly/plan.h"
#include "harness/nightly/schema.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness::nightly {
namespace {

constexpr const char* kFits = "afterlife_fits";

using Rule = void (*)(const std::string& text);

void require_id(const std::string& text) { hexadecimal_id(text, "it"); }

void require_name(const std::string& text) { plain_name(text, "it"); }

/// Checks a kind, which may contain a space: "bad end".
void require_kind(const std::string& text) {
  std::string words = text;
  std::erase(words, ' ');
  plain_name(words, "it");
}

void require_target(const std::string& text) { target_name(text); }

/// Checks a file name: a finding's page is written beside it, and its ending determines how it is
/// replayed.
void require_file(const std::string& text) {
  const bool has_ending = text.ends_with(kReproducerEnding) || text.ends_with(".txt") ||
                          text.ends_with(".run.json");  // A program's; here it has no command.
  if (!is_plain_name(text) || !has_ending)
    throw NotAName(
        fmt::format("it is '{}', which is not a plain name of a reproducer", shown(text)));
}

void require_no_command(const std::string& text) {
  if (is_finding_of_run(text))
    throw NotAName("it is a finding of `afterlife run`, not a reproducer");
}

void require_number(const std::string& text) {
  constexpr std::string_view kMost = "18446744073709551615";
  const bool is_number =
      !text.empty() && text.find_first_not_of("0123456789") == text.npos &&
      (text.size() < kMost.size() || (text.size() == kMost.size() && text <= kMost));
  if (!is_number) throw NotAName(fmt::format("it is '{}', which is not a number", shown(text)));
}

void require_tape(const std::string& text) { hexadecimal_digits(text, "it"); }

void require_inputs(const std::string& text) {
  std::string inputs = text;
  std::erase(inputs, ' ');
  hexadecimal_digits(inputs, "it");
}

void require_revision(const std::string& text) { revision_name(text); }

struct ColumnRule {
  std::string_view column;  ///< "COLUMN", or "TABLE.COLUMN", which takes precedence.
  Rule rule;
};

constexpr std::array kRules{ColumnRule{"findings.file", require_file},
                            ColumnRule{"nights.id", require_id},
                            ColumnRule{"revisions.name", require_revision},
                            ColumnRule{"revision", require_revision},
                            ColumnRule{"night", require_id},
                            ColumnRule{"cause", require_id},
                            ColumnRule{"root", require_id},
                            ColumnRule{"result", require_id},
                            ColumnRule{"content", require_id},
                            ColumnRule{"path", require_name},
                            ColumnRule{"variant", require_name},
                            ColumnRule{"window", require_name},
                            ColumnRule{"claim", require_name},
                            ColumnRule{"kind", require_kind},
                            ColumnRule{"hazard", require_name},
                            ColumnRule{"build", require_name},
                            ColumnRule{"target", require_target},
                            ColumnRule{"reproducer", require_no_command},
                            ColumnRule{"seed", require_number},
                            ColumnRule{"tape", require_tape},
                            ColumnRule{"inputs", require_inputs}};

Rule rule_of(const std::string& table, const std::string& column) {
  const std::string full = table + "." + column;
  for (const ColumnRule& one : kRules)
    if (one.column == full || one.column == column) return one.rule;
  return nullptr;
}

/// Throws the reason why a value is invalid, in words that follow the name of its column.
void require_value(const std::string& table, const std::string& column, const Value& value) {
  if (const auto* count = std::get_if<std::int64_t>(&value)) {
    if (*count < 0 || *count > kMostOfAnything)
      throw NotAName(fmt::format("it is {}, which is not a count", *count));
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    if (const Rule rule = rule_of(table, column)) rule(*text);
  }
}

std::string as_word(const std::string& table, const std::string& column) {
  return fmt::format("{}.{}", table, column);
}

bool fits(const std::string& place, const Value& value) {
  const std::size_t dot = place.find('.');
  try {
    require_value(place.substr(0, dot), place.substr(dot + 1), value);
    return true;
  } catch (const NotAName&) {
    return false;
  }
}

/// Refuses the first invalid row of a table.
void require_rows_of(Database& database, const std::string& table) {
  const std::vector<std::string> columns = database.columns(table);
  std::string asked;
  for (const std::string& column : columns)
    asked += fmt::format("{}NOT {}('{}', {})", asked.empty() ? "" : " OR ", kFits,
                         as_word(table, column), column);
  if (asked.empty()) return;
  const std::vector<Row> wrong =
      database.query(fmt::format("SELECT * FROM {} WHERE {} LIMIT 1", table, asked));
  if (!wrong.empty()) require_fit(table, wrong.front().fields());
}

/// Returns the tables and indices of a file, in words that are equal if these are.
std::vector<std::string> schema_in(Database& database) {
  std::vector<std::string> parts;
  for (const Row& row : database.query(
           "SELECT type, name, tbl_name, coalesce(sql, '') AS text FROM sqlite_master ORDER BY "
           "type, name"))
    for (const char* column : {"type", "name", "tbl_name", "text"})
      parts.push_back(row.text(column));
  return parts;
}

}  // namespace

void require_fit(const std::string& table, const Fields& row) {
  for (const auto& [column, value] : row) try {
      require_value(table, std::string(column), value);
    } catch (const NotAName& error) {
      throw NotAName(fmt::format("has a row of '{}' whose '{}' does not fit: {}", table, column,
                                 error.what()));
    }
}

void require_own_tables(Database& database) {
  const int version = version_of(database);
  if (version < 1 || version > schema_version()) return;  // New, or refused by migrate().
  Database own(":memory:");
  migrate(own, version);
  if (schema_in(database) != schema_in(own))
    fail(database.file(),
         "does not have the tables of a history of its version; import an export, or merge the "
         "shards again");
}

void require_own_rows(Database& database) {
  database.add_function(kFits, fits);
  try {
    for (const std::string_view table : table_names())
      require_rows_of(database, std::string(table));
  } catch (const NotAName& error) {
    fail(database.file(), error.what());
  }
  const std::vector<Row> lost =
      database.query("SELECT \"table\" AS name FROM pragma_foreign_key_check LIMIT 1");
  if (!lost.empty())
    fail(database.file(),
         fmt::format("has a row of '{}' that refers to none", lost[0].text("name")));
}

}  // namespace harness::nightly
