// Sorts a device vector of thrust.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>

#include "check.h"

int main() {
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
