// SPDX-License-Identifier: Apache-2.0
// The same addresses in each run of a program, and what is said where the kernel does not allow it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <thread>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/base/tests/child.h"
#include "harness/client/outside/fork_server.h"
#include "harness/client/outside/search/search.h"
#include "harness/client/views/client_views.h"

namespace harness::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::atomic<bool> kGoOn{false};

class ClientAddresses : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kAsan || kTsan) GTEST_SKIP() << "other programs lack the run-time of a sanitizer";
    if (std::system("python3 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3 here";
    write_file(folder_ / "script.py",
               "import ctypes, mmap\n"
               "cuda = ctypes.CDLL('libcuda.so.1')\n"
               "context, address = ctypes.c_void_p(), ctypes.c_uint64()\n"
               "cuda.cuInit(0)\n"
               "cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)\n"
               "cuda.cuCtxSetCurrent(context)\n"
               "cuda.cuMemAlloc_v2(ctypes.byref(address), 64)\n"
               "cuda.cuMemsetD8Async(address, 1, 64, None)\n"
               "class Thing: pass\n"
               "print(list({Thing() for _ in range(50)}), id(cuda), ctypes.addressof(context))\n"
               "print(*(ctypes.addressof(ctypes.c_char.from_buffer(mmap.mmap(-1, 4096 << i)))\n"
               "        for i in range(12)))\n"
               "print(ctypes.cast(cuda.cuInit, ctypes.c_void_p).value)\n");
  }

  Client client() const { return {{"python3", folder_ / "script.py"}, library_folder()}; }

  Folder folder_;
};

class Silent final : public SearchWatcher {
 public:
  void plain(const ClientRun&) override {}
  void progress(const SearchResult&, const char*, double) override {}
  void found(const Finding&) override {}
};

/// Has the kernel refuse other addresses to the calling thread, and to what it starts.
bool forbid_personality() {
  std::array<sock_filter, 4> rules{{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 1),
                                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  const sock_fprog program{rules.size(), rules.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

std::string summary_of(const Client& client) {
  SearchOptions options{.client = client};
  options.runs = 2;
  Silent watcher;
  return reports::search_summary(search(options, watcher, kGoOn), {});
}

TEST_F(ClientAddresses, AreTheSameInEachRun) {
  if (!can_fix_addresses()) GTEST_SKIP() << "the kernel refuses";
  const std::string first = run_client(client(), {}, kGoOn).ended.out;
  EXPECT_THAT(first, HasSubstr("Thing object at 0x"));
  EXPECT_EQ(run_client(client(), {}, kGoOn).ended.out, first);
  ForkServer server(client(), kGoOn);
  ASSERT_EQ(server.refusal(), "");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(server.run({})->ended.out, first);
  EXPECT_THAT(summary_of(client()), Not(HasSubstr("personality")));
}

TEST_F(ClientAddresses, WhereTheKernelRefusesTheProgramRunsAndTheSummarySaysSo) {
  std::string summary;
  std::thread([&] {
    if (forbid_personality()) summary = summary_of(client());
  }).join();
  EXPECT_THAT(summary, HasSubstr("the kernel refuses to fix them"));
  EXPECT_THAT(summary, HasSubstr("2 runs, 0 findings"));
}

}  // namespace
}  // namespace harness::client
