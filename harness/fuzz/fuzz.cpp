// SPDX-License-Identifier: Apache-2.0
// fuzz: the libFuzzer target of one path. Bytes are choices (strategies/bytes.h). A claim that does
// not hold is a crash.
//
// Without --variant, all sound variants run each input, and any fault is a crash. With
// --variant=NAME (or AFTERLIFE_VARIANT), only that variant runs, and any fault is a crash whatever
// the claim: use it to search unsound variants. --config=TEXT (or AFTERLIFE_CONFIG) fixes the
// config, which by default depends on the input. Both are passed to the processes that libFuzzer
// starts for -fork and -minimize_crash. --dictionary=FILE writes the choices of a default run, for
// engines that do not call this target's mutator, and ends. Other flags with two dashes are
// refused.
//
// Entropic scheduling is off unless -entropic=1 is given: here it costs a third of all executions,
// and finds nothing earlier.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/base/files/whole_file.h"
#include "harness/fuzz/fuzz_arguments.h"
#include "harness/fuzz/fuzz_observer.h"
#include "harness/report/story.h"
#include "harness/run/whole_config.h"
#include "harness/search/search.h"

extern "C" __attribute__((weak)) int LLVMFuzzerRunDriver(int* argc, char*** argv,
                                                         int (*callback)(const std::uint8_t*,
                                                                         std::size_t));

namespace harness::entries {
namespace {

/// Features for which libFuzzer keeps inputs, in addition to code coverage.
__attribute__((section("__libfuzzer_extra_counters"))) Features features;

[[noreturn]] void stop(const std::string& why) {
  fmt::print(stderr, "fuzz_{}: {}\n", AFTERLIFE_PATH, why);
  std::_Exit(3);
}

class Target {
 public:
  Target() {
    const char* variant = std::getenv("AFTERLIFE_VARIANT");
    for (std::size_t i = 0; i < scenario_.variants.size(); ++i) {
      const VariantInfo& info = scenario_.variants[i];
      const bool wanted =
          variant != nullptr ? info.name.view() == variant : info.claim.kind == ClaimKind::sound;
      if (wanted) variants_.push_back(i);
    }
    if (variants_.empty())
      stop(fmt::format("no variant '{}'", variant != nullptr ? variant : "sound"));
    if (const char* config = std::getenv("AFTERLIFE_CONFIG")) {
      config_ = parse_whole_config(scenario_, config);
      config_is_fixed_ = true;
    }
  }

  void run(std::span<const std::uint8_t> bytes) {
    if (!aim_file_.empty()) aim_at(read(std::exchange(aim_file_, {})));
    const Config config = config_for(bytes);
    observer_.assign(bytes);
    for (const std::size_t variant : variants_) {
      const Outcome& outcome = runner_.run(scenario_, variant, config, device_, observer_);
      mark_features(outcome);
      if (!outcome.failed()) continue;
      const std::string signature = outcome.faults.front().signature();
      if (aim_.empty() || aim_ == signature) crash(variant, config, outcome, signature);
    }
  }

  /// Returns the choices of a run of the empty input, each with an option that is not the default.
  std::set<std::string> dictionary() {
    std::set<std::string> entries;
    observer_.assign({});
    for (const std::size_t variant : variants_) {
      runner_.run(scenario_, variant, config_for({}), device_, observer_);
      for (const Decision& decision : observer_.asked()) entries.insert(dictionary_entry(decision));
    }
    return entries;
  }

  /// Makes only the bug in this file a crash, because -minimize_crash would stop at any other. The
  /// file is run later, at the first input: libFuzzer must install its signal handlers before a run
  /// installs ours, which forward foreign signals.
  void aim_at_file(std::string file) { aim_file_ = std::move(file); }

  const Records& asked() const { return observer_.asked(); }

 private:
  static std::vector<std::uint8_t> read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  void aim_at(std::span<const std::uint8_t> bytes) {
    aim_ = "?";
    const Config config = config_for(bytes);
    observer_.assign(bytes);
    for (const std::size_t variant : variants_) {
      const Outcome& outcome = runner_.run(scenario_, variant, config, device_, observer_);
      if (!outcome.failed()) continue;
      aim_ = outcome.faults.front().signature();
      return;
    }
  }

  static const Scenario& find_scenario() {
    const Scenario* scenario = find(tables::scenarios(), AFTERLIFE_PATH);
    if (scenario == nullptr) stop("no such path");
    return *scenario;
  }
  static const DeviceInfo& find_device() {
    const DeviceInfo* device = find(tables::devices(), "sim");
    if (device == nullptr) stop("no simulated device");
    return *device;
  }

