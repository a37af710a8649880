// SPDX-License-Identifier: Apache-2.0
// The same statements on a real CPython and on the model, judged from the same kind of record.
//
// The real one is a child process: it crashes wherever the model says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "harness/base/tests/child.h"
#include "harness/search/search.h"
#include "scenarios/managed_dict/explain/explain.h"
#include "scenarios/managed_dict/scenario.h"

namespace scenarios::managed_dict {
extern const harness::Scenario scenario;

namespace {

using harness::BirthId;
using harness::Ended;
using harness::Folder;
using targets::managed_dict::BlockKind;
using targets::managed_dict::Module;
using ::testing::HasSubstr;

constexpr const char* kPath = "embedded_managed_dict_";

/// Translates the lines of embedded/recorder.h to the records of an observer of the model.
class Reader {
 public:
  explicit Reader(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) read(line);
  }

  const Evidence& evidence() const { return recorder_.evidence(); }
  bool ended() const { return ended_; }
  std::size_t wrong_readings() const { return wrong_readings_; }

 private:
  static BirthId id(std::uint64_t number) { return static_cast<BirthId>(number); }
  static BlockKind kind_of(const std::string& word) {
    return word == "instance" ? BlockKind::instance
           : word == "values" ? BlockKind::values
                              : BlockKind::none;
  }
  static Module module_of(const std::string& word) {
    return word == "jit"           ? Module::jit
           : word == "interpreter" ? Module::interpreter
           : word == "allocator"   ? Module::allocator
                                   : Module::unknown;
  }
  void read(const std::string& line);
  // The C function replaces compiled code: it counts its stores as compiled ones.
  void end(std::uint64_t stores) { recorder_.ended({.compiled_stores = stores}); }

  Recorder recorder_;
  bool ended_ = false;
  std::size_t wrong_readings_ = 0;
};

void Reader::read(const std::string& line) {
  std::istringstream words(line);
  std::string what, kind;
  std::uint64_t tick = 0, block = 0, address = 0, before = 0, after = 0;
  words >> what;
  if (what == "evidence") {
    words >> kind;
    recorder_.began(kind == "cpython311" ? targets::managed_dict::Version::cpython311
                                         : targets::managed_dict::Version::cpython312);
  } else if (what == "born") {
    std::uint32_t bytes = 0;
    words >> tick >> kind >> block >> address >> bytes;
    recorder_.allocated({tick, kind_of(kind), id(block), BirthId::none, address, bytes});
  } else if (what == "write") {
    std::int32_t offset = 0, begin = 0;
    std::uint16_t width = 0;
    words >> tick >> kind >> block >> offset >> before >> after >> width >> begin;
    recorder_.word_written({tick, module_of(kind), 8, width, 0, BlockKind::instance, true,
                            id(block), BirthId::none, offset, 0, before, after},
                           static_cast<std::int16_t>(begin));
  } else if (what == "lost") {
    words >> recorder_.evidence().lost_writes;
  } else if (what == "probe") {
    std::uint64_t instance = 0, chunk = 0, word = 0;
    std::int32_t shift = 0;
    words >> tick >> address >> instance >> chunk >> word >> shift;
    recorder_.probed({tick, true, address, id(instance), id(chunk), word}, shift);
  } else if (what == "release") {
    std::uint64_t allocated = 0;
    std::uint32_t prefix = 0, expected = 0;
    words >> tick >> kind >> block >> address >> allocated >> prefix >> expected;
    recorder_.released({tick, Module::interpreter, kind_of(kind), block != 0, id(block), address,
                        allocated, true, kind == "values", static_cast<std::uint8_t>(prefix)});
  } else if (what == "crash") {
    words >> tick >> address;
    recorder_.crashed({tick, Module::interpreter, address, BirthId::none});
    end(recorder_.evidence().sightings.size());
  } else if (what == "counters") {
    words >> tick;
    end(tick);
    ended_ = true;
  } else if (what == "reading") {
    ++wrong_readings_;
  }
}

/// One of the CPython versions, if the build has found it.
class TestManagedDictEmbedded : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const std::string skipped = harness::read_file(here / (program() + ".skipped"));
    if (!skipped.empty()) GTEST_SKIP() << skipped;
    ASSERT_TRUE(std::filesystem::exists(here / program())) << program() << " is not built";
  }

  std::string program() const { return std::string(kPath) + GetParam(); }
  bool is_tagged() const { return std::string(GetParam()) == "cpython312"; }

  Ended run(const std::string& statements, std::vector<std::string> options = {}) const {
    const Folder folder;
    harness::write_file(folder / "statements", statements);
    options.push_back(folder / "statements");
    return harness::run_child(program(), options);
  }
  static std::string kind(const Ended& ended) {
    return diagnose(Reader(ended.out).evidence()).kind;
  }
};

