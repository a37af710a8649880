// SPDX-License-Identifier: Apache-2.0
// Every arithmetic row of the table of instructions, on edge values, compared with a reference that
// was written from the documentation alone.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/device_code/ptx/instructions.h"
#include "harness/device_code/ptx/module.h"
#include "harness/device_code/tests/ptx/ptx_stage.h"
#include "harness/device_code/tests/ptx/sweep.h"

namespace harness::testing {
namespace {

constexpr std::size_t kShown = 8;  ///< Wrong answers of one sweep that are reported.
constexpr std::size_t kThreads = 64;

/// The first lines of a module for that compute capability.
std::string head(int target) {
  return fmt::format(".version {}\n.target sm_{}\n.address_size 64\n", target > 90 ? "8.8" : "8.3",
                     target);
}

std::vector<Sweep> all_sweeps() {
  std::vector<Sweep> all;
  for (const auto& make :
       {integer_sweeps, logic_sweeps, floating_sweeps, half_sweeps, convert_sweeps, compare_sweeps,
        byte_sweeps, video_sweeps, memory_sweeps, warp_sweeps})
    for (Sweep& one : make()) all.push_back(std::move(one));
  return all;
}

/// The statements of a sweep, with the names of its kernel's registers.
std::string statements(const Sweep& one) {
  std::string text = one.text;
  if (text.find('$') == std::string::npos) {
    text += " $d";
    for (std::size_t i = 0; i < one.values.size(); ++i) text += fmt::format(", ${}", "abce"[i]);
    text += ";";
  }
  const auto replace = [&](const std::string& what, const std::string& by) {
    for (std::size_t at; (at = text.find(what)) != std::string::npos;)
      text.replace(at, what.size(), by);
  };
  replace("$d", one.is_predicate ? "%q" : "%d");
  for (std::size_t i = 0; i < one.values.size(); ++i)
    replace(fmt::format("${}", "abce"[i]),
            fmt::format("%{}{}", one.source_predicates[i] ? "p" : "v", i));
  return text;
}

std::string kernel(const Sweep& one, std::size_t index) {
  std::string text = fmt::format(
      ".visible .entry sweep_{}(.param .u64 in, .param .u64 out)\n{{\n"
      ".reg .pred %q; .reg .b{} %d; .reg .b64 %in, %out, %i; .reg .b32 %x, %y, %z;\n",
      index, 8 * one.result_bytes);
  for (std::size_t i = 0; i < one.values.size(); ++i)
    text += fmt::format(".reg .b{} %v{}; .reg .pred %p{};\n", 8 * one.source_bytes[i], i, i);
  if (one.text.find("%s") != std::string::npos)
    text +=
        ".reg .b32 %s; .shared .align 16 .b8 scratch[1024];\n"
        "mov.u32 %x, %tid.x; mov.u32 %s, scratch; mad.lo.u32 %s, %x, 16, %s;\n";
  text +=
      "ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
      "mov.u32 %x, %ctaid.x; mov.u32 %y, %ntid.x; mov.u32 %z, %tid.x; mad.lo.s32 %x, %x, %y, %z;\n"
      "mul.wide.u32 %i, %x, 32; add.s64 %in, %in, %i; mul.wide.u32 %i, %x, 8;\n"
      "add.s64 %out, %out, %i;\n";
  for (std::size_t i = 0; i < one.values.size(); ++i) {
    text += fmt::format("ld.global.b{} %v{}, [%in+{}];\n", 8 * one.source_bytes[i], i, 8 * i);
    if (one.source_predicates[i]) text += fmt::format("setp.ne.u32 %p{0}, %v{0}, 0;\n", i);
  }
  text += statements(one) + "\n";
  if (one.is_predicate) text += "selp.b32 %d, 1, 0, %q;\n";
  return text + fmt::format("st.global.b{} [%out], %d;\nret;\n}}\n", 8 * one.result_bytes);
}

/// The sources of each thread: all pairs of the first two, and of the others what comes.
std::vector<u64> inputs(const Sweep& one) {
  const std::size_t first = one.values[0].size();
  const std::size_t second = one.values.size() > 1 ? one.values[1].size() : 1;
  std::vector<u64> made;
  for (std::size_t i = 0; i < first * second * (one.values.size() > 2 ? 3 : 1); ++i) {
    const std::size_t places[kSources] = {i % first, i / first % second, i * 7 + i / 11 + 1,
                                          i * 5 + i / 3 + 2};
    for (std::size_t k = 0; k < kSources; ++k)
      made.push_back(k < one.values.size() ? one.values[k][places[k] % one.values[k].size()] : 0);
  }
  return made;
}

/// The rows that a text has an instruction of.
std::set<const ptx::Family*> rows_in(const std::string& text) {
  std::set<const ptx::Family*> found;
  const ptx::Module module = ptx::parse(text);
  for (const ptx::Function& function : module.functions)
    for (const ptx::Statement& statement : function.body)
      if (statement.kind == ptx::Statement::Kind::instruction)
        found.insert(ptx::family_of(ptx::Instruction(statement)));
  return found;
}

/// The rows that a sweep is of.
std::set<const ptx::Family*> rows_of(const Sweep& one) {
  std::set<const ptx::Family*> found;
  for (const ptx::Family* row :
       rows_in(head(one.target) + ".visible .entry k()\n{\n" + statements(one) + "\n}\n"))
    if (row != nullptr && (one.subject.empty() || row->name == one.subject)) found.insert(row);
  return found;
}

/// Number of cases of a row, and of those that differ from the reference.
struct Figure {
  std::size_t cases = 0;
  std::size_t wrong = 0;
};
using Figures = std::map<const ptx::Family*, Figure>;

/// A line of the table, which scripts/measure/ptx_sweep.py prints.
std::string line_of(const ptx::Family& row, const Figure& figure) {
  return fmt::format("{}|{}|{}|{}|{}", row.name, row.types, figure.cases, figure.wrong,
                     row.reference);
}

class PtxSweep : public OnGpuToo<PtxStage> {
 protected:
  /// How many answers differ; reports the first of them, in one failure.
  Figure run(const Sweep& one, CUfunction kernel) const {
    const std::vector<u64> in = inputs(one);
    const std::size_t count = in.size() / kSources;
    const unsigned blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
    std::vector<u64> padded = in;
    padded.resize(blocks * kThreads * kSources);
    const CUdeviceptr source = copy_of(padded);
    const CUdeviceptr target = copy_of(std::vector<u64>(blocks * kThreads));
    EXPECT_EQ(launch(kernel, blocks, kThreads, 0, source, target), CUDA_SUCCESS);
    const std::vector<u64> got = values_at<u64>(target, count);
    release(source), release(target);
    Figure made;
    std::string message;
    for (std::size_t i = 0; i < count; ++i) {
      if (backend() == Backend::gpu && one.departs && one.departs(&in[i * kSources])) continue;
      ++made.cases;
      const u64 want = one.across
                           ? one.across(&padded[i / 32 * 32 * kSources], static_cast<u32>(i % 32))
                           : one.reference(&in[i * kSources]);
      if (got[i] == want || (one.same && one.same(got[i], want))) continue;
      if (made.wrong++ < kShown)
        message +=
            fmt::format("\n  of {:#x} give {:#x}, not {:#x}",
                        fmt::join(&in[i * kSources], &in[i * kSources] + one.values.size(), ", "),
                        got[i], want);
    }
    if (made.wrong != 0)
      ADD_FAILURE() << fmt::format("{}: {} of {} are wrong{}", one.text, made.wrong, made.cases,
                                   message);
    return made;
  }

