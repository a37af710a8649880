// SPDX-License-Identifier: Apache-2.0
// Gate: keeps a stream busy until it is opened, or 2 s have passed: a kernel that spins, or a host
// function that waits. Where host functions run inside cuLaunchHostFunc, a wait for a value in
// memory.
#pragma once

#include <functional>
#include <thread>

#include "device.h"

struct Gate {
  unsigned* flag;
  std::atomic<bool> opened{false}, started{false}, gave_up{false}, inside{false};
  std::atomic<long> thread{0};
  Clock::time_point when;
  const char* by = "host function";
  static Gate*& launching() {
    static thread_local Gate* g;
    return g;
  }
  Gate() : flag(pinned<unsigned>(64)) {}
  static void CUDA_CB hold(void* self) {
    Gate& g = *static_cast<Gate*>(self);
    g.thread = tid();
    g.started = true;
    if (launching() == &g) {
      g.inside = true;
      return;
    }
    auto from = Clock::now();
    while (!g.opened) {
      if (ms(from) > 2000) {
        g.gave_up = true;
        return;
      }
      usleep(50);
    }
  }
  void close_by_host(CUstream s, bool only = false) {
    launching() = this;
    CUresult r = CODE(cuLaunchHostFunc(s, hold, this));
    launching() = nullptr;
    if (r) throw Stop{"cuLaunchHostFunc -> " + name(r)};
    if (!inside) {
      wait_started();
      return;
    }
    if (only)
      throw Stop{"not asked: host functions run on the caller's thread inside cuLaunchHostFunc"};
    static bool told = false;
    if (!told)
      detail(
          "host functions run inside cuLaunchHostFunc here, so the gate is a cuStreamWaitValue32");
    told = true;
    by = "stream wait";
    CU(cuStreamWaitValue32(s, reinterpret_cast<CUdeviceptr>(flag), 1, CU_STREAM_WAIT_VALUE_EQ));
  }
  void close_by_kernel(CUstream s, CUdeviceptr p = 0, int v = 0) {
    unsigned long long ns = 2000000000ull;
    void* a[] = {&flag, &ns, &p, &v};
    launch_one(kernel("spin"), s, a);
    by = "kernel";
    nap(20);
  }
  void close(CUstream s) {
    if (find("spin"))
      close_by_kernel(s);
    else
      close_by_host(s);
  }
  void wait_started() {
    auto from = Clock::now();
    while (!started && ms(from) < 500) usleep(100);
    if (!started) detail("the host function had not started after 500 ms");
  }
  void open() {
    if (opened) return;
    when = Clock::now();
    *reinterpret_cast<volatile unsigned*>(flag) = 1;
    opened = true;
  }
  const char* kind() const { return by; }
};

/// Opens a gate after so many milliseconds.
struct Later {
  std::atomic<bool> off{false};
  std::thread t;
  Later(Gate& g, double after)
      : t([&g, after, this] {
          auto from = Clock::now();
          while (!off && ms(from) < after) usleep(200);
          g.open();
        }) {}
  ~Later() {
    off = true;
    t.join();
  }
};

// Does the call return while the gate is closed? It opens 300 ms later in any case.
inline std::string waits(Gate& g, const std::function<CUresult()>& call) {
  Later later(g, 300);
  auto from = Clock::now();
  CUresult r = call();
  double took = ms(from);
  bool early = !g.opened;
  return text("%s (%s, %.3f ms)", early ? "does not wait" : "waits", N(r), took);
}
