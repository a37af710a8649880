// Every row of the table of instructions that calculates, on edge values, beside a reference that
// is written from the documentation alone.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/ptx/instructions.h"
#include "harness/ptx/module.h"
#include "harness/tests/ptx/ptx_stage.h"
#include "harness/tests/ptx/sweep.h"

namespace harness::testing {
namespace {

constexpr std::size_t kSources = 4;
constexpr std::size_t kTold = 8;  ///< Wrong answers of one sweep that are told.
constexpr const char* kHead = ".version 8.3\n.target sm_90\n.address_size 64\n";

std::vector<Sweep> all_sweeps() {
  std::vector<Sweep> all;
  for (const auto& make :
       {integer_sweeps, logic_sweeps, floating_sweeps, half_sweeps, convert_sweeps, compare_sweeps})
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

class PtxSweep : public OnGpuToo<PtxStage> {
 protected:
  /// How many answers differ; tells of the first of them, in one failure.
  std::size_t run(const Sweep& one, CUfunction kernel) const {
    const std::vector<u64> in = inputs(one);
    const std::size_t count = in.size() / kSources;
    constexpr unsigned kThreads = 64;
    const unsigned blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
    std::vector<u64> padded = in;
    padded.resize(std::size_t{blocks} * kThreads * kSources);
    const CUdeviceptr source = copy_of(padded);
    const CUdeviceptr target = copy_of(std::vector<u64>(std::size_t{blocks} * kThreads));
    EXPECT_EQ(launch(kernel, blocks, kThreads, 0, source, target), CUDA_SUCCESS);
    const std::vector<u64> got = values_at<u64>(target, count);
    release(source), release(target);
    std::size_t wrong = 0;
    std::string told;
    for (std::size_t i = 0; i < count; ++i) {
      const u64 want = one.reference(&in[i * kSources]);
      if (got[i] == want || (one.same && one.same(got[i], want))) continue;
      if (wrong++ < kTold)
        told +=
            fmt::format("\n  of {:#x} give {:#x}, not {:#x}",
                        fmt::join(&in[i * kSources], &in[i * kSources] + one.values.size(), ", "),
                        got[i], want);
    }
    if (wrong != 0)
      ADD_FAILURE() << fmt::format("{}: {} of {} are wrong{}", one.text, wrong, count, told);
    return wrong;
  }

  /// Runs a module with a kernel for each; there are at least so many.
  void check(const std::vector<Sweep>& all, std::size_t least) const {
    std::string text = kHead;
    for (std::size_t i = 0; i < all.size(); ++i) text += kernel(all[i], i);
    CUmodule module = load(text);
    ASSERT_NE(module, nullptr);
    std::size_t right = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      right += run(all[i], function(module, fmt::format("sweep_{}", i).c_str())) == 0 ? 1 : 0;
    EXPECT_EQ(right, all.size());
    EXPECT_GE(all.size(), least);
    RecordProperty("sweeps", static_cast<int>(all.size()));
  }
};

TEST_P(PtxSweep, IntegersAreAsDocumented) { check(integer_sweeps(), 110); }
TEST_P(PtxSweep, LogicIsAsDocumented) { check(logic_sweeps(), 50); }
TEST_P(PtxSweep, FloatingPointIsAsDocumented) { check(floating_sweeps(), 110); }
TEST_P(PtxSweep, HalvesAreAsDocumented) { check(half_sweeps(), 50); }
TEST_P(PtxSweep, ConversionsAreAsDocumented) { check(convert_sweeps(), 200); }
TEST_P(PtxSweep, ComparisonsAreAsDocumented) { check(compare_sweeps(), 90); }

INSTANTIATE_ON_GPU_TOO(PtxSweep);

class PtxRows : public PtxStage {};

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

TEST_F(PtxRows, EveryRowIsSweptOrUsedByAProgram) {
  std::string text = kHead;
  const std::vector<Sweep> all = all_sweeps();
  for (std::size_t i = 0; i < all.size(); ++i) text += kernel(all[i], i);
  std::set<const ptx::Family*> found = rows_in(text);
  for (const char* program :
       {"programs.ptx", "hopper.ptx", "warps.ptx", "matrices.ptx", "textures.ptx"})
    found.merge(rows_in(file(program)));
  for (const ptx::Family& family : ptx::families())
    EXPECT_TRUE(found.contains(&family)) << family.name << " on " << family.types;
}

TEST_F(PtxRows, TheReadmeHasEveryRow) {
  std::ifstream in("harness/ptx/README.md");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const ptx::Family& family : ptx::families())
    EXPECT_NE(text.find(fmt::format("`{}`", family.name)), std::string::npos) << family.name;
}

}  // namespace
}  // namespace harness::testing