  /// Returns whether the device has instructions of a compute capability.
  bool has(int target) const {
    int major = 0;
    AFTERLIFE_CU(cuDeviceGetAttribute)(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
    return backend() != Backend::gpu || 10 * major >= target;
  }

  /// Runs a module with a kernel for each that is for a compute capability.
  void run_all(const std::vector<Sweep>& all, int target, Figures& figures) const {
    std::string text = head(target);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].target == target) text += kernel(all[i], i);
    if (!has(target) || text == head(target)) return;
    CUmodule module = load(text);
    ASSERT_NE(module, nullptr);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].target != target) continue;
      const Figure made = run(all[i], function(module, fmt::format("sweep_{}", i).c_str()));
      for (const ptx::Family* row : rows_of(all[i])) {
        figures[row].cases += made.cases;
        figures[row].wrong += made.wrong;
      }
    }
  }

  /// Runs the sweeps, expects at least this many, and records the figures of each row.
  void check(const std::vector<Sweep>& all, std::size_t least) const {
    Figures figures;
    for (const int target : {90, 100}) run_all(all, target, figures);
    for (const auto& [row, figure] : figures) {
      EXPECT_EQ(figure.wrong, 0U) << row->name << " on " << row->types;
      RecordProperty(fmt::format("row_{}", row - ptx::families().data()), line_of(*row, figure));
    }
    EXPECT_GE(all.size(), least);
    if (figures.empty()) GTEST_SKIP() << "instructions of a later compute capability";
  }
};

