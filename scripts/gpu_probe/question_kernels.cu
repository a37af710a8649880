// SPDX-License-Identifier: Apache-2.0
// Kernels of may.cpp. Compiled to may.fatbin; with MAY_CONDITIONAL and the device runtime linked to
// may_conditional.fatbin.

// Spelled as the project's conformance kernel of this name, so that may.cpp can use that one's
// fatbin in place of this.
extern "C" __global__ void add_one(int* data, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] += 1;
}

// Runs until the host sets the flag or the time is over; then writes, so that the write is late.
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
// Sets the condition, unless what is negative: then the launch leaves it as it is.
extern "C" __global__ void set_condition(cudaGraphConditionalHandle handle, const int* what) {
  if (*what >= 0) cudaGraphSetConditional(handle, static_cast<unsigned>(*what));
}
#endif
