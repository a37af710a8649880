// SPDX-License-Identifier: Apache-2.0
// Every option of every command: each changes what the command prints, writes or returns, or is
// refused. Nothing that is typed is ignored silently.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "harness/cli/tests/cli_option_rows.h"
#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using testing::kRows;
using testing::Row;
using testing::Shows;
using testing::Words;

Words split(const std::string& line) {
  Words words;
  bool quoted = false, is_word = false;
  std::string word;
  for (const char c : line + " ") {
    if (c == '\'') {
      quoted = !quoted;
      is_word = true;
    } else if (c != ' ' || quoted) {
      word += c;
    } else if (is_word || !word.empty()) {
      words.push_back(std::exchange(word, {}));
      is_word = false;
    }
  }
  return words;
}

/// Returns the command of a line, with its part: "nightly plan".
std::string command_of(const std::string& line) {
  static const std::regex command(
      "^(nightly (plan|shard|merge|report|export|import|show|mark)|"
      "[a-z]+)\\b.*");
  return std::regex_replace(line, command, "$1");
}

/// Returns the options that the help of a command names.
std::set<std::string> options_of(const std::string& command) {
  Words words = split(command);
  words.emplace_back("--help");
  const std::string help = run_child("afterlife", words).out;
  const std::size_t begin = help.find("Options:"), end = help.find("Examples:");
  const std::string part = help.substr(begin, end - begin);
  static const std::regex option("\n  (?:-[a-z],)?(--[a-z-]+)");
  std::set<std::string> options;
  for (std::sregex_iterator at(part.begin(), part.end(), option), last; at != last; ++at)
    options.insert((*at)[1]);
  options.erase("--help");
  return options;
}

constexpr const char* kCommands[] = {
    "run",           "list",           "fuzz",           "replay",         "minimize",
    "explain",       "triage",         "counters",       "price",          "gate",
    "memory",        "effectiveness",  "nightly",        "nightly plan",   "nightly shard",
    "nightly merge", "nightly report", "nightly export", "nightly import", "nightly show",
    "nightly mark",  "prove",          "completion",     "selftest"};

/// Returns the commands that the help names, with the parts of `nightly`.
Words commands() {
  static const std::regex command("\n  ((?:nightly )?[a-z]+)  "), part("\n  ([a-z]+  )");
  const std::string parts = run_child("afterlife", {"nightly", "--help"}).out;
  const std::string help =
      run_child("afterlife", {"--help"}).out + std::regex_replace(parts, part, "\n  nightly $1");
  Words found;
  for (std::sregex_iterator at(help.begin(), help.end(), command), last; at != last; ++at)
    found.push_back((*at)[1]);
  return found;
}

TEST(CliOptions, EveryCommandIsAsked) {
  EXPECT_THAT(commands(), ::testing::UnorderedElementsAreArray(kCommands));
}

/// Replaces what differs from run to run by itself: times, sizes and the folder.
std::string steady(std::string text, const std::string& folder) {
  static const std::regex times(
      "[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)? ?(s|ms|us|µs|ns|min|h|MB|MiB|KiB|GiB|kB|/s)\\b|[0-9]+ %|"
      "\"[a-z_]*(second|_at|share|bytes|instructions|nanoseconds|content|seal)[a-z_]*\": ?"
      "(\"[^\"]*\"|[-+0-9.e]+)|"
      "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z?|0x[0-9a-f]+");
  for (std::size_t at = text.find(folder); at != text.npos; at = text.find(folder))
    text.replace(at, folder.size(), "@");
  return std::regex_replace(text, times, "N");
}

/// Returns the lines that are not progress, which comes when it is due.
std::string messages(const std::string& err) {
  std::istringstream lines(err);
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("afterlife: ")) text += line + "\n";
  return text;
}

/// How a command reached its end, with all that it left in its folder.
struct Outcome {
  int code = 0;
  std::string text;
  bool operator==(const Outcome&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
    return out << "exit code " << outcome.code << "\n" << outcome.text;
  }
};

