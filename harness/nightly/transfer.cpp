// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/transfer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/base/files/foreign_file.h"
#include "harness/base/printable.h"
#include "harness/nightly/foreign_rows.h"
#include "harness/nightly/history.h"
#include "harness/nightly/schema.h"

namespace harness::nightly {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kVersionKey = "afterlife_history";

Json to_json(const Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Value value_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  throw std::runtime_error("has a value that no table has");
}

/// Returns "1, 2, 3" for three columns.
std::string ordinals(std::size_t count) {
  std::string text;
  for (std::size_t i = 1; i <= count; ++i) text += fmt::format("{}{}", i == 1 ? "" : ", ", i);
  return text;
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

/// Executes a line as an INSERT. Table and columns must exist.
void insert(Database& database, const Json& line) {
  const std::string table = line.at("table");
  const auto known = table_names();
  if (std::find(known.begin(), known.end(), table) == known.end())
    throw std::runtime_error(fmt::format("is of '{}', which is not a table", shown(table)));
  const std::vector<std::string> columns = database.columns(table);
  Fields row;
  for (const std::string& column : columns)
    row.push_back({column, value_of(line.at("row").at(column))});
  if (columns.empty() || line.at("row").size() != columns.size())
    throw std::runtime_error("has other columns than its table");
  require_fit(table, row);
  database.insert(table, row);
}

/// Parses the first line.
int version_at(const std::string& line) {
  const Json json = Json::parse(line);
  const auto version = json.at(kVersionKey).get<std::int64_t>();
  if (version < 1)
    throw std::runtime_error(
        fmt::format("has version {} of its tables, which does not exist", version));
  if (version > schema_version())
    throw std::runtime_error(
        fmt::format("was written by a newer afterlife (version {} of its tables, and this one "
                    "knows {}); use the newer one",
                    version, schema_version()));
  return static_cast<int>(version);
}

void import_lines(ForeignFile& lines, Database& database, std::size_t& number) {
  std::string line;
  lines.next_line(line);
  const int version = version_at(line);
  migrate(database, version);
  Transaction transaction(database);
  for (number = 2; lines.next_line(line); ++number) insert(database, Json::parse(line));
  transaction.commit();
  migrate(database);
}

void remove_database(const std::string& file) {
  std::error_code none;
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) fs::remove(file + ending, none);
}

}  // namespace

void export_history(Database& database, const std::function<void(const std::string&)>& write) {
  write(line_of({{kVersionKey, version_of(database)}}));
  for (const std::string_view name : table_names()) {
    const std::string table(name);
    const std::vector<std::string> columns = database.columns(table);
    if (columns.empty()) continue;  // The table was added in a later version.
    for (const Row& row : database.query(
             fmt::format("SELECT * FROM {} ORDER BY {}", table, ordinals(columns.size())))) {
      Json values = Json::object();
      for (const auto& [column, value] : row.fields()) values[std::string(column)] = to_json(value);
      write(line_of({{"table", table}, {"row", values}}));
    }
  }
}

// The history is built in a temporary file, and renamed when it is complete.
void import_history(const std::string& file, const std::string& folder) {
  ForeignFile lines = ForeignFile::named_by_user(file, "export");
  const std::string place = history_file(folder);
  if (fs::exists(place))
    throw std::runtime_error(fmt::format(
        "{}: is a history already; choose an empty folder with --history", printable(place)));
  const std::string draft = fmt::format("{}.{}.draft", place, ::getpid());
  std::size_t number = 1;
  try {
    Database database(draft);
    import_lines(lines, database, number);
  } catch (const DoesNotFit& misfit) {
    remove_database(draft);
    throw std::runtime_error(
        fmt::format("{}: line {} is a row that {}: the export is damaged, and nothing was imported",
                    printable(file), number, misfit.why()));
  } catch (const std::exception& error) {
    remove_database(draft);
    const bool is_json = dynamic_cast<const nlohmann::json::exception*>(&error) != nullptr;
    throw std::runtime_error(fmt::format("{}: line {} {}", printable(file), number,
                                         is_json ? "is not a line of an export" : error.what()));
  }
  fs::rename(draft, place);
}

}  // namespace harness::nightly
