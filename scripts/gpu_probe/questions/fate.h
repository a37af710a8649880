// SPDX-License-Identifier: Apache-2.0
// Fate: what became of a user object: how often its destructor ran, when, and on which thread.
#pragma once

#include "gate.h"

struct Fate {
  std::atomic<long> thread{0};
  std::atomic<double> at{0};
  Clock::time_point zero = Clock::now();
  double hold = 0;
  Gate* gate = nullptr;
  std::function<void()> act;
};
inline void CUDA_CB ends(void* v) {
  Fate& f = *static_cast<Fate*>(v);
  f.at = ms(f.zero);
  f.thread = tid();
  if (f.act) f.act();
  if (f.hold > 0) nap(f.hold);
  if (f.gate) Gate::hold(f.gate);
}
inline CUuserObject object(Fate& f, unsigned count = 1) {
  CUuserObject u;
  CU(cuUserObjectCreate(&u, &f, ends, count, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  return u;
}
inline long host_thread(CUstream s) {
  static Fate f;
  f.thread = 0;
  CU(cuLaunchHostFunc(s, ends, &f));
  CU(cuStreamSynchronize(s));
  return f.thread;
}
inline std::string watch(Fate& f, const std::function<CUresult()>& call) {
  f.zero = Clock::now();
  f.thread = 0;
  CUresult r = call();
  double back = ms(f.zero);
  bool before = f.thread != 0;
  for (int i = 0; i < 2000 && !f.thread; ++i) usleep(500);
  if (!f.thread) return text("%s, destructor not run within 1 s", N(r));
  return text("%s, on %s, started %s the call returned (call %.3f ms, destructor at %.3f ms)", N(r),
              f.thread == tid() ? "the CALLER'S thread" : "another thread",
              before ? "before" : "after", back, f.at.load());
}
