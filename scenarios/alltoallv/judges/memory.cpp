#include "scenarios/alltoallv/judges/memory.h"

#include <algorithm>
#include <bit>

#include "scenarios/alltoallv/judges/mappings.h"

namespace scenarios::alltoallv {

using harness::BirthId;
using harness::Label;

constexpr Label kAllocation = "device memory";

// ---- births -------------------------------------------------------------------------------------

template <class Visit>
void Births::for_each(Visit visit) const {
  const auto& events = world_.history.events();
  const auto& lives = world_.ledger.lives();
  const auto task = harness::raw(world_.scheduler.current());
  std::size_t life = life_;
  for (std::size_t i = event_; i < events.size(); ++i) {
    if (events[i].kind != harness::EventKind::birth) continue;
    if (events[i].task == task && events[i].what == kAllocation) visit(static_cast<BirthId>(life));
    if (life + 1 < lives.size()) ++life;  // Every birth is an event, in the same order.
  }
}

BirthId Births::last_allocation() const {
  BirthId found = BirthId::none;
  for_each([&](BirthId life) { found = life; });
  return found;
}

bool Births::all_freed() const {
  bool freed = true;
  for_each([&](BirthId life) { freed &= !world_.ledger.alive(life); });
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
  return tensor != nullptr ? tensor->allocation : BirthId::none;
}

BirthId Memory::source_of(std::uint32_t rank, Request request) const {
  for (const Tensor& tensor : tensors_[rank])
    if ((tensor.requests >> request & 1) != 0 && tensor.destination_of != request)
      return tensor.allocation;
  return BirthId::none;
}

BirthId Memory::destination(std::uint32_t rank, Request request) const {
  for (const Tensor& tensor : tensors_[rank])
    if (tensor.destination_of == request) return tensor.allocation;
  return BirthId::none;
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

void Memory::filled(std::uint32_t rank, Buffer buffer, BirthId allocation, std::uint32_t stream) {
  tensors_[rank].push_back({.allocation = allocation, .variable = buffer, .stream = stream});
}

void Memory::begun(std::uint32_t rank, Request request, Buffer buffer, BirthId destination) {
  if (Tensor* source = in(rank, buffer)) source->requests |= 1U << request;
  tensors_[rank].push_back(
      {.allocation = destination, .destination_of = request, .requests = 1U << request});
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
  sweep(rank, "nobody holds it, and the collector has run");
}

void Memory::sweep(std::uint32_t rank, const char* why) {
  std::erase_if(tensors_[rank], [&](const Tensor& tensor) {
    if (tensor.is_used()) return false;
    if (bounded_ && tensor.allocation != BirthId::none &&
        scene_.world().ledger.alive(tensor.allocation))
      retain(scene_, tensor.allocation, why);
    return true;
  });
}

}  // namespace scenarios::alltoallv