/// Uses two instances, one after the other at one address, and then a nested block.
std::string life_after_life(const std::string& planted) {
  return planted +
         "new_instance 0 1\nstore_attr 0 2 0\nload_attr 0 2\nlaunch 0\ndel_instance 0\n"
         "new_instance 1 1\nstore_attr 1 2 0\nload_attr 1 2\nlaunch 1\ndel_instance 1\n"
         "with_block 3 0\nclear_up\n";
}

TEST_P(TestManagedDictEmbedded, LegalProgramsRunToCompletionAndAreLegal) {
  for (const char* statements :
       {"", "access_dict 0\n", "collect\n", "store_attr 0 3 3\n", "set_type_attr 1\n"}) {
    const Ended ended = run("new_instance 0 1\n" + std::string(statements) + life_after_life(""));
    EXPECT_EQ(ended.code, 0) << statements << ended.err;
    const Reader reader(ended.out);
    EXPECT_TRUE(reader.ended());
    EXPECT_EQ(reader.wrong_readings(), 0U) << statements;
    EXPECT_EQ(kind(ended), "d") << statements << ended.out;
    EXPECT_GT(reader.evidence().checked_frees, 0U);
  }
}

TEST_P(TestManagedDictEmbedded, TheHardwareSeesTheRealLegalWriters) {
  if (const std::string& why_not = harness::instruments::HardwareWatch::why_not(); !why_not.empty())
    GTEST_SKIP() << why_not;
  const Ended ended = run("new_instance 0 0\nstore_attr 0 0 0\naccess_dict 0\ndel_instance 0\n");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const std::vector<WordWrite> writes = Reader(ended.out).evidence().word_writes;
  const bool tagged = is_tagged();
  // Expects 0 from tp_alloc; values; a dict, or 3.11's empty values word; and 0 at the end.
  ASSERT_GE(writes.size(), 2U) << ended.out;
  EXPECT_EQ(writes[0].before, 0U);
  EXPECT_EQ(writes[0].after & 1, tagged ? 1U : 0U);
  EXPECT_EQ(writes[1].before, writes[0].after);
  EXPECT_EQ(writes[1].after == 0, !tagged);
  EXPECT_EQ(writes.back().after, 0U);
  for (const WordWrite& write : writes) EXPECT_EQ(write.writer, Writer::interpreter);
  EXPECT_THAT(ended.out, HasSubstr("# written by libpython3.1"));
}

TEST_P(TestManagedDictEmbedded, AStoreThatKeepsTheWordNamesNoWriter) {
  const Ended ended = run(life_after_life("stray 4 rewrite\n"));
  EXPECT_EQ(kind(ended), "d") << ended.out;
  if (harness::instruments::HardwareWatch::why_not().empty())
    EXPECT_THAT(ended.out, HasSubstr("# touched by embedded_managed_dict_")) << ended.out;
}

/// An illegal store to the word, before the only store to the second instance.
struct Illegal {
  const char* kind;
  const char* diagnosis;
  std::uint16_t width;
  std::int16_t offset;
  bool crashes;  ///< At 0xab.
};

// The report asked for this: (a) or (b), from the faulting instruction.
TEST_P(TestManagedDictEmbedded, TheWidthOfAnIllegalStoreIsDecodedAndGivesItsClass) {
  if (const std::string& why_not = harness::instruments::HardwareWatch::why_not(); !why_not.empty())
    GTEST_SKIP() << why_not;
  if (!is_tagged()) GTEST_SKIP() << "3.11 has no tagged word";
  for (const Illegal& illegal :
       {Illegal{"and_byte", "a", 1, 0, true}, Illegal{"and_two", "b", 2, 0, true},
        Illegal{"sub_four", "b", 4, 0, true}, Illegal{"sub_eight", "b", 8, 0, true},
        Illegal{"store_sixteen", "b", 16, -8, true},
        Illegal{"clear_sixteen", "c", 16, -8, false}}) {
    const Ended ended = run("stray 2 " + std::string(illegal.kind) +
                            "\nnew_instance 0 0\nstore_attr 0 0 0\nstore_attr 0 0 0\n");
    const Evidence evidence = Reader(ended.out).evidence();
    EXPECT_EQ(diagnose(evidence).kind, illegal.diagnosis) << illegal.kind << "\n" << ended.out;
    const auto written =
        std::find_if(evidence.word_writes.begin(), evidence.word_writes.end(),
                     [](const WordWrite& write) { return write.writer == Writer::unknown; });
    ASSERT_NE(written, evidence.word_writes.end()) << illegal.kind << "\n" << ended.out;
    EXPECT_EQ(written->width, illegal.width) << illegal.kind;
    EXPECT_EQ(written->offset, illegal.offset) << illegal.kind;
    EXPECT_EQ(evidence.crash.has_value(), illegal.crashes) << illegal.kind;
    if (evidence.crash) EXPECT_EQ(evidence.crash->address, 0xabU) << illegal.kind;
  }
}