class CliEveryOption : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    files_ = new Folder;
    const std::string at = *files_ / "";
    const auto copy = [&](const char* from, const char* to) {
      std::filesystem::copy_file(from, at + to);
    };
    copy("corpus/argpack/repros/borrow-nested_replaced.repro", "a.repro");
    copy("corpus/managed_dict/repros/incref_tagged_word-chunk_freed.repro", "word.repro");
    std::filesystem::create_directory(at + "empty");
    write_file(at + "noisy", "echo $$\n");
    write_file(at + "starts.py",
               "import ctypes\n"
               "open(__file__ + '.log', 'a').write('started\\n')\n"
               "cuda = ctypes.CDLL('libcuda.so.1')\n"
               "cuda.cuInit(0)\n"
               "cuda.cuDevicePrimaryCtxRetain(ctypes.byref(ctypes.c_void_p()), 0)\n"
               "cuda.cuMemAlloc_v2(ctypes.byref(ctypes.c_uint64()), 64)\n");
    write_file(at + "known", "use_after_free recycled.py it is known\n");
    left("effectiveness example --searches 2 --limit 40 --json", "searches");
    left("effectiveness example --searches 2 --first 9 --limit 40 --json", "others");
    left("run --runs 2 --out " + at +
             "found --json -- python3 harness/client/tests/clients/recycled.py",
         "found.json");
    const auto found = nlohmann::json::parse(read_file(at + "found.json"));
    copy(std::string(found.at("findings").at(0).at("file")).c_str(), "f.run.json");
    write_file(at + "foreign.run.json",
               std::regex_replace(read_file(at + "f.run.json"), std::regex("clients/recycled.py\""),
                                  "clients/../clients/recycled.py\""));
    std::filesystem::remove_all(at + "found");
    const std::string terms = "--runs 400 --seed 1 --only example --history " + at;
    left("nightly --jobs 1 --json " + terms + "history", "night.json");
    left("nightly export --history " + at + "history", "export.jsonl");
    left("nightly plan 1 " + terms + "planned", "plan");
    left("nightly plan 1 " + terms + "ahead", "plan");
    left("nightly shard 1 --history " + at + "ahead", "shard");
    const std::string client = " -- python3 harness/client/tests/clients/recycled.py";
    left("run --runs 2 --out " + at + "out --history " + at + "remembered" + client, "search");
    std::filesystem::remove_all(at + "out");
    write_file(at + "programs.toml",
               "[[program]]\nname = \"one\"\nruns = 2\nfolder = \"" +
                   std::filesystem::current_path().string() +
                   "\"\ncommand = [\"python3\", \"harness/client/tests/clients/recycled.py\"]\n");
    left("nightly plan 1 --seed 1 --history " + at + "listed --programs " + at + "programs.toml",
         "plan");
    const auto night = nlohmann::json::parse(read_file(at + "night.json"));
    cause_ = night.at("findings").at(0).at("cause");
  }
  static void TearDownTestSuite() { delete std::exchange(files_, nullptr); }

  void SetUp() override {
    if (kAsan || kTsan) GTEST_SKIP() << "options are the same in every build";
  }

  static Outcome run(const std::string& line, const std::string& option) {
    const Folder folder;
    std::filesystem::copy(*files_ / "", folder / "", std::filesystem::copy_options::recursive);
    const std::size_t dashes = std::min(line.find(" -- "), line.size());
    const std::string whole = line.substr(0, dashes) + " " + option + line.substr(dashes);
    Words words = split(whole);
    for (std::string& word : words) {
      if (word == "@cause") word = cause_;
      if (const std::size_t at = word.find("@/"); at != word.npos) word.replace(at, 2, folder / "");
    }
    const Ended ended = run_for_a_while(words);
    std::string text = ended.out + messages(ended.err);
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / ""))
      names.insert(entry.path());
    for (const std::string& name : names) text += "\n" + name + content(folder / "", name);
    return {ended.code, steady(text, folder / "")};
  }

  static const Outcome& without(const std::string& line) {
    static std::map<std::string, Outcome> known;
    const auto [at, is_new] = known.try_emplace(line);
    if (is_new) {
      at->second = run(line, "");
      EXPECT_EQ(run(line, ""), at->second) << "differs from run to run: " << line;
    }
    return at->second;
  }

 private:
  /// Returns the content of a file that the command wrote. A history and its pages have the times
  /// of their nights in them, and are left out.
  static std::string content(const std::string& folder, const std::string& name) {
    static const std::regex history("/(h|history|ahead|planned|remembered|listed)/");
    const std::string before = *files_ / name.substr(folder.size());
    if (!std::filesystem::is_regular_file(name) || std::regex_search(name, history)) return {};
    const std::string text = read_file(name);
    if (std::filesystem::is_regular_file(before) && read_file(before) == text) return {};
    return "\n" + text;
  }

  static void left(const std::string& line, const char* name) {
    write_file(*files_ / name, run_child("afterlife", split(line)).out);
  }

  static Ended run_for_a_while(const Words& words) {
    constexpr int kMostSeconds = 100;
    Child child("afterlife", words);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kMostSeconds);
    while (!child.has_ended() && std::chrono::steady_clock::now() < end) usleep(2000);
    if (!child.has_ended()) child.signal(SIGKILL);
    return child.wait();
  }

  static inline Folder* files_ = nullptr;
  static inline std::string cause_;
};

TEST_P(CliEveryOption, HasAnEffectOrIsRefused) {
  for (const Row& row : kRows) {
    if (command_of(row.line) != GetParam()) continue;
    SCOPED_TRACE(std::string(row.line) + " | " + row.option);
    const Outcome with = run(row.line, row.option);
    if (row.shows == Shows::refusal)
      EXPECT_EQ(with.code, 3) << with.text;
    else if (row.shows == Shows::end)
      EXPECT_GE(with.code, 0) << with.text;
    else if (row.shows == Shows::form)
      EXPECT_NE(std::ranges::count(with.text, '\n'),
                std::ranges::count(run(row.line, "").text, '\n'))
          << row.line << " " << row.option << "\n"
          << with.text;
    else
      EXPECT_NE(with, without(row.line)) << with.text;
  }
}

TEST_P(CliEveryOption, HasARow) {
  for (const std::string& option : options_of(GetParam())) {
    EXPECT_TRUE(std::ranges::any_of(kRows,
                                    [&](const Row& row) {
                                      return command_of(row.line) == GetParam() &&
                                             split(row.option).front() == option;
                                    }))
        << GetParam() << " " << option;
  }
}

std::string test_name(const ::testing::TestParamInfo<const char*>& info) {
  return std::regex_replace(std::string(info.param), std::regex(" "), "_");
}

INSTANTIATE_TEST_SUITE_P(Each, CliEveryOption, ::testing::ValuesIn(kCommands), test_name);

}  // namespace
}  // namespace harness
