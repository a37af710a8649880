// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "harness/base/base.h"
#include "harness/base/files/foreign_file.h"
#include "harness/base/printable.h"

namespace harness::nightly {
namespace {

/// How long to wait for another program that writes.
constexpr int kBusyMilliseconds = 20'000;

/// Returns a description of the error, and what to do.
std::string advice(int code, const char* message) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return fmt::format(
          "is damaged, or not a history ({}); move it away and import an export, or merge the "
          "shards again",
          message);
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return fmt::format("cannot be written ({}); is the disk full? Nothing was recorded", message);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return fmt::format("cannot be written ({}); choose another folder with --history", message);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "is in use by another program; try again when it has ended";
    default:
      return fmt::format("cannot be used: {}", message);
  }
}

/// Returns why a table refuses a row, in words that follow "it".
const char* misfit(int code) {
  switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
      return "is there twice";
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return "belongs to a row that is not there";
    case SQLITE_CONSTRAINT_NOTNULL:
      return "lacks a value";
    default:
      return "has a value of another kind than its column";
  }
}

void bind(sqlite3_stmt* statement, int index, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    sqlite3_bind_int64(statement, index, *number);
  else if (const auto* real = std::get_if<double>(&value))
    sqlite3_bind_double(statement, index, *real);
  else if (const auto* text = std::get_if<std::string>(&value))
    sqlite3_bind_text64(statement, index, text->data(), text->size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
  else
    sqlite3_bind_null(statement, index);
}

Value value_of(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return sqlite3_value_int64(value);
    case SQLITE_FLOAT:
      return sqlite3_value_double(value);
    case SQLITE_NULL:
      return nullptr;
    default: {
      const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));
      const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
      return bytes == nullptr ? std::string() : std::string(bytes, size);
    }
  }
}

/// Binds each parameter of a statement to the argument of its name.
void bind_all(sqlite3_stmt* statement, const Fields& arguments) {
  HARNESS_CHECK(sqlite3_bind_parameter_count(statement) == static_cast<int>(arguments.size()),
                "a statement has its arguments");
  for (const Field& argument : arguments) {
    const std::string parameter = fmt::format(":{}", argument.name);
    const int index = sqlite3_bind_parameter_index(statement, parameter.c_str());
    HARNESS_CHECK(index != 0, parameter.c_str());
    bind(statement, index, argument.value);
  }
}

std::shared_ptr<const Row::Columns> columns_of(sqlite3_stmt* statement) {
  auto columns = std::make_shared<Row::Columns>();
  for (int i = 0; i < sqlite3_column_count(statement); ++i)
    columns->emplace_back(sqlite3_column_name(statement, i));
  return columns;
}

std::vector<Value> values_of(sqlite3_stmt* statement) {
  std::vector<Value> values;
  for (int i = 0; i < sqlite3_column_count(statement); ++i)
    values.push_back(value_of(sqlite3_column_value(statement, i)));
  return values;
}

/// Disables triggers and views, which an untrusted file may contain, and which would run when we
/// write or read.
void distrust(sqlite3* handle) {
  for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}})
    sqlite3_db_config(handle, option, value, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, static_cast<int>(2 * ForeignFile::kByteLimit));
}

/// Evaluates a function that was added by add_function().
void answer_for(sqlite3_context* context, int, sqlite3_value** values) {
  const auto answer =
      reinterpret_cast<bool (*)(const std::string&, const Value&)>(sqlite3_user_data(context));
  const auto word = std::get<std::string>(value_of(values[0]));
  sqlite3_result_int(context, answer(word, value_of(values[1])));
}

}  // namespace

DoesNotFit::DoesNotFit(const std::string& file, const char* why)
    : std::runtime_error(fmt::format(
          "{}: is damaged: a row {}; move it away and import an export, or merge the shards again",
          printable(file), why)),
      why_(why) {}

Value whole(std::uint64_t count) { return static_cast<std::int64_t>(count); }

Row::Row(std::shared_ptr<const Columns> columns, std::vector<Value> values)
    : columns_(std::move(columns)), values_(std::move(values)) {}

