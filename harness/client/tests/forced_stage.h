// SPDX-License-Identifier: Apache-2.0
// `afterlife run --forced` of a test's own.
#pragma once

#include <string>

#include "harness/client/outside/client.h"
#include "harness/client/tests/run_stage.h"

namespace harness::testing {

/// Has a buffer that only the collector ends, by `end`, once `buffer` is another one; and `copy`,
/// which has used its address when it returns.
inline constexpr const char* kForcedBegin = R"(
import ctypes, os, threading
cuda = ctypes.CDLL("libcuda.so.1")
context, host = ctypes.c_void_p(), ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
copy, target = cuda.cuMemcpyDtoH_v2, ctypes.byref(host)
class Buffer:
    def __init__(self):
        self.address = ctypes.c_uint64()
        cuda.cuMemAlloc_v2(ctypes.byref(self.address), 64)
        self.close = self.free
    def free(self): pass
    def __del__(self): end(self)
def end(buffer): cuda.cuMemFree_v2(buffer.address)
buffer = Buffer()
address = buffer.address
)";

class ForcedStage : public RunStage {
 protected:
  const Words unlooked_{"python3", script("unlooked.py")};

  /// Returns a script of these lines after the beginning.
  Words script_of(const std::string& lines) const {
    write_file(folder_ / "script.py", kForcedBegin + lines);
    return {"python3", folder_ / "script.py"};
  }
  static client::Client client_of(const Words& command) {
    return {command, client::library_folder(), 60};
  }
  /// Expects one finding, and that it is forced by `answer` alone. Returns it.
  nlohmann::json found_by_force(const Words& command, const std::string& answer,
                                const std::string& runs = "60") const {
    EXPECT_THAT(found({"--runs", runs}, command, 0)["findings"], ::testing::IsEmpty());
    const nlohmann::json result = found({"--runs", runs, "--forced"}, command, 1);
    EXPECT_THAT(result["findings"], ::testing::SizeIs(1)) << result["findings"];
    nlohmann::json finding = result["findings"].at(0);
    EXPECT_EQ(finding.value("forced", false), true);
    EXPECT_EQ(finding["shown"], 3);
    EXPECT_THAT(finding["decisions"], ::testing::SizeIs(1)) << finding["decisions"];
    EXPECT_EQ(finding["decisions"].at(0)["answer"], answer);
    EXPECT_EQ(finding["decisions"].at(0).value("forced", false), true);
    return finding;
  }
  static void expect_replayed(const std::string& file) {
    for (int i = 0; i < 3; ++i) {
      const Ended ended = run_toys({"replay", file});
      EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
      EXPECT_THAT(ended.out, ::testing::EndsWith("\nas recorded\n"));
    }
  }
};

}  // namespace harness::testing
