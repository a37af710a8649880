// SPDX-License-Identifier: Apache-2.0
// Database: SQLite as this part uses it: one file, statements, rows.
//
// Lifetime: a query's rows are copies. Threads: confined to one thread.
// Errors: std::runtime_error with one line that names the file and says what to do.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace harness::nightly {

using Value = std::variant<std::nullptr_t, std::int64_t, double, std::string>;
using Row = std::vector<Value>;

/// Returns the number that a value is.
std::int64_t number(const Value& value);
/// Returns the text that a value is.
std::string text(const Value& value);
/// Returns the count that a column of a row is.
std::uint64_t count_at(const Row& row, std::size_t column);
/// Returns a count as a value.
Value whole(std::uint64_t count);

/// A row that its table does not take: the file that it is from is damaged.
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
  /// Opens the file, or makes it, in WAL mode. What the file brings besides tables (triggers,
  /// views) does nothing; no link is followed, and no row is over 32 MiB.
  explicit Database(std::string file);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Carries out statements that have no arguments, one after another.
  void run(const std::string& statements);
  /// Carries out one statement. Returns its rows.
  std::vector<Row> query(const std::string& statement, const Row& arguments = {});
  /// Lets statements ask a question of a word and a value: NAME('word', value).
  void add_function(const char* name, bool (*answer)(const std::string&, const Value&));
  /// Returns the names of a table's columns, in their order.
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

/// All that is done to a database until commit() is done whole, or not at all.
class Transaction {
 public:
  /// Begins; waits for another program that writes.
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// Makes what was done last.
  void commit();

 private:
  Database& database_;
  bool is_open_ = true;
};

}  // namespace harness::nightly