const Value& Row::operator[](std::string_view column) const {
  const auto found = std::ranges::find(*columns_, column);
  HARNESS_CHECK(found != columns_->end(), std::string(column).c_str());
  return values_[static_cast<std::size_t>(found - columns_->begin())];
}

std::string Row::text(std::string_view column) const {
  return std::get<std::string>((*this)[column]);
}

std::int64_t Row::number(std::string_view column) const {
  return std::get<std::int64_t>((*this)[column]);
}

std::uint64_t Row::count(std::string_view column) const {
  return static_cast<std::uint64_t>(number(column));
}

double Row::real(std::string_view column) const {
  const Value& value = (*this)[column];
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
}

Fields Row::fields() const {
  Fields fields;
  for (std::size_t i = 0; i < values_.size(); ++i) fields.push_back({(*columns_)[i], values_[i]});
  return fields;
}

Database::Database(std::string file) : file_(std::move(file)) {
  try {
    open();
  } catch (...) {
    close();
    throw;
  }
}

Database::~Database() { close(); }

// Reads the whole file first, so that damage is reported before anything is written next to it.
void Database::open() {
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) require_regular_file(file_ + ending);
  const int code =
      sqlite3_open_v2(file_.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, kBusyMilliseconds);
  distrust(handle_);
  const std::string whole = query("PRAGMA quick_check(1)").at(0).text("quick_check");
  if (whole != "ok")
    throw std::runtime_error(
        fmt::format("{}: {}", printable(file_), advice(SQLITE_CORRUPT, printable(whole).c_str())));
  run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
}

void Database::close() {
  for (const auto& [statement, prepared] : statements_) sqlite3_finalize(prepared);
  statements_.clear();
  sqlite3_close(handle_);
  handle_ = nullptr;
}

void Database::fail(int code) const {
  if ((code & 0xff) == SQLITE_CONSTRAINT) throw DoesNotFit(file_, misfit(code));
  const char* message = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
  throw std::runtime_error(
      fmt::format("{}: {}", printable(file_), advice(code, printable(message).c_str())));
}

void Database::run(const std::string& statements) {
  const int code = sqlite3_exec(handle_, statements.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

sqlite3_stmt* Database::prepared(const std::string& statement) {
  const auto known = statements_.find(statement);
  if (known != statements_.end()) return known->second;
  sqlite3_stmt* made = nullptr;
  const int code = sqlite3_prepare_v2(handle_, statement.c_str(), -1, &made, nullptr);
  if (code != SQLITE_OK) fail(code);
  return statements_.emplace(statement, made).first->second;
}

std::vector<Row> Database::query(const std::string& statement, const Fields& arguments) {
  sqlite3_stmt* const made = prepared(statement);
  bind_all(made, arguments);
  std::vector<Row> rows;
  std::shared_ptr<const Row::Columns> columns;
  int code;
  while ((code = sqlite3_step(made)) == SQLITE_ROW) {
    if (columns == nullptr) columns = columns_of(made);
    rows.emplace_back(columns, values_of(made));
  }
  sqlite3_reset(made);
  sqlite3_clear_bindings(made);
  if (code != SQLITE_DONE) fail(code);
  return rows;
}

void Database::insert(std::string_view table, const Fields& row, std::string_view on_conflict) {
  std::string columns, places;
  for (const Field& field : row) {
    columns += fmt::format("{}{}", columns.empty() ? "" : ", ", field.name);
    places += fmt::format("{}:{}", places.empty() ? "" : ", ", field.name);
  }
  query(fmt::format("INSERT INTO {} ({}) VALUES ({}) {}", table, columns, places, on_conflict),
        row);
}

void Database::add_function(const char* name, bool (*answer)(const std::string&, const Value&)) {
  const int code = sqlite3_create_function_v2(
      handle_, name, 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
      reinterpret_cast<void*>(answer), answer_for, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::vector<std::string> Database::columns(const std::string& table) {
  std::vector<std::string> names;
  for (const Row& row :
       query("SELECT name FROM pragma_table_info(:table) ORDER BY cid", {{"table", table}}))
    names.push_back(row.text("name"));
  return names;
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!is_open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const std::runtime_error&) {  // SQLite has already rolled back.
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  is_open_ = false;
}

}  // namespace harness::nightly