TEST_P(TestManagedDictEmbedded, LegalStoresAreDecodedToo) {
  if (const std::string& why_not = harness::instruments::HardwareWatch::why_not(); !why_not.empty())
    GTEST_SKIP() << why_not;
  const Ended ended = run(life_after_life(""));
  const std::vector<WordWrite> writes = Reader(ended.out).evidence().word_writes;
  EXPECT_GE(writes.size(), 4U);
  for (const WordWrite& write : writes) EXPECT_GE(write.width, 8U) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr(", before 0x"));
}

TEST_P(TestManagedDictEmbedded, LostWritesAreReported) {
  if (!is_tagged()) GTEST_SKIP() << "no statement of 3.11 writes the values' word twice";
  if (const std::string& why_not = harness::instruments::HardwareWatch::why_not(); !why_not.empty())
    GTEST_SKIP() << why_not;
  const std::string program = life_after_life("") + "new_instance 0 1\ndelete_dict 0\n";
  const Ended all = run(program);
  EXPECT_EQ(Reader(all.out).evidence().lost_writes, 0U) << all.out;
  const Ended ended = run(program, {"--write-limit=1"});
  EXPECT_GT(Reader(ended.out).evidence().lost_writes, 0U) << ended.out;
  EXPECT_EQ(kind(ended), "-") << "what is recorded is not all";
}

TEST_P(TestManagedDictEmbedded, TheVerdictDoesNotDependOnTheWatch) {
  for (const char* planted : {"", "stray 4 incref\n", "stray 4 incref2\n"}) {
    const Ended with = run(life_after_life(planted));
    const Ended without = run(life_after_life(planted), {"--no-watch"});
    EXPECT_EQ(with.code, without.code) << planted;
    EXPECT_EQ(kind(with), kind(without)) << planted;
    EXPECT_TRUE(Reader(without.out).evidence().word_writes.empty());
  }
}

/// The model's diagnosis of a writer, and the end of the real process.
struct Expected {
  const char* planted;  ///< The statement.
  bool crashes;         ///< Whether it crashes at 0xab, the flags of a null type.
  const char* kind;
};

// Compares with the model for incref_tagged_word, decref_tagged_word, balanced_tagged_count (which
// has an effect if bit 23 of values[0] is set), even_tagged_count and incref_decoded_values.
// `_enabled`, values[0], is True, so bit 23 is selected by first storing a number there.
TEST_P(TestManagedDictEmbedded, StrayCountsThroughTheTaggedWordEndAsInTheModel) {
  if (!is_tagged()) GTEST_SKIP() << "3.11 has no tagged word";
  const std::string before = "new_instance 0 0\nstore_attr 0 0 0\nstore_attr 0 0 0\n";
  const std::string after =
      "load_attr 0 0\ndel_instance 0\nnew_instance 1 0\nstore_attr 1 0 0\nload_attr 1 "
      "0\nclear_up\n";
  const std::vector<Expected> all{
      {"bit23 0\nstray 2 incref\n", true, "f"},    {"bit23 0\nstray 2 decref\n", true, "f"},
      {"bit23 0\nstray 2 balanced\n", false, "d"}, {"bit23 1\nstray 2 balanced\n", true, "f"},
      {"bit23 1\nstray 2 decref\n", false, "d"},   {"bit23 0\nstray 2 incref2\n", false, "f"},
      {"bit23 0\nstray 2 decref2\n", false, "f"}};
  for (const Expected& expected : all) {
    const Ended ended = run(expected.planted + before + after);
    const Reader reader(ended.out);
    EXPECT_EQ(ended.code, expected.crashes ? -SIGSEGV : 0) << expected.planted << ended.err;
    ASSERT_EQ(reader.evidence().crash.has_value(), expected.crashes) << expected.planted;
    if (expected.crashes) EXPECT_EQ(reader.evidence().crash->address, 0xabU) << expected.planted;
    EXPECT_EQ(kind(ended), expected.kind) << expected.planted << ended.out;
    EXPECT_EQ(reader.wrong_readings(), 0U) << "silent until it crashes: " << expected.planted;
    if (std::string(expected.kind) == "f")
      EXPECT_EQ(diagnose(reader.evidence(), instrument_bit(Instrument::debug_allocator)).kind, "d")
          << "without the debug allocator: " << expected.planted;
  }
}

