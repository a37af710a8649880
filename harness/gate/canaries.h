// SPDX-License-Identifier: Apache-2.0
// Canaries: the error rates of the gate on a real machine, computed from recorded measurements with
// known answers.
//
// A record has rounds of new processes in random order: a program, the same program again, and two
// builds that do 1 % and 3 % more of the same work. Trials take consecutive rounds in the order of
// measurement. No trial begins unless all rounds that it may need are left, because otherwise
// trials that end early would be over-represented. Rounds measured under load are in a separate
// record. Errors: std::runtime_error, with the name of the file and the line.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/gate/rates.h"
#include "harness/gate/samples.h"

namespace harness::gate {

/// Comparisons for which a correct gate has a known result.
enum class Canary : unsigned char {
  unchanged,    ///< The program against itself: red is a false alarm.
  passing,      ///< 3 % more, gone in the confirmation: red is a false alarm.
  slower_by_3,  ///< 3 % more: a benchmark that is not called slower was missed.
  disturbed,    ///< The same, with up to 50 % added to both sides of a round.
  slower_by_1,  ///< 1 % more: may or may not be called slower.
};
inline constexpr std::size_t kCanaryCount = 5;

/// Returns the name of a canary in tables.
std::string_view name_of(Canary canary);
/// Returns whether a red suite is a false alarm. If not, the number of detected benchmarks counts.
bool is_false_alarm(Canary canary);

/// The readings of one round.
struct CanaryRound {
  Reading base;
  Reading same;
  Reading slower_by_1;
  Reading slower_by_3;
};

/// Returns a canary round for a round in which the same command ran on both sides: as if the head
/// had done 1 % and 3 % more work.
CanaryRound planted_in(const Round& round);

/// The rounds in order, by the machine's load: "quiet", "hogs".
using CanaryRecord = std::map<std::string, std::vector<CanaryRound>>;

/// Reads a record. A last line without a newline is incomplete, and ignored.
CanaryRecord read_canaries(const std::string& file);

/// Ways to break a gate. Each except `nothing` should be detected by a canary.
enum class Planted : unsigned char { nothing, threshold, pairing, confirmation };
inline constexpr std::size_t kPlantedCount = 4;

/// Returns the name of the broken part.
std::string_view name_of(Planted planted);

/// Limit of the share of verdicts that giving up may lose.
inline constexpr double kLostAtMost = 0.001;

/// Savings and losses by giving up benchmarks that more rounds can hardly decide (futility.h). A
/// round counts once for each benchmark.
struct Curtailing {
  Rate saved;  ///< Rounds that were saved, of those without giving up.
  Rate lost;   ///< Trials that have a verdict only without giving up, of all.
};

struct CanaryRow {
  std::string load;
  Canary canary = Canary::unchanged;
  std::size_t trials = 0;
  Rate found;         ///< Suites that are red, or benchmarks that are called slower.
  Rate mann_whitney;  ///< The same by Google Benchmark's rule at 5 %, on the first rounds.
  Rate means;         ///< The same by the difference of means at 5 %.
  Health health = Health::too_few;
  Curtailing curtailing = {};
};

/// Judges all canaries under each load by a gate with this defect, each on a separate thread.
std::vector<CanaryRow> judge_canaries(const CanaryRecord& record, Planted planted);

/// A broken gate, and whether the canaries detect it.
struct PlantedRow {
  Planted planted = Planted::nothing;
  bool is_seen = false;    ///< A row is red.
  bool had_enough = true;  ///< There were enough trials to detect it.
};

/// Breaks the gate in each way, and returns whether it is detected.
std::vector<PlantedRow> plant_in_gate(const CanaryRecord& record);

}  // namespace harness::gate
