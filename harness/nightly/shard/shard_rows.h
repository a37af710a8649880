// SPDX-License-Identifier: Apache-2.0
// ShardRows: stores the results of shards as rows of a history.
#pragma once

#include <string>

#include "harness/nightly/database.h"
#include "harness/nightly/shard/shard_folder.h"

namespace harness::nightly {

/// Ownership: borrows the database. The caller opens a transaction, and commits it.
class ShardRows {
 public:
  explicit ShardRows(Database& database) : database_(database) {}

  /// Requires that a shard belongs to its night, and has the result that it had before. Errors:
  /// std::runtime_error with one line about `folder`.
  void require_fit(const ShardFile& file, const std::string& folder);
  /// Adds a shard. Returns false if the history had it.
  bool add(const ShardFile& file);

 private:
  bool is_wanted(const ShardFile& file);
  void add_shard(const ShardFile& file);
  void add_cell(const ShardRecord& shard, const CellRecord& record);
  void add_finding(const ShardRecord& shard, const Cell& cell, const FindingRecord& finding);

  Database& database_;
};

}  // namespace harness::nightly
