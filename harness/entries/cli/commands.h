// Commands: what `afterlife` can be told to do. Each is a plain function of its options that
// returns the exit code; main.cpp reads the options and turns exceptions into one line and a code.
//
// Errors: UsageError is the caller's (exit 3); any other std::exception is the world's (exit 2).
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace harness::entries {

enum ExitCode : int {
  kAsClaimed = 0,     ///< Every claim came out; the replay equals the file; the proof stands.
  kNotAsClaimed = 1,  ///< One did not, or too few runs tell (`fuzz`).
  kWorld = 2,         ///< A file, the disk, the GPU.
  kUsage = 3,
  kStopped = 4,    ///< By Ctrl-C or TERM, before anything did not come out.
  kUndecided = 5,  ///< One benchmark at least is (`gate`), or every claim (`prove`).
};

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ListOptions {
  std::string path;  ///< "" = everything.
  bool json = false;
};
int list(const ListOptions& options);

struct FuzzOptions {
  std::string target;      ///< "", "path" or "path/variant".
  double seconds = 0;      ///< In all; 0 = until `runs`.
  std::uint64_t runs = 0;  ///< Per variant; 0 = until `seconds`.
  std::uint64_t seed = 1;
  std::string strategy = "random_walk";
  std::string device = "sim";
  std::string config;
  std::string window;  ///< Faults elsewhere do not count; "" = all do.
  std::string out = "results/found";
  bool first = false;  ///< Until the first fault of each variant, which is kept as it was found.
  bool no_failures = false;  ///< No CUDA call is told to fail.
  bool full = false;         ///< All tables are printed, however many variants are searched.
  bool json = false;
};
int fuzz(const FuzzOptions& options);

struct ReplayOptions {
  std::vector<std::string> files;   ///< Folders stand for the reproducers in them.
  std::string html;                 ///< A page of the one case goes here; "" = none.
  std::string trace;                ///< A Perfetto trace of it goes here; "" = none.
  std::string sarif;                ///< It goes here as SARIF 2.1.0; "" = nowhere.
  std::optional<std::size_t> step;  ///< One whose code is told with `steps`.
  std::string steps;                ///< Its steps go here; "" = nowhere.
  std::string flow;                 ///< Its way through the code goes here; "" = nowhere.
  bool why = false;                 ///< Look for the least repair, and tell what is missing.
  bool trust = false;               ///< Start the command of a finding whoever wrote it.
  bool gdb = false;                 ///< Stop in gdb where the fault is reported.
  bool json = false;
};
int replay(const ReplayOptions& options);

struct MinimizeOptions {
  std::string file;
  std::string out;       ///< "" = beside the file, "found.min.repro" of "found.repro".
  std::string programs;  ///< The corpus to compare with; "" = corpus, if it is there.
  bool trust = false;    ///< Start the command of a finding whoever wrote it.
  bool json = false;
};
int minimize(const MinimizeOptions& options);

struct ProveOptions {
  std::string target;  ///< "path" or "path/variant".
  int decisions = -1;  ///< k; -1 = the most up to 3 that 200 000 runs per window allow.
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
  std::optional<std::uint64_t> runs;  ///< Other schedules in which a repair must work.
  std::string good_program;           ///< Shows none of the faults; "" = there is none.
  bool json = false;
};
int triage(const TriageCommandOptions& options);

struct CountersOptions {
  std::string target;  ///< "" = every sound variant, "path" = those of it, "path/variant" = one.
  std::string corpus = "corpus";
  bool json = false;
};
int counters(const CountersOptions& options);

struct GateOptions {
  std::vector<std::string> base;  ///< A command, a word each.
  std::vector<std::string> head;
  std::size_t rounds = 160;      ///< At most, in one measurement.
  double seconds = 0;            ///< In all; 0 = as long as it takes.
  double timeout_seconds = 600;  ///< One process.
  double min_time = 0.001;       ///< One repetition, in seconds.
  std::uint64_t seed = 1;
  std::size_t calibrating_rounds = 0;  ///< Measures `base` with itself for so many; 0 = a gate.
  std::string samples;                 ///< All samples go here; "" = nowhere, as with those below.
  std::string recompute;               ///< Samples are read from here, and nothing is run.
  std::string canaries;  ///< A record of canaries, by which the gate itself is judged.
  std::string searches;  ///< A record of searches, for the page that says how that came out.
  std::string rates;     ///< A record of canaries, for the page of a comparison.
  std::string junit;
  std::string markdown;
  std::string html;
  bool json = false;
};
int gate(const GateOptions& options);

}  // namespace harness::entries
