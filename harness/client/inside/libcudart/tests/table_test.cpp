// SPDX-License-Identifier: Apache-2.0
// The table of the runtime's functions: it has those of the header, and each test that it names.
#include <dlfcn.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "harness/client/inside/libcudart/tests/runtime_stage.h"

namespace harness::testing {
namespace {

struct Row {
  const char* name;
  const char* status;
  const char* twin;
  const char* group;
  const char* test;
};
constexpr Row kRows[] = {
#define CUDART_ROW(name, status, twin, group, test) {#name, #status, #twin, #group, #test},
#include "harness/client/inside/libcudart/cudart.def"
};

std::string header() {
  std::ifstream file(AFTERLIFE_CUDA_INCLUDE "/cuda_runtime_api.h");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(RuntimeTable, HasEveryFunctionOfTheHeader) {
  std::set<std::string> rows;
  for (const Row& row : kRows) EXPECT_TRUE(rows.insert(row.name).second) << row.name;
  const std::string text = header();
  ASSERT_FALSE(text.empty());
  const std::regex declaration(R"(CUDARTAPI(?:_CDECL)?\s+(cuda[A-Z]\w*)\()");
  std::size_t count = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at) {
    const std::string name = (*at)[1];
    if (name.ends_with("_ptsz") || name.ends_with("_ptds")) continue;
    ++count;
    EXPECT_TRUE(rows.contains(name)) << name;
  }
  EXPECT_GT(count, 300U);
}

TEST(RuntimeTable, TheLibraryHasEveryFunctionAndTwin) {
  for (const Row& row : kRows) {
    const std::string name = row.name;
    const std::string twin = row.twin;
    EXPECT_NE(dlsym(RTLD_DEFAULT, name.c_str()), nullptr) << name;
    if (twin != "none")
      EXPECT_NE(dlsym(RTLD_DEFAULT, (name + "_" + twin).c_str()), nullptr) << name;
  }
}

TEST(RuntimeTable, EachFunctionThatDoesSomethingHasATest) {
  std::set<std::string> tests;
  const auto* unit = ::testing::UnitTest::GetInstance();
  for (int i = 0; i < unit->total_test_suite_count(); ++i) {
    const auto* suite = unit->GetTestSuite(i);
    for (int j = 0; j < suite->total_test_count(); ++j)
      tests.insert(std::string(suite->name()) + "_" + suite->GetTestInfo(j)->name());
  }
  std::size_t count = 0;
  for (const Row& row : kRows) {
    if (std::string(row.status) == "unsupported") continue;
    ++count;
    EXPECT_TRUE(tests.contains(row.test)) << row.name << ": " << row.test;
  }
  EXPECT_GE(count, 220U);
}

TEST(RuntimeTable, SourcesAreGroupsOfTheHeader) {
  const std::string text = header();
  for (const Row& row : kRows)
    if (std::string(row.group) != "CUDART_PROFILER")  // It is in cuda_profiler_api.h.
      EXPECT_NE(text.find(row.group), std::string::npos) << row.name << ": " << row.group;
}

}  // namespace
}  // namespace harness::testing
