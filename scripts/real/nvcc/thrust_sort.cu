// SPDX-License-Identifier: Apache-2.0
// Sorts a device vector of Thrust, which throws if a call fails.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>

#include <cstdio>
#include <exception>

#include "check.h"

static int sort() {
  constexpr int n = 3000;
  thrust::host_vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = (i * 7919) % 3001;
  thrust::device_vector<int> device = host;
  thrust::sort(device.begin(), device.end());
  const thrust::host_vector<int> sorted = device;
  bool is_right = true;
  for (int i = 1; i < n; ++i) is_right = is_right && sorted[i - 1] <= sorted[i];
  return judge(is_right);
}

int main() {
  try {
    return sort();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
