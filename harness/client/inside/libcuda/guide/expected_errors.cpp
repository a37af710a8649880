// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/guide/expected_errors.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/driver/cuda/cuda.h"
#include "harness/driver/device.h"

namespace harness::entries {
namespace {

struct Expected {
  std::string_view functions;
  CUresult error;
};

constexpr Expected kExpected[] = {
#define CUDA_EXPECTED(functions, status) {functions, status},
#include "harness/driver/cuda/expected.def"
#undef CUDA_EXPECTED
};

bool fits(std::string_view functions, std::string_view function) {
  if (!functions.ends_with('*')) return functions == function;
  functions.remove_suffix(1);
  return function.starts_with(functions);
}

}  // namespace

bool is_expected(std::string_view function, CUresult error) {
  return std::ranges::any_of(kExpected, [&](const Expected& one) {
    return one.error == error && fits(one.functions, function);
  });
}

std::string name_of(const World& world, CUresult error) {
  const char* name = nullptr;
  if (world.device->table().cuGetErrorName(error, &name) == CUDA_SUCCESS) return name;
  return fmt::format("error {}", static_cast<int>(error));
}

BirthId living_at(const World& world, std::uint64_t handle) {
  const auto& lives = world.ledger.lives();
  for (std::size_t i = handle == 0 ? 0 : lives.size(); i-- > 1;)
    if (lives[i].alive && lives[i].address == handle) return static_cast<BirthId>(i);
  return BirthId::none;
}

bool is_new(const std::vector<client::ToldError>& known, const client::ToldError& error) {
  constexpr std::size_t kLimit = 64;
  return known.size() < kLimit &&
         std::ranges::none_of(
             known,
             [&](const client::ToldError& one) {
               return one.function == error.function && one.status == error.status &&
                      one.is_injected == error.is_injected && one.place == error.place;
             });
}

}  // namespace harness::entries
