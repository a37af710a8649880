// SPDX-License-Identifier: Apache-2.0
// Plan: which variants a night searches, for how long, and which part of that a shard does.
//
// A plan is a pure function of its terms, of the paths there are, and of what is known of their
// findings, which it tells its shards: they need not learn it again. Sound variants get four fifths
// of the budget, for what they claim takes long to doubt. The others are canaries: each claims how
// it fails, and a search that does not see it fail is broken. What earlier nights got to, their
// tapes show; a variant that has some spends an eighth on them. A sound variant is searched in the
// builds with sanitizers and by its libFuzzer target as well, a fortieth in each. Every shard has
// its share of every variant, under its own seed, so that a shard that never answers costs each
// variant a little and none of them everything.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/nightly/tapes/shortest_tapes.h"
#include "harness/run.h"

namespace harness::nightly {

/// The most runs that a night may have; sums and shares of this many are exact.
inline constexpr std::uint64_t kMostRuns = 10'000'000'000'000;
/// No count of a night (runs, bytes, instructions, a time) is larger: a thousand can be summed.
inline constexpr std::int64_t kMostOfAnything = std::int64_t{1} << 53;
/// The path of cells that are someone's programs, by name, and no variants of ours.
inline constexpr const char* kPrograms = "programs";
/// The most shards that a night may have.
inline constexpr std::size_t kMostShards = 10'000;

/// The size of a night: either of the two is 0.
struct Budget {
  std::uint64_t runs = 0;
  double seconds = 0;
  bool operator==(const Budget&) const = default;
};

/// All that a plan follows from.
struct Terms {
  std::uint64_t number = 1;  ///< Place of the night among those of its history.
  std::uint64_t seed = 1;
  Budget budget;
  std::size_t shards = 1;
  std::string target;    ///< A path or "path/variant"; "" = everything.
  std::string revision;  ///< Name of the tree's state; "" = not known.
  bool operator==(const Terms&) const = default;
};

/// One variant's part of a night or of a shard.
struct Cell {
  std::string path;
  std::string variant;
  std::string claim;  ///< The word for it: "sound", "unsound" or "vacuous".
  std::uint64_t seed = 0;
  Budget budget;  ///< For the search that no other night has a part in.
  /// For the tapes of earlier nights: they are replayed, and in a sound variant searched around.
  Budget tapes_budget = {};
  std::string build = {};  ///< The one that searches it; "" = the program of the shard.
  bool operator==(const Cell&) const = default;
};

/// Returns a target as a file names it: "", a path, or a variant. Errors: NotAName.
std::string target_name(std::string text);

/// Returns the name of a tree's state, which is not an option of git's. Errors: NotAName.
std::string revision_name(std::string text);

/// Whether it is of a variant that claims to be sound.
bool is_sound(const Cell& cell);

/// The tapes that earlier nights kept for a variant (tapes/kept_tapes.h).
struct VariantTapes {
  std::string path;
  std::string variant;
  std::vector<KeptTape> tapes;
  bool operator==(const VariantTapes&) const = default;
};

/// The corpus of a variant's libFuzzer target, as the last night that searched by it left it.
struct VariantInputs {
  std::string path;
  std::string variant;
  std::vector<std::string> inputs;  ///< Bytes as hexadecimal digits, ascending.
  bool operator==(const VariantInputs&) const = default;
};

/// A repair, and the findings of its path that the history gave it: their root follows (root.h).
struct KnownRepair {
  std::string path;
  std::string words;                ///< The repair that names their root; "" = none removes them.
  std::vector<std::string> causes;  ///< Their names (cause.h), ascending.
  bool operator==(const KnownRepair&) const = default;
};

struct Plan {
  Terms terms;
  std::vector<Cell> cells;                 ///< In the order of the tables; then those of builds.
  std::vector<KnownRepair> known = {};     ///< About the paths of its cells; by path and words.
  std::vector<VariantTapes> tapes = {};    ///< Those of its cells, by path and variant.
  std::vector<VariantInputs> inputs = {};  ///< Those of its cells, by path and variant.
  bool operator==(const Plan&) const = default;

  /// Returns the tapes of a cell's variant.
  std::span<const KeptTape> tapes_of(const Cell& cell) const;
  /// Returns the inputs of a cell's variant.
  std::span<const std::string> inputs_of(const Cell& cell) const;
};

/// Plans a night of these paths. What is known of others is left out.
Plan make_plan(const Terms& terms, std::span<const Scenario* const> scenarios,
               const std::vector<KnownRepair>& known = {},
               const std::vector<VariantTapes>& tapes = {},
               const std::vector<VariantInputs>& inputs = {});

/// A program's part of a night.
struct ProgramShare {
  std::string name;
  Budget budget;  ///< The night's is shared out by these.
};

/// Plans a night of programs. Each claims to be sound.
Plan make_program_plan(const Terms& terms, std::span<const ProgramShare> programs);

/// Returns whether it is a night of programs.
bool is_of_programs(const Plan& plan);

/// Returns what shard `index`, counted from 1, does: cells with nothing to do are left out.
std::vector<Cell> cells_of(const Plan& plan, std::size_t index);

/// Returns how long each shard of a night in time takes; 0 for a night in runs.
double seconds_of_shard(const Plan& plan);

/// Returns whether shard `index` replays the tape at this place among those of its variant.
bool is_replayed_by(const Plan& plan, std::size_t index, std::size_t tape);

/// Returns the name of the night: equal for equal plans, 16 hexadecimal digits.
std::string id_of(const Plan& plan);

/// Returns the text of a plan's file.
std::string to_text(const Plan& plan);

/// Reads what to_text() wrote. Errors: std::runtime_error with one line that names `file`.
Plan parse_plan(const std::string& text, const std::string& file);

}  // namespace harness::nightly
