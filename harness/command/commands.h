// SPDX-License-Identifier: Apache-2.0
// Commands: the commands of `afterlife`. Each is a function of its options that returns the exit
// code; main.cpp parses the options and turns exceptions into one line and a code.
//
// Errors: UsageError for a wrong command line (exit 3); any other std::exception for a problem of
// the environment (exit 2).
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace harness::entries {

enum ExitCode : int {
  kAsClaimed = 0,     ///< Every claim holds; the replay equals the file; the proof holds.
  kNotAsClaimed = 1,  ///< A claim does not hold, or there were too few runs (`fuzz`).
  kWorld = 2,         ///< A problem with a file, the disk, or the GPU.
  kUsage = 3,
  kStopped = 4,    ///< Ctrl-C or TERM, before anything was found.
  kUndecided = 5,  ///< At least one benchmark is undecided (`gate`), or every claim (`prove`).
};

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ListOptions {
  std::string path;  ///< "" = all paths.
  bool json = false;
};
int list(const ListOptions& options);

struct FuzzOptions {
  std::string target;      ///< "", "path" or "path/variant".
  double seconds = 0;      ///< Seconds in all; 0 = until `runs`.
  std::uint64_t runs = 0;  ///< Runs of each variant; 0 = until `seconds`.
  std::uint64_t seed = 1;
  std::string strategy = "random_walk";
  std::string device = "sim";
  std::string config;
  std::string window;  ///< Only faults in this window count; "" = all do.
  std::string out = "results/found";
  bool first = false;        ///< Stop each variant at its first fault, and do not minimize it.
  bool no_failures = false;  ///< Inject no errors.
  bool full = false;         ///< Print all tables, regardless of the number of variants.
  bool json = false;
};
int fuzz(const FuzzOptions& options);

struct ReplayOptions {
  std::vector<std::string> files;   ///< Folders stand for the reproducers in them.
  std::string html;                 ///< File of the page; "" = none.
  std::string trace;                ///< File of the Perfetto trace; "" = none.
  std::string sarif;                ///< File of the SARIF 2.1.0 log; "" = none.
  std::optional<std::size_t> step;  ///< The step whose code is printed, with `steps`.
  std::string steps;                ///< File of the steps; "" = none.
  bool why = false;                 ///< Find the smallest repair, and print what is missing.
  bool trust = false;               ///< Start the command of a finding, regardless of its author.
  bool gdb = false;                 ///< Stop in gdb where the fault is reported.
  bool json = false;
};
int replay(const ReplayOptions& options);

struct MinimizeOptions {
  std::string file;
  std::string out;       ///< "" = beside the file, "found.min.repro" of "found.repro".
  std::string programs;  ///< The corpus to compare with; "" = corpus, if it is there.
  bool trust = false;    ///< Start the command of a finding, regardless of its author.
  bool json = false;
};
int minimize(const MinimizeOptions& options);

struct ProveOptions {
  std::string target;  ///< "path" or "path/variant".
  int decisions = -1;  ///< Parameter k; -1 = the most up to 3 that 200 000 runs per window allow.
  std::string window;
  std::string programs = "corpus";
  bool json = false;
};
int prove(const ProveOptions& options);

struct ExplainOptions {
  std::string file;
  std::vector<std::string> without;  ///< Instruments, by name.
  bool json = false;
};
int explain(const ExplainOptions& options);

struct TriageCommandOptions {
  std::vector<std::string> files;     ///< Folders stand for the reproducers in them.
  std::optional<std::uint64_t> runs;  ///< Number of other schedules in which a repair must work.
  std::string good_program;           ///< A program that shows none of the faults; "" = none.
  bool json = false;
};
int triage(const TriageCommandOptions& options);

struct CountersOptions {
  std::string target;  ///< "" = all sound variants, "path" = those of a path, "path/variant" = one.
  std::string corpus = "corpus";
  bool json = false;
};
int counters(const CountersOptions& options);

struct GateOptions {
  std::vector<std::string> base;  ///< The command, one element per word.
  std::vector<std::string> head;
  std::size_t rounds = 160;      ///< Largest number of rounds of a measurement.
  double seconds = 0;            ///< Time limit in seconds; 0 = none.
  double timeout_seconds = 600;  ///< Time limit of one process.
  double min_time = 0.001;       ///< Seconds of one repetition.
  std::uint64_t seed = 1;
  std::size_t calibrating_rounds =
      0;  ///< Compares `base` with itself for this many rounds; 0 = compares it with the head.
  std::string samples;    ///< File for all samples; "" = none, likewise below.
  std::string recompute;  ///< File of samples to judge; nothing is run.
  std::string canaries;   ///< Record of canaries, for the error rates of the gate.
  std::string searches;   ///< Record of searches, for the page with the error rates.
  std::string rates;      ///< Record of canaries, for the page of a comparison.
  std::string junit;
  std::string markdown;
  std::string html;
  bool json = false;
};
int gate(const GateOptions& options);

}  // namespace harness::entries
