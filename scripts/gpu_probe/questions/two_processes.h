// SPDX-License-Identifier: Apache-2.0
// Two processes: an exporter and an importer, who both start before cuInit. reach() and at() are
// their turns.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "gate.h"

inline void reach(int n) {
  auto from = Clock::now();
  while (page->stage < n) {
    if (page->stage >= 1000) throw Stop{"the other process gave up"};
    if (ms(from) > 4000) throw Stop{text("waited in vain for turn %d", n)};
    usleep(50);
  }
}
inline void at(int n) { page->stage = n; }
inline void process(const char* who, const std::function<void()>& f) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int rc = 0;
  try {
    f();
  } catch (Stop& s) {
    page->failed = true;
    answer("%s: could not go on: %s", who, s.why.c_str());
    page->stage = 1000;
    rc = 1;
  }
  _exit(rc);
}
inline void two(const std::function<void()>& exporter, const std::function<void()>& importer) {
  page->stage = 0;
  pid_t c[2];
  for (int i = 0; i < 2; ++i)
    if (!(c[i] = fork()))
      process(i ? "importer" : "exporter", [&] {
        init();
        if (i)
          importer();
        else
          exporter();
      });
  for (int left = 2; left;) {
    int st;
    pid_t p = wait(&st);
    if (p < 0) break;
    --left;
    const char* who = p == c[1] ? "importer" : "exporter";
    if (WIFSIGNALED(st)) {
      answer("%s: signal %d in %s", who, WTERMSIG(st), page->step);
      page->stage = 1000;
    }
  }
}
inline CUipcMemHandle exported(CUdeviceptr p) {
  CUipcMemHandle h;
  CU(cuIpcGetMemHandle(&h, p));
  return h;
}
inline CUresult open_at(CUdeviceptr* p, const CUipcMemHandle& h) {
  *p = 0;
  return CODE(cuIpcOpenMemHandle(p, h, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
}
inline std::string read(CUdeviceptr p) {
  int v = -1;
  CUresult r = CODE(cuMemcpyDtoH(&v, p, 4));
  return r ? name(r) : text("%d", v);
}