TEST_P(PtxSweep, IntegersAreAsDocumented) { check(integer_sweeps(), 120); }
TEST_P(PtxSweep, LogicIsAsDocumented) { check(logic_sweeps(), 50); }
TEST_P(PtxSweep, FloatingPointIsAsDocumented) { check(floating_sweeps(), 160); }
TEST_P(PtxSweep, HalvesAreAsDocumented) { check(half_sweeps(), 180); }
TEST_P(PtxSweep, ConversionsAreAsDocumented) { check(convert_sweeps(), 200); }
TEST_P(PtxSweep, ComparisonsAreAsDocumented) { check(compare_sweeps(), 90); }
TEST_P(PtxSweep, NarrowNumbersAreAsDocumented) { check(byte_sweeps(), 25); }
TEST_P(PtxSweep, VideoIsAsDocumented) { check(video_sweeps(), 200); }
TEST_P(PtxSweep, MemoryIsAsDocumented) { check(memory_sweeps(), 150); }
TEST_P(PtxSweep, WarpsAreAsDocumented) { check(warp_sweeps(), 100); }

INSTANTIATE_ON_GPU_TOO(PtxSweep);

class PtxRows : public PtxStage {};

/// Returns whether this program has a test "Suite.Name", of any parameter.
bool is_test(const std::string& wanted) {
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  const auto last = [](std::string name) { return name.substr(name.rfind('/') + 1); };
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      const std::string name = suite.GetTestInfo(k)->name();
      if (last(suite.name()) + "." + name.substr(0, name.find('/')) == wanted) return true;
    }
  }
  return false;
}

/// A row that no sweep is of says which test tries it, before its reference.
TEST_F(PtxRows, EachHasAReferenceAndATest) {
  Figures swept;
  for (const Sweep& one : all_sweeps())
    for (const ptx::Family* row : rows_of(one)) swept[row].cases += inputs(one).size() / kSources;
  std::set<const ptx::Family*> used;
  for (const char* program :
       {"programs.ptx", "hopper.ptx", "warps.ptx", "matrices.ptx", "textures.ptx", "barriers.ptx",
        "fragments.ptx", "mbarriers.ptx", "ampere.ptx"})
    used.merge(rows_in(file(program)));
  for (const ptx::Family& row : ptx::families()) {
    const std::string name = fmt::format("{} on {}", row.name, row.types);
    const std::string reference(row.reference);
    EXPECT_NE(reference, "") << name;
    const std::size_t colon = reference.find(": ");
    const bool names_test = colon != std::string::npos && is_test(reference.substr(0, colon));
    EXPECT_NE(swept.contains(&row), names_test) << name << ": " << reference;
    if (swept.contains(&row)) continue;
    EXPECT_TRUE(used.contains(&row)) << name << " is in no program";
    RecordProperty(fmt::format("row_{}", &row - ptx::families().data()), line_of(row, {}));
  }
}

TEST_F(PtxRows, TheReferenceHasEveryRow) {
  std::ifstream in("harness/device_code/ptx/instructions.tsv");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const ptx::Family& family : ptx::families())
    EXPECT_NE(text.find(fmt::format("`{}`", family.name)), std::string::npos) << family.name;
}

}  // namespace
}  // namespace harness::testing
