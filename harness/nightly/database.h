// SPDX-License-Identifier: Apache-2.0
// Database: the part of SQLite that we use: one file, statements, rows.
//
// Lifetime: a query's rows are copies. Threads: confined to one thread.
// Errors: std::runtime_error with one line that names the file and says what to do.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace harness::nightly {

using Value = std::variant<std::nullptr_t, std::int64_t, double, std::string>;

/// Returns a count as a value.
Value whole(std::uint64_t count);

/// A value of a column, or of a parameter: `:NAME` in a statement.
struct Field {
  std::string_view name;
  Value value;
};
using Fields = std::vector<Field>;

/// One row of a result. A statement names the columns that are read: "count(*) AS shards". Errors:
/// std::bad_variant_access if a value has another type.
class Row {
 public:
  using Columns = std::vector<std::string>;
  Row(std::shared_ptr<const Columns> columns, std::vector<Value> values);

  /// Returns the value of a column, which must exist.
  const Value& operator[](std::string_view column) const;
  /// Returns a text.
  std::string text(std::string_view column) const;
  /// Returns an integer.
  std::int64_t number(std::string_view column) const;
  /// Returns a number that is not negative.
  std::uint64_t count(std::string_view column) const;
  /// Returns a number, which may be an integer.
  double real(std::string_view column) const;
  /// Returns all values with their names, which are valid as long as the row.
  Fields fields() const;

 private:
  std::shared_ptr<const Columns> columns_;  ///< The same for all rows of a result.
  std::vector<Value> values_;
};

/// Thrown if a table refuses a row: the file from which it comes is damaged.
class DoesNotFit : public std::runtime_error {
 public:
  DoesNotFit(const std::string& file, const char* why);
  /// Returns why, in words that follow "a row".
  const char* why() const { return why_; }

 private:
  const char* why_;
};

class Database {
 public:
  /// Opens or creates the file in WAL mode. Triggers and views in the file are disabled, links are
  /// not followed, and rows over 32 MiB are refused.
  explicit Database(std::string file);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Executes statements without arguments, one after another.
  void run(const std::string& statements);
  /// Executes one statement with a value for each of its parameters. Returns its rows.
  std::vector<Row> query(const std::string& statement, const Fields& arguments = {});
  /// Inserts a row. `on_conflict` is the end of the statement if the table may have its key.
  void insert(std::string_view table, const Fields& row, std::string_view on_conflict = "");
  /// Adds a function of a text and a value for use in statements: NAME('word', value).
  void add_function(const char* name, bool (*answer)(const std::string&, const Value&));
  /// Returns the names of a table's columns, in order.
  std::vector<std::string> columns(const std::string& table);

  /// Returns the name of the file.
  const std::string& file() const { return file_; }

 private:
  void open();
  void close();
  sqlite3_stmt* prepared(const std::string& statement);
  [[noreturn]] void fail(int code) const;

  std::string file_;
  sqlite3* handle_ = nullptr;
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

/// A transaction: changes of the database are complete after commit(), else undone.
class Transaction {
 public:
  /// Begins the transaction. Waits for another program that writes.
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// Makes the changes permanent.
  void commit();

 private:
  Database& database_;
  bool is_open_ = true;
};

}  // namespace harness::nightly
