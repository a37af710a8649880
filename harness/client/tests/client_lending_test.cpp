// SPDX-License-Identifier: Apache-2.0
// Programs that free memory which the driver still uses: one for each row of lent.def, each end of
// memory, and a twin of each, in which it lives for long enough.
#include <fmt/format.h>

#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::line_at;
using testing::line_of;
using testing::Words;

class ClientLending : public testing::RunStage {
 protected:
  static Words lending(const char* way, const char* how = "") {
    return {testing::program_folder() / "client_lending", way, how};
  }
  json finding(const char* way) const {
    const json result = found({"--runs", "2"}, lending(way), 1);
    EXPECT_EQ(result["findings"].size(), 1u) << way << result["findings"];
    EXPECT_THAT(result["failures"], IsEmpty()) << way;
    return result["findings"].at(0);
  }
  void expect_none(const char* way, const char* how) const {
    const json result = found({"--runs", "20"}, lending(way, how), 0);
    EXPECT_THAT(result["findings"], IsEmpty()) << way;
    EXPECT_THAT(result["failures"], IsEmpty()) << way;
  }
  static int line(const char* text) { return line_of(testing::script("lending.cpp"), text); }
};

struct Way {
  const char* name;
  const char* lent;
  const char* died;
  const char* used;
  const char* detail = "";
};

TEST_F(ClientLending, WhatIsFreedTooEarlyIsFoundInEachRun) {
  constexpr const char* kNode = "no longer have the node";
  constexpr const char* kFunction = "until the function runs";
  for (const Way& way : {
           Way{"copy_node", "cuGraphAddMemcpyNode", "free", "cuGraphLaunch", kNode},
           Way{"copy_target", "cuGraphAddMemcpyNode", "free", "cuGraphLaunch", kNode},
           Way{"captured_copy", "cuMemcpyHtoDAsync", "free", "cuGraphLaunch", kNode},
           Way{"host_node", "cuGraphAddHostNode", "free", "host function", kNode},
           Way{"captured_function", "cuLaunchHostFunc", "free", "host function", kNode},
           Way{"destroyed_graph", "cuGraphAddHostNode", "free", "host function", kNode},
           Way{"host_function", "cuLaunchHostFunc", "free", "host function", kFunction},
           Way{"stream_callback", "cuStreamAddCallback", "free", "host function", kFunction},
           Way{"moved", "cuLaunchHostFunc", "realloc", "host function", kFunction},
           Way{"unmapped", "cuLaunchHostFunc", "munmap", "host function", kFunction},
           Way{"frame", "cuLaunchHostFunc", "the end of its stack frame", "host function"},
           Way{"thread_frame", "cuLaunchHostFunc", "the end of its thread", "host function"},
           Way{"registered", "", "free", "cuMemcpyHtoDAsync"},
           Way{"library_code", "cuLibraryLoadData", "free", "cuLibraryGetKernel"},
           Way{"link_output", "cuLinkCreate", "free", "cuLinkComplete", "until cuLinkDestroy"},
       }) {
    const json one = finding(way.name);
    EXPECT_EQ(one["kind"], "use_after_free") << way.name;
    EXPECT_EQ(one["object"], "host memory") << way.name;
    EXPECT_EQ(one["captured"], way.lent) << way.name;
    EXPECT_EQ(one["died"], way.died) << way.name;
    EXPECT_EQ(one["used"], way.used) << way.name;
    EXPECT_THAT(one["detail"].get<std::string>(), HasSubstr(way.detail)) << way.name;
    EXPECT_THAT(one["decisions"], IsEmpty()) << way.name;
    EXPECT_EQ(one["shown"], 3) << way.name;
    expect_none(way.name, "fixed");
  }
}

TEST_F(ClientLending, EachSideIsToldWithItsLine) {
  const json one = finding("host_function");
  EXPECT_EQ(line_at(one, "captured"), line("// Lends the data."));
  EXPECT_EQ(line_at(one, "died"), line("// The end of the data."));
  EXPECT_EQ(line_at(one, "used"), line("// Lends the data.")) << "the call that queued it";
  const std::string function = fmt::format("at lending.cpp:{}", line("void add(void* data)"));
  EXPECT_THAT(one["detail"].get<std::string>(), HasSubstr(function));
  const Ended ended = testing::run_toys({"replay", one["file"]});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("as recorded"));
}

TEST_F(ClientLending, WhatMayBeFreedIsNoFinding) {
  for (const char* way : {"freed_in_function", "pageable", "never_launched", "given_others",
                          "disabled", "shrunk", "lent_again", "numbers"})
    expect_none(way, "");
}

}  // namespace
}  // namespace harness
