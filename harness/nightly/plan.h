// SPDX-License-Identifier: Apache-2.0
// Plan: the variants that a night searches, their budgets, and the part of each shard.
//
// A plan is a pure function of its terms, the paths, and the known repairs of their findings, which
// it passes to the shards. Sound variants get four fifths of the budget, because it takes long to
// refute them. The others are canaries: each claims how it fails, and a search that does not see it
// fail is broken. A variant with tapes of earlier nights spends an eighth of its budget on them. A
// sound variant is also searched in the sanitizer builds and by its libFuzzer target, with a
// fortieth for each. Each shard has a share of each variant, with a separate seed, so a lost shard
// costs each variant a little.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/nightly/tapes/shortest_tapes.h"
#include "harness/run/run.h"

namespace harness::nightly {

/// Largest number of runs of a night; sums and shares of it are exact.
inline constexpr std::uint64_t kMostRuns = 10'000'000'000'000;
/// Upper bound for counts of a night (runs, bytes, instructions, times): a thousand can be added.
inline constexpr std::int64_t kMostOfAnything = std::int64_t{1} << 53;
/// The path of cells that are users' programs, not variants.
inline constexpr const char* kPrograms = "programs";
/// Largest number of shards of a night.
inline constexpr std::size_t kMostShards = 10'000;

/// The size of a night; one of the two is 0.
struct Budget {
  std::uint64_t runs = 0;
  double seconds = 0;
  bool operator==(const Budget&) const = default;
};

/// The parameters of a plan.
struct Terms {
  std::uint64_t number = 1;  ///< Number of the night in its history.
  std::uint64_t seed = 1;
  Budget budget;
  std::size_t shards = 1;
  std::string target;    ///< A path or "path/variant"; "" = all variants.
  std::string revision;  ///< Name of the source tree's state; "" if unknown.
  bool operator==(const Terms&) const = default;
};

/// The part of a variant in a night or a shard.
struct Cell {
  std::string path;
  std::string variant;
  std::string claim;  ///< "sound", "unsound" or "vacuous".
  std::uint64_t seed = 0;
  Budget budget;  ///< For the search that is independent of other nights.
  /// For tapes of earlier nights: they are replayed, and sound variants are searched around them.
  Budget tapes_budget = {};
  std::string build = {};  ///< The build that searches it; "" = the shard's program.
  bool operator==(const Cell&) const = default;
};

/// Checks the name of a target in a file: "", a path, or a variant. Errors: NotAName.
std::string target_name(std::string text);

/// Checks the name of a revision, which must not be an option of git. Errors: NotAName.
std::string revision_name(std::string text);

/// Returns whether its variant claims to be sound.
bool is_sound(const Cell& cell);

/// The tapes that earlier nights kept for a variant (tapes/kept_tapes.h).
struct VariantTapes {
  std::string path;
  std::string variant;
  std::vector<KeptTape> tapes;
  bool operator==(const VariantTapes&) const = default;
};

/// The corpus of a variant's libFuzzer target after the last night that searched by it.
struct VariantInputs {
  std::string path;
  std::string variant;
  std::vector<std::string> inputs;  ///< Bytes as hexadecimal digits, ascending.
  bool operator==(const VariantInputs&) const = default;
};

/// A repair, and the findings of its path that have it in the history. Their root follows from it
/// (root.h).
struct KnownRepair {
  std::string path;
  std::string words;                ///< The repair that names their root; "" = none removes them.
  std::vector<std::string> causes;  ///< Their identities (cause.h), ascending.
  bool operator==(const KnownRepair&) const = default;
};

struct Plan {
  Terms terms;
  std::vector<Cell> cells;                 ///< In the order of the tables; then those of builds.
  std::vector<KnownRepair> known = {};     ///< For the paths of its cells, by path and words.
  std::vector<VariantTapes> tapes = {};    ///< For its cells, by path and variant.
  std::vector<VariantInputs> inputs = {};  ///< For its cells, by path and variant.
  bool operator==(const Plan&) const = default;

  /// Returns the tapes of a cell's variant.
  std::span<const KeptTape> tapes_of(const Cell& cell) const;
  /// Returns the inputs of a cell's variant.
  std::span<const std::string> inputs_of(const Cell& cell) const;
};

/// Plans a night of these paths. Data about other paths is left out.
Plan make_plan(const Terms& terms, std::span<const Scenario* const> scenarios,
               const std::vector<KnownRepair>& known = {},
               const std::vector<VariantTapes>& tapes = {},
               const std::vector<VariantInputs>& inputs = {});

/// A program's part of a night.
struct ProgramShare {
  std::string name;
  Budget budget;  ///< The night's budget is divided in this proportion.
};

/// Plans a night of programs. Each is claimed to be sound.
Plan make_program_plan(const Terms& terms, std::span<const ProgramShare> programs);

/// Returns whether it is a night of programs.
bool is_of_programs(const Plan& plan);

/// Returns the cells of shard `index`, counted from 1. Empty cells are left out.
std::vector<Cell> cells_of(const Plan& plan, std::size_t index);

/// Returns the duration of each shard in a night with a time limit; else 0.
double seconds_of_shard(const Plan& plan);

/// Returns whether shard `index` replays the tape with this index in its variant's tapes.
bool is_replayed_by(const Plan& plan, std::size_t index, std::size_t tape);

/// Returns the id of the night: 16 hexadecimal digits, equal for equal plans.
std::string id_of(const Plan& plan);

/// Returns the text of a plan's file.
std::string to_text(const Plan& plan);

/// Reads what to_text() wrote. Errors: std::runtime_error with one line that names `file`.
Plan parse_plan(const std::string& text, const std::string& file);

}  // namespace harness::nightly
