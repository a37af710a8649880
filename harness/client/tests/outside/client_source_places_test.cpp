// SPDX-License-Identifier: Apache-2.0
// Source places: inlined functions keep their callers, headers of the C++ library are not the
// program's code, and functions in class bodies that nvcc compiled are in the program's source.
#include "harness/client/outside/source_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "harness/base/process/process.h"
#include "harness/base/process/tool.h"
#include "harness/base/tests/child.h"
#include "harness/client/border/nvcc_names.h"
#include "harness/client/outside/finding_file.h"
#include "harness/client/outside/party_functions.h"
#include "harness/client/outside/suppressions.h"
#include "harness/client/views/finding_words.h"

namespace harness::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kWritten = "/tmp/tmpxft_00006dad_00000000-6_exit_order.cudafe1.cpp";
constexpr const char* kVector = "/usr/include/c++/12/bits/new_allocator.h";

std::vector<std::string> shown_functions(const Place& place) {
  std::vector<std::string> functions;
  for (const Frame* frame : reports::users_frames(place)) functions.push_back(frame->function);
  return functions;
}

TEST(SourcePlaces, CallersOfInlinedFunctionsAreKept) {
  const std::vector<Frame> frames{{"prog", 0, "main", 16}, {"prog", 0, "_start", 32}};
  const std::vector<Place> known =
      take_lines(frames,
                 "0x10\nstd::lock\n/usr/include/c++/12/mutex:5\nfree_all\n/src/b.cpp:7\n"
                 "main\n/src/b.cpp:46\n0x20\n_start\n??:?\n");
  ASSERT_EQ(known.size(), 2u);
  Place place = known[0];
  place.push_back(known[1][0]);
  pass_toolkit(place);
  EXPECT_EQ(place.size(), 4u);
  EXPECT_EQ(place[2], (Frame{"/src/b.cpp", 46, "main", 16, false}));
  EXPECT_THAT(shown_functions(place), ElementsAre("free_all", "main"));
  EXPECT_EQ(one_by_address(place),
            (Place{{"/src/b.cpp", 7, "free_all", 16, false}, {"prog", 0, "_start", 32, true}}));
}

TEST(SourcePlaces, HeadersOfTheCppLibraryAndOurRuntimeAreNotTheProgram) {
  for (const char* file : {kVector, "/opt/llvm/include/c++/v1/vector"}) {
    Place place{{file, 158, "std::__new_allocator<int>::deallocate(int*)", 16},
                {"/src/b.cpp", 7, "drop()", 32},
                {"prog", 0, "__libc_start_main_impl", 48},
                {"prog", 0, "_start", 64}};
    pass_toolkit(place);
    EXPECT_THAT(shown_functions(place), ElementsAre("drop()"));
  }
  Place in_runtime{
      {"build/harness/client/inside/libcudart/errors.cpp", 62, "cudaGetErrorString", 16},
      {"/src/harness/client/inside/libcudart/tests/clients/used.cpp", 7, "drop()", 32}};
  pass_toolkit(in_runtime);
  EXPECT_THAT(shown_functions(in_runtime), ElementsAre("drop()"));
  Place only{{kVector, 158, "std::f()", 16}, {"prog", 0, "_start", 64}};
  pass_toolkit(only);
  EXPECT_THAT(shown_functions(only), ElementsAre("std::f()")) << "there is no other place";
}

TEST(SourcePlaces, WhatNvccWritesHasASource) {
  EXPECT_EQ(source_name(kWritten), "exit_order.cu");
  EXPECT_EQ(source_name("/tmp/tmpxft_1_0-12_a.b-c.compute_90a.cudafe1.cpp"), "a.b-c.cu");
  EXPECT_EQ(source_name("kept/pool.cudafe1.cpp"), "pool.cu");
  EXPECT_EQ(source_name("/tmp/tmpxft_1_0-6_pool.cudafe1.stub.c"), "");
  EXPECT_EQ(source_name("/src/pool.cpp"), "");
  EXPECT_EQ(source_name(".cudafe1.cpp"), "");
}

/// A finding that an older version recorded: the functions of a class have the name of a file that
/// nvcc wrote, inlined functions have no callers, and headers of the C++ library are the user's.
FindingFile former_finding() {
  FindingFile file;
  file.command = {"./exit_order"};
  ToldFault& fault = file.finding.fault;
  fault.signature = "use_after_free device memory";
  fault.kind = "use_after_free";
  fault.object = "device memory";
  fault.at =
      "tmpxft_00006dad_00000000-6_exit_order.cudafe1.cpp:Pool::~Pool(), "
      "new_allocator.h:std::f(), exit_order.cu:main";
  fault.birth = {.site = "cudaMalloc",
                 .place = {{kWritten, 33, "Pool::~Pool()", 16}, {"prog", 0, "_start", 80}}};
  fault.death = {.site = "cudaFree",
                 .place = {{kVector, 158, "std::f()", 32}, {"exit_order.cu", 7, "main", 48}}};
  fault.use = {
      .site = "bump",
      .place = {{"tmpxft_00006dad_00000000-6_exit_order.cudafe1.stub.c", 3, "stub", 56, true},
                {"exit_order.cu", 9, "main", 64}}};
  return parse_finding(to_text(file.finding, file.command));
}

