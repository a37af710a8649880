// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/judges/memory.h"

#include <algorithm>
#include <bit>

#include "scenarios/alltoallv/judges/mappings.h"

namespace scenarios::alltoallv {

using harness::BirthId;
using harness::Label;

constexpr Label kAllocation = "device memory";

// ---- births -------------------------------------------------------------------------------------

BirthId Births::last_allocation() const {
  BirthId found = BirthId::none;
  for_each(kAllocation, [&](BirthId life) { found = life; });
  return found;
}

bool Births::all_freed() const {
  bool freed = true;
  for_each(kAllocation, [&](BirthId life) { freed &= !world_.ledger.alive(life); });
  return freed;
}

// ---- what the caller did ------------------------------------------------------------------------

const Memory::Tensor* Memory::in(std::uint32_t rank, Buffer buffer) const {
  const auto& tensors = tensors_[rank];
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const Tensor& tensor) { return tensor.variable == buffer; });
  return found != tensors.end() ? &*found : nullptr;
}

BirthId Memory::source(std::uint32_t rank, Buffer buffer) const {
  const Tensor* tensor = in(rank, buffer);
  return tensor != nullptr ? tensor->place.allocation : BirthId::none;
}

Place Memory::place_of_source(std::uint32_t rank, Request request) const {
  for (const Tensor& tensor : tensors_[rank])
    if ((tensor.requests >> request & 1) != 0 && tensor.destination_of != request)
      return tensor.place;
  return {};
}

Place Memory::place_of_destination(std::uint32_t rank, Request request) const {
  for (const Tensor& tensor : tensors_[rank])
    if (tensor.destination_of == request) return tensor.place;
  return {};
}

bool Memory::is_ordered_by(std::uint32_t stream, Request request) const {
  if (stream == 0) return false;
  return std::any_of(tensors_.begin(), tensors_.end(), [&](const auto& tensors) {
    return std::any_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
      return (tensor.requests >> request & 1) != 0 && tensor.destination_of != request &&
             tensor.stream == stream;
    });
  });
}

void Memory::placed(const targets::alltoallv::Placement& placement) {
  const auto& lives = scene_.world().ledger.lives();
  for (std::size_t i = lives.size(); i-- > 1;) {
    const harness::Life& life = lives[i];
    if (!life.alive || life.kind != kAllocation || placement.address < life.address) continue;
    const std::uint64_t offset = placement.address - life.address;
    if (offset >= life.bytes) continue;
    placed_[placement.rank] = {static_cast<BirthId>(i), offset};
    return;
  }
}

void Memory::filled(std::uint32_t rank, Buffer buffer, std::uint32_t stream) {
  tensors_[rank].push_back({.place = placed_[rank], .variable = buffer, .stream = stream});
}

void Memory::begun(std::uint32_t rank, Request request, Buffer buffer) {
  if (Tensor* source = in(rank, buffer)) source->requests |= 1U << request;
  tensors_[rank].push_back(
      {.place = placed_[rank], .destination_of = request, .requests = 1U << request});
  requests_[rank] |= 1U << request;
  most_[rank] = std::max(most_[rank], static_cast<std::uint32_t>(std::popcount(requests_[rank])));
}

void Memory::cycled(std::uint32_t rank, Buffer buffer) {
  if (Tensor* tensor = in(rank, buffer)) tensor->cycled = true;
}

void Memory::dropped(std::uint32_t rank, Buffer buffer) {
  if (Tensor* tensor = in(rank, buffer)) tensor->variable = kNone;
  sweep(rank, "the variable was the last one that held it");
}

void Memory::finalized(std::uint32_t rank, Request request) {
  for (Tensor& tensor : tensors_[rank]) tensor.requests &= ~(1U << request);
  requests_[rank] &= ~(1U << request);
  sweep(rank, "the collective was the last one that held it");
}

void Memory::over(std::uint32_t rank) {
  for (Tensor& tensor : tensors_[rank]) tensor.cycled = false;
  sweep(rank, "no rank holds it, and the collector has run");
}

bool Memory::is_used(BirthId allocation, std::uint32_t rank) const {
  const auto& tensors = tensors_[rank];
  return std::any_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
    return tensor.place.allocation == allocation && tensor.is_used();
  });
}

void Memory::sweep(std::uint32_t rank, const char* why) {
  auto& tensors = tensors_[rank];
  if (bounded_)
    for (const Tensor& tensor : tensors) {
      const BirthId allocation = tensor.place.allocation;
      if (!tensor.is_used() && scene_.world().ledger.alive(allocation) &&
          !is_used(allocation, rank))
        retain(scene_, allocation, why);
    }
  std::erase_if(tensors, [](const Tensor& tensor) { return !tensor.is_used(); });
}

}  // namespace scenarios::alltoallv
