// SPDX-License-Identifier: Apache-2.0
// Shard folder: where a shard that is under way keeps the plan that it follows, the file of each
// cell that is finished, and a folder of reproducers per cell.
//
// The record is put together from the cells, written, and only then the folder gets the name of a
// whole shard; the files of cells go last. Errors: std::runtime_error with one line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/files/held_folder.h"
#include "harness/nightly/record.h"

namespace harness::nightly {

/// Ownership: borrows the plan, and holds the folder from open() on, so that no other program
/// writes into it.
class ShardFolder {
 public:
  /// The folder of shard `index`, counted from 1, below `folder`.
  ShardFolder(const Plan& plan, std::size_t index, const std::string& folder);

  /// Whether the shard has its name.
  bool is_whole() const;
  /// Reads the shard, which is whole. Errors: it is of another night.
  ShardRecord whole() const;
  /// Makes the folder, or takes the one that was left. Errors: it is of another night.
  void open();

  /// Returns whether the cell of this index was finished before, as far as its file tells.
  bool has_finished(std::size_t index) const;
  /// Returns the record of the cell of this index, if it was finished before. One that is damaged,
  /// or of another cell, is not.
  std::optional<CellRecord> finished(std::size_t index, const Cell& cell) const;
  /// Returns the folder for a cell's reproducers, which is not there yet: what an earlier search of
  /// it left is removed.
  std::string begin(std::size_t index, const Cell& cell) const;
  /// Writes down a cell that is finished, whose reproducers are in `folder`.
  void finish(std::size_t index, const CellRecord& record, const std::string& folder) const;
  /// Makes the shard whole: the folder is no longer this one's.
  void place(const ShardRecord& record);

 private:
  void require_same_plan() const;
  std::filesystem::path file_of_cell(std::size_t index) const;

  const Plan& plan_;
  std::filesystem::path whole_;  ///< The folder, once the shard is whole.
  std::filesystem::path part_;   ///< The folder until then.
  std::optional<HeldFolder> held_;
};

}  // namespace harness::nightly
