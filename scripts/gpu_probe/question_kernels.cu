// SPDX-License-Identifier: Apache-2.0
// Kernels of may.cpp, compiled to may.fatbin; and with MAY_CONDITIONAL, linked with the device
// runtime, to may_conditional.fatbin.

// Has the same signature as the kernel of this name in the conformance tests, so that may.cpp can
// use their fatbin instead.
extern "C" __global__ void add_one(int* data, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] += 1;
}

// Runs until the host sets the flag or the time is over, then writes: the write is always late.
extern "C" __global__ void spin(const volatile unsigned* flag, unsigned long long nanoseconds,
                                int* data, int value) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    __nanosleep(1000);
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (!*flag && now - start < nanoseconds);
  if (data) *data = value;
}

extern "C" __global__ void read_value(const int* from, int* to) { *to = *from; }

#ifdef MAY_CONDITIONAL
// Sets the condition; leaves it unchanged if the value is negative.
extern "C" __global__ void set_condition(cudaGraphConditionalHandle handle, const int* what) {
  if (*what >= 0) cudaGraphSetConditional(handle, static_cast<unsigned>(*what));
}
#endif
