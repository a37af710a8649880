// SPDX-License-Identifier: Apache-2.0
// canary: a benchmark program whose slowdown is known: a build with AFTERLIFE_SLOWDOWN_PERCENT does
// that much more of the same work, with no other difference.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace {

/// Returns the units of work in one iteration. The number is hidden from the compiler, which would
/// otherwise lay out the loops of the builds differently.
int unit_count() {
  int count = 100 + AFTERLIFE_SLOWDOWN_PERCENT;
  benchmark::DoNotOptimize(count);
  return count;
}

std::uint64_t next(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return state >> 33;
}

template <class Unit>
void repeat(benchmark::State& state, Unit unit) {
  for ([[maybe_unused]] auto iteration : state)
    for (int left = unit_count(); left > 0; --left) unit();
}

void numbers(benchmark::State& state) {
  std::uint64_t seed = 1;
  repeat(state, [&] {
    std::uint64_t sum = 0;
    for (int i = 0; i < 200; ++i) sum ^= next(seed);
    benchmark::DoNotOptimize(sum);
  });
}

void allocations(benchmark::State& state) {
  repeat(state, [] {
    std::array<std::unique_ptr<std::array<char, 64>>, 8> all;
    for (auto& one : all) one = std::make_unique<std::array<char, 64>>();
    benchmark::DoNotOptimize(all);
  });
}

void lookups(benchmark::State& state) {
  std::map<std::uint64_t, int> map;
  for (std::uint64_t key = 0; key < 1000; ++key) map[key * 7919 % 1000] = 1;
  std::uint64_t seed = 1;
  repeat(state, [&] {
    int sum = 0;
    for (int i = 0; i < 8; ++i) sum += map.find(next(seed) % 1000)->second;
    benchmark::DoNotOptimize(sum);
  });
}

void sorting(benchmark::State& state) {
  std::vector<std::uint64_t> values(32);
  std::uint64_t seed = 1;
  repeat(state, [&] {
    for (auto& value : values) value = next(seed);
    std::sort(values.begin(), values.end());
    benchmark::DoNotOptimize(values.data());
  });
}

BENCHMARK(numbers);
BENCHMARK(allocations);
BENCHMARK(lookups);
BENCHMARK(sorting);

}  // namespace

BENCHMARK_MAIN();