/// The fault in a run of this version, which was built again.
ClientRun run_now() {
  ClientRun run;
  ToldFault fault = former_finding().finding.fault;
  fault.birth.place = {{"/src/exit_order.cu", 33, "Pool::~Pool()", 16},
                       {"/src/exit_order.cu", 40, "drop()", 16},
                       {"prog", 0, "_start", 80}};
  fault.death.place = {{kVector, 158, "std::f()", 32}, {"/src/exit_order.cu", 7, "main", 48}};
  fault.use.place = {{"/tmp/tmpxft_0000beef_00000000-6_exit_order.cudafe1.stub.c", 3, "stub", 56},
                     {kVector, 9, "std::g()", 64, true},
                     {"/src/exit_order.cu", 9, "main", 64}};
  for (const PartyInfo& info : kParties) pass_toolkit((fault.*info.party).place);
  fault.at = functions_of(fault);
  fault.former_at = former_functions_of(fault);
  run.reports.emplace_back().faults = {fault};
  return run;
}

TEST(SourcePlaces, FindingsOfOlderVersionsAreAsRecorded) {
  const ClientRun run = run_now();
  EXPECT_EQ(run.reports[0].faults[0].at, "exit_order.cu:Pool::~Pool(), exit_order.cu:main");
  EXPECT_THAT(difference(former_finding(), run), IsEmpty());
  ClientRun moved = run;
  moved.reports[0].faults[0].birth.place[0].function = "Engine::~Engine()";
  EXPECT_THAT(difference(former_finding(), moved), Not(IsEmpty()));
  moved = run;
  moved.reports[0].faults[0].death.place.pop_back();
  EXPECT_THAT(difference(former_finding(), moved), Not(IsEmpty())) << "a caller is missing";
}

TEST(SourcePlaces, SuppressionsOfOlderVersionsFit) {
  const ToldFault fault = run_now().reports[0].faults[0];
  const auto is_known = [&](const std::string& line) {
    return Suppressions::parse(line + " a reason\n", "known").find(fault) == 0;
  };
  EXPECT_TRUE(is_known("* *_exit_order.cudafe1.cpp"));
  EXPECT_TRUE(is_known("* new_allocator.h"));
  EXPECT_TRUE(is_known("* _start"));
  EXPECT_TRUE(is_known("* exit_order.cu"));
  EXPECT_FALSE(is_known("* *_order_exit.cudafe1.cpp"));
}

/// A file that looks as if nvcc had written it for `pool.cu`, compiled twice.
class WrittenByNvcc : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* tool : {"c++", "addr2line", "readelf", "nm"})
      if (find_tool(tool).empty()) GTEST_SKIP() << "no " << tool << " here";
  }

  /// Returns the place of the function drop() in a program that was built from such a file.
  Place built(const std::string& random, const std::string& source) const {
    const std::string folder = folder_.path();
    const std::string name = folder + "/tmpxft_" + random + "_00000000-6_pool.cudafe1.cpp";
    std::filesystem::create_directory(folder + "/src");
    if (!source.empty()) write_file(folder + "/src/" + source, "\nvoid drop() {}\n");
    write_file(name, "\nvoid drop() {}\nint main() { drop(); }\n");
    const std::string program = folder + "/pool";
    const std::string build =
        "cd " + folder + "/src && c++ -g -O0 -no-pie -o " + program + " " + name;
    EXPECT_EQ(std::system(build.c_str()), 0);
    const ProcessEnd symbols = run_process({"nm", program}, {}, never_);
    const std::size_t end = symbols.out.find(" T _Z4dropv");
    const std::size_t begin = symbols.out.rfind('\n', end) + 1;
    const auto offset = std::strtoull(symbols.out.c_str() + begin, nullptr, 16);
    return lines_of({{program, 0, "", offset}}).at(0);
  }

  const Folder folder_;
  const std::atomic<bool> never_{false};
};

TEST_F(WrittenByNvcc, IsNamedByItsSource) {
  const Place first = built("00006dad", "pool.cu");
  EXPECT_EQ(first.at(0).file, folder_ / "src/pool.cu");
  EXPECT_EQ(first.at(0).line, 2);
  EXPECT_EQ(built("0000beef", "pool.cu"), first) << "the number is not part of it";
}

TEST_F(WrittenByNvcc, IsNamedWithoutItsSource) {
  EXPECT_EQ(built("00006dad", "").at(0).file, "pool.cu");
}

}  // namespace
}  // namespace harness::client
