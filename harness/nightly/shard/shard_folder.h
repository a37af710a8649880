// SPDX-License-Identifier: Apache-2.0
// Shard folder: the files of a shard in progress: its plan, a file for each finished cell, and a
// folder of reproducers per cell.
//
// The record is combined from the cells and written; then the folder gets the name of a complete
// shard; last, the files of cells are removed. Errors: std::runtime_error with one line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/base/files/held_folder.h"
#include "harness/nightly/record.h"

namespace harness::nightly {

/// Ownership: borrows the plan. After open(), holds a lock on the folder, so that no other program
/// writes into it.
class ShardFolder {
 public:
  /// The folder of shard `index`, counted from 1, below `folder`.
  ShardFolder(const Plan& plan, std::size_t index, const std::string& folder);

  /// Returns whether the folder has the name of a complete shard.
  bool is_whole() const;
  /// Reads the complete shard. Errors: it belongs to another night.
  ShardRecord whole() const;
  /// Creates the folder, or continues an existing one. Errors: it belongs to another night.
  void open();

  /// Returns whether the cell with this index was finished before, judging by its file.
  bool has_finished(std::size_t index) const;
  /// Returns the record of the cell with this index, if it was finished. A record that is damaged
  /// or belongs to another cell does not count.
  std::optional<CellRecord> finished(std::size_t index, const Cell& cell) const;
  /// Returns a new folder for a cell's reproducers. Removes those of an earlier search.
  std::string begin(std::size_t index, const Cell& cell) const;
  /// Writes the file of a finished cell. Its reproducers are in `folder`.
  void finish(std::size_t index, const CellRecord& record, const std::string& folder) const;
  /// Completes the shard. The folder is no longer locked then.
  void place(const ShardRecord& record);

 private:
  void require_same_plan() const;
  std::filesystem::path file_of_cell(std::size_t index) const;

  const Plan& plan_;
  std::filesystem::path whole_;  ///< The folder of the complete shard.
  std::filesystem::path part_;   ///< The folder before that.
  std::optional<HeldFolder> held_;
};

}  // namespace harness::nightly