TEST_P(TestManagedDictEmbedded, ACountInTheValuesIsAValueThatIsNotAnObject) {
  // 3.11's word is the pointer itself, without a tag.
  const std::string planted = is_tagged() ? "stray 3 incref_values\n" : "stray 3 incref\n";
  const Ended ended = run(planted + "new_instance 0 1\nlaunch 0\nstore_attr 0 2 0\n");
  const Reader reader(ended.out);
  EXPECT_EQ(kind(ended), "g") << ended.out;
  EXPECT_GT(reader.wrong_readings(), 0U);
}

// ---- the scenario itself ------------------------------------------------------------------------

/// The scenario with one task: a real interpreter can run its statements one after the other.
const harness::Scenario& script_alone() {
  static const harness::Scenario alone = [] {
    harness::Scenario copy = scenario;
    copy.drive = [](harness::Scene& scene) {
      drive_shaped(scene, {.worker_count = 0}, observer_of(scene));
    };
    return copy;
  }();
  return alone;
}

std::size_t variant_called(std::string_view name) {
  std::size_t index = 0;
  while (scenario.variants[index].name.view() != name) ++index;
  return index;
}

harness::SearchOptions options_for(std::uint64_t run_limit) {
  harness::SearchOptions options;
  options.strategy = find(harness::tables::strategies(), "random_walk");
  options.device = find(harness::tables::devices(), "sim");
  options.second_limit = 0;
  options.run_limit = run_limit;
  options.finding_limit = 8;
  options.minimize_limits.run_limit = 300;
  options.configs = {parse_config(scenario, "layout=cpython312 compiler=inline")};
  return options;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// No decrements: their effect depends on an address, and the real interpreter has different ones.
TEST_P(TestManagedDictEmbedded, FindingsOfTheScenarioAreDiagnosedAlike) {
  if (!is_tagged()) GTEST_SKIP() << "3.11 has no tagged word";
  harness::Runner runner;
  std::size_t compared = 0;
  for (const char* variant : {"incref_tagged_word", "even_tagged_count", "incref_decoded_values"}) {
    const harness::SearchResult result =
        harness::search(runner, script_alone(), variant_called(variant), options_for(4000));
    for (const harness::Finding& finding : result.findings) {
      ManagedInstruments instruments(false);
      runner.run(finding.reproducer.the_case, instruments);
      const std::string program = joined(instruments.program());
      if (program.find("decref") != std::string::npos) continue;
      const Ended ended = run(program);
      EXPECT_EQ(kind(ended), instruments.diagnose(0).kind)
          << variant << ": " << finding.signature << "\n"
          << program << ended.out << ended.err;
      ++compared;
    }
  }
  EXPECT_GE(compared, 8U);
}

TEST_P(TestManagedDictEmbedded, ProgramsOfStockAreLegalOnBoth) {
  harness::Runner runner;
  const auto strategy = find(harness::tables::strategies(), "random_walk")->make(3);
  const harness::DeviceInfo& sim = *find(harness::tables::devices(), "sim");
  const harness::Config config =
      parse_config(scenario, "layout=" + std::string(GetParam()) + " compiler=inline");
  for (int i = 0; i < 25; ++i) {
    const harness::Tape tape =
        runner.run(script_alone(), variant_called("stock"), config, sim, *strategy).tape;
    ManagedInstruments instruments(false);
    const harness::Outcome& outcome = runner.run(
        harness::Case{&script_alone(), variant_called("stock"), config, &sim, tape}, instruments);
    EXPECT_FALSE(outcome.failed());
    const std::string program = joined(instruments.program());
    const Ended ended = run(program);
    EXPECT_EQ(ended.code, 0) << program << ended.out << ended.err;
    const Evidence real = Reader(ended.out).evidence();
    if (!real.sightings.empty()) EXPECT_EQ(diagnose(real).kind, "d") << program << ended.out;
    EXPECT_EQ(Reader(ended.out).wrong_readings(), 0U) << program;
    const std::string model = instruments.diagnose(0).kind;
    EXPECT_TRUE(model == "d" || model == "vacuous") << model;
  }
}

TEST_P(TestManagedDictEmbedded, AnInvalidStatementIsReportedInOneLine) {
  for (const char* wrong : {"nosuch 1\n", "new_instance 0\n", "load_attr 0\n"}) {
    const Ended ended = run(wrong);
    EXPECT_EQ(ended.code, 2) << wrong;
    EXPECT_THAT(ended.err, HasSubstr("embedded: ")) << wrong;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, TestManagedDictEmbedded, ::testing::Values("cpython311", "cpython312"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace scenarios::managed_dict