  Config config_for(std::span<const std::uint8_t> bytes) const {
    if (config_is_fixed_) return config_;
    return config_at(scenario_, config_of(read_records(bytes)) % config_count(scenario_));
  }

  /// Marks the windows that were reached, and the pairs of ops that ran together.
  void mark_features(const Outcome& outcome) {
    constexpr std::uint64_t kWindow = hash_name("window");
    constexpr std::uint64_t kOps = hash_name("ops");
    for (const std::size_t window : outcome.reached) mark(features, mix(kWindow, window));
    for (const std::size_t first : outcome.ops)
      for (const std::size_t second : outcome.ops)
        if (first <= second) mark(features, mix(mix(kOps, first), second));
  }

  /// ClusterFuzz and -minimize_crash distinguish bugs by the first two lines.
  [[noreturn]] void crash(std::size_t variant, const Config& config, const Outcome& outcome,
                          const std::string& signature) {
    fmt::print(stderr, "{}:{}: ASSERTION FAILED: {}\nDEDUP_TOKEN: {}\n", __FILE__, __LINE__,
               signature, signature);
    const Case the_case{&scenario_, variant, config, &device_, outcome.tape};
    fmt::print(stderr, "\n{}\n", reports::story({the_case, outcome, runner_.world()}, {}));
    fmt::print(stderr, "{}", to_string(describe(runner_, outcome, the_case)));
    std::abort();
  }

  const Scenario& scenario_ = find_scenario();
  const DeviceInfo& device_ = find_device();
  std::vector<std::size_t> variants_;
  Config config_;
  bool config_is_fixed_ = false;
  std::string aim_file_;
  std::string aim_;  ///< The only signature that counts; "" = any.
  Runner runner_;
  Observer observer_{features};
};

Target& target() {
  static Target one;
  return one;
}

/// Writes the dictionary of the path, and ends the process.
[[noreturn]] void write_dictionary(const std::string& file) {
  std::string text = "# Choices of a default run, 16 bytes each.\n";
  for (const std::string& entry : target().dictionary()) text += entry + '\n';
  write_whole_file(file, text);
  std::_Exit(0);
}

/// Puts our defaults before the caller's flags, which override them. Engines other than libFuzzer
/// take no flags.
void add_defaults(int& argc, char**& argv) {
  if (&LLVMFuzzerRunDriver == nullptr) return;
  static std::string entropic = "-entropic=0";
  static std::vector<char*> all{argv[0], entropic.data()};
  all.insert(all.end(), argv + 1, argv + argc + 1);  // Includes the terminating null.
  argv = all.data();
  ++argc;
}

}  // namespace
}  // namespace harness::entries

using harness::entries::Mutator;
using harness::entries::read_records;
using harness::entries::Records;
using harness::entries::target;
using harness::entries::write_records;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::string wrong = harness::entries::take_fuzz_flags(
      *argc, *argv,
      [](const char* variable, const std::string& value) { setenv(variable, value.c_str(), 1); });
  if (!wrong.empty()) harness::entries::stop(wrong);
  try {
    const auto end = *argv + *argc;
    const bool minimizing = std::any_of(*argv, end, [](const char* argument) {
      return std::string_view(argument) == "-minimize_crash_internal_step=1";
    });
    for (int i = 1; minimizing && i < *argc; ++i)
      if ((*argv)[i][0] != '-') target().aim_at_file((*argv)[i]);
    target();
    if (const char* file = std::getenv("AFTERLIFE_DICTIONARY"))
      harness::entries::write_dictionary(file);
  } catch (const std::runtime_error& error) {
    harness::entries::stop(error.what());
  }
  harness::entries::add_defaults(*argc, *argv);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target().run({data, size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_limit, unsigned int seed) {
  Mutator mutator(target().asked(), seed);
  const Records mutant =
      mutator.mutate(read_records({data, size}), size_limit / sizeof(harness::Decision));
  return write_records(mutant, data, size_limit);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1,
                                                 const std::uint8_t* data2, std::size_t size2,
                                                 std::uint8_t* out, std::size_t out_limit,
                                                 unsigned int seed) {
  Mutator mutator(target().asked(), seed);
  const Records child = mutator.cross(read_records({data1, size1}), read_records({data2, size2}),
                                      out_limit / sizeof(harness::Decision));
  return write_records(child, out, out_limit);
}
