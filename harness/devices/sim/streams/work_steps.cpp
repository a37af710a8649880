// What the pieces of work do, one step at a time.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/devices/sim/sim_device.h"
#include "harness/sanitizers.h"

namespace harness::devices {

void SimDevice::acquire_before(Stream& stream, const Work& work) {
  edge_acquire(&stream.submit_edge);
  for (const StreamPoint& point : work.after) edge_acquire(&point.stream->done_edge);
}

void SimDevice::start(Stream& stream, Work& work) {
  work.started = true;
  if (work.kind == WorkKind::graph) work.run->start();
  if (!is_marker(work)) note_device(EventKind::start, stream, work);
  if constexpr (kTsan) {
    const OnStream on(stream);
    acquire_before(stream, work);
    if (work.kind == WorkKind::kernel) edge_release(&work.launch.began);
  }
}

/// Does one step: a block of a kernel, or all of any other work. Returns true when nothing is left.
bool SimDevice::step(Stream& stream, Work& work) {
  if (!work.started) start(stream, work);
  const bool touches_memory = work.kind == WorkKind::kernel || work.kind == WorkKind::copy ||
                              work.kind == WorkKind::set || work.kind == WorkKind::memory_ops;
  if (broken != CUDA_SUCCESS && touches_memory) [[unlikely]]
    return true;
  switch (work.kind) {
    case WorkKind::kernel:
      return run_block(stream, work);
    case WorkKind::copy:
      copy(work);
      return true;
    case WorkKind::set:
      set(work);
      return true;
    case WorkKind::install:
      memory.install(work.block);
      return true;
    case WorkKind::free:
      if (order->on()) order->freed(work.block, {work.at, work.before, work.site});
      release(work.block);
      return true;
    case WorkKind::record:
      if (work.event->record_count == work.event_record) work.event->time = scheduler().now();
      return true;
    case WorkKind::memory_ops:
      return do_memory_op(work);
    case WorkKind::wait:
    case WorkKind::function:
      return true;
    case WorkKind::graph:
      return step_graph(stream, work);
  }
  return true;
}

bool SimDevice::run_block(const Stream& stream, Work& work) {
  if (!work.module->alive) {
    Fault fault = ledger().describe(FaultKind::use_after_death, work.module->birth);
    fault.fatal = true;
    fault.use_site = work.label;
    world->history.add(std::move(fault));
    die();
    return true;
  }
  // A program that uses the default stream and no other, so far, pays for no footprints.
  if (order->on()) provenance->watch(!stream.legacy || order->line_count() > 1);
  const BlockEnding ending = runner->run_block(work.launch, work.block_index++);
  if (order->on()) used_by_kernel(work);
  if (ending == BlockEnding::aborted) {
    die();
    return true;
  }
  return work.block_index == work.launch.block_count();
}

void SimDevice::release(std::uint32_t index) {
  memory.retire(index);
  const Block& block = memory.block(index);
  if (block.pool != nullptr) block.pool->used -= block.granules * Memory::kGranule;
  if (block.graph != nullptr) graphs.life_ended(*block.graph);
}

/// What lives at a place now must be who the call meant. Returns false when nobody lives there:
/// then the memory is not touched, and the run is over unless the one who was meant is still to
/// come.
bool SimDevice::met(const Work& work, const Place& place) {
  const std::uint64_t bytes = work.bytes;
  if (place.birth == BirthId::none) return true;
  const BlockRef here = memory.find(place.address);
  if (here.id == place.birth && here.alive && here.lost == BirthId::none) [[likely]]
    return true;
  if (here.id == place.birth && here.lost != BirthId::none) {  // The exporter freed early.
    const bool fits = bytes <= here.bytes - (place.address - here.base);
    if (ledger().used(here.lost, fits ? here.met : BirthId::none)) return true;
    die();
    return false;
  }
  const BirthId meant = here.id == place.birth ? here.life : place.birth;
  if (!here.alive && ledger().alive(meant)) {
    misuse("device memory", "used before its stream reached the allocation", place.birth);
    return false;
  }
  const bool whole = here.alive && bytes <= here.bytes - (place.address - here.base);
  const bool recycled = whole && ledger().alive(here.id);
  Fault fault =
      ledger().describe(recycled ? FaultKind::recycled_use : FaultKind::use_after_death, meant);
  fault.fatal = !recycled;
  if (recycled) fault.recycler = ledger().life(here.id).name;
  if (!work.captured_site.empty())
    fault.detail = fmt::format("parameters copied in {}", work.captured_site.view());
  world->history.add(std::move(fault));
  if (recycled) return true;
  die();
  return false;
}

/// Tells the order of one side of a copy or set. What met another life than it meant was judged.
void SimDevice::used(const Work& work, const Place& place, AccessMode mode) {
  if (!order->on() || place.birth == BirthId::none) return;
  const std::uint32_t block = memory.installed(place.address);
  if (memory.block(block).birth != place.birth) return;
  order->used(block, {place.address, place.address + work.bytes, mode},
              {work.at, work.before, work.site});
}

/// The same for what a block of a kernel was seen to use.
void SimDevice::used_by_kernel(const Work& work) {
  const OrderedUse by{work.at, work.before, work.label};
  for (const std::uint64_t address : provenance->touched())
    order->used(memory.installed(address), by);
  for (UsedRange rest : provenance->footprint().finish())
    while (rest.low < rest.high) {
      const std::uint32_t index = memory.installed(rest.low);
      const Block& block = memory.block(index);
      const std::uint64_t end = std::min(rest.high, block.base + block.bytes);
      if (index == 0 || end <= rest.low) break;
      if (provenance->authorised(block.birth)) order->used(index, {rest.low, end, rest.mode}, by);
      rest.low = end;
    }
}

/// Calls `act` for each row, with the places of the work where the row begins.
template <class Act>
static void for_rows(Work& work, Act act) {
  const Place target = work.target;
  const Place source = work.source;
  for (std::uint64_t z = 0; z < work.rows.depth; ++z)
    for (std::uint64_t y = 0; y < work.rows.height; ++y) {
      work.target.address =
          target.address + z * work.rows.target_slice + y * work.rows.target_pitch;
      work.source.address =
          source.address + z * work.rows.source_slice + y * work.rows.source_pitch;
      act();
    }
  work.target = target;
  work.source = source;
}

void SimDevice::copy(Work& work) {
  for_rows(work, [&] { copy_row(work); });
}

void SimDevice::copy_row(Work& work) {
  if (!met(work, work.target) || !met(work, work.source)) return;
  used(work, work.source, AccessMode::read);
  used(work, work.target, AccessMode::write);
  // A node's source is read only now, also where the host owns it.
  if (!work.staged && work.source.birth == BirthId::none && work.target.birth != BirthId::none) {
    work.words.clear();
    const Memory::CallView view(memory);
    provenance->capture(reinterpret_cast<const void*>(work.source.address), work.bytes, work.words);
  }
  void* target = reinterpret_cast<void*>(work.target.address);
  const void* source =
      work.staged ? work.staging.data() : reinterpret_cast<const void*>(work.source.address);
  std::memmove(target, source, work.bytes);
  if (work.target.birth == BirthId::none) return;
  if (work.source.birth != BirthId::none) {
    const Block& from = memory.block(memory.newest(work.source.address));
    if (is_host_visible(from)) adopt_host_words(work.source.address, work.bytes);
    provenance->copied(work.target.address, work.source.address, work.bytes);
  } else {
    provenance->wrote(work.target.address, work.words);
  }
}

// The host writes pinned and managed memory without a call, so that nobody saw which of the words
// are pointers, and whose. They count from when the device is about to look.
void SimDevice::adopt_host_words(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t first = (address + 7) / 8 * 8;
  if (first + 8 > address + bytes) return;
  const auto known = [&](const CapturedWord& word) {
    const PointerShadow::Entry entry = provenance->shadow().get(first + word.offset);
    return entry.captured == word.id || entry.stored_by != AuthorityIndex::none;
  };
  words_.clear();
  {
    const Memory::CallView view(memory);
    provenance->capture(reinterpret_cast<const void*>(first), address + bytes - first, words_);
  }
  std::erase_if(words_, known);
  provenance->wrote(first, words_);
}

void SimDevice::adopt_all_host_words() {
  for (const std::uint32_t index : host_visible_) {
    const Block& block = memory.block(index);
    if (!block.dead) adopt_host_words(block.base, block.bytes);
  }
}

void SimDevice::set(Work& work) {
  for_rows(work, [&] { set_row(work); });
}

void SimDevice::set_row(Work& work) {
  if (!met(work, work.target)) return;
  used(work, work.target, AccessMode::write);
  auto* target = reinterpret_cast<std::byte*>(work.target.address);
  if (work.width == 1) {
    std::memset(target, static_cast<int>(work.value), work.bytes);
    return;
  }
  for (std::uint64_t i = 0; i < work.bytes; i += work.width)
    std::memcpy(target + i, &work.value, work.width);
}

void SimDevice::note_device(EventKind kind, const Stream& stream, const Work& work) {
  world->history.add(harness::Event{kind, raw(TaskId::none),
                                    static_cast<std::uint32_t>(scheduler().now()), work.label,
                                    work.activation, stream.own_name, 0});
}

}  // namespace harness::devices
