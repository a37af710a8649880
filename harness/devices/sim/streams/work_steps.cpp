// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/streams/work_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/core/fault/kinds.h"
#include "harness/devices/sim/memory/ops.h"
#include "harness/devices/sim/sim_device.h"
#include "harness/driver/cuda/kernels_begun.h"

namespace harness::devices {

void WorkSteps::acquire_before(Stream& stream, const Work& work) {
  device_edge_acquire(&stream.submit_edge);
  for (const StreamPoint& point : work.after) device_edge_acquire(&point.stream->done_edge);
}

/// One tick is a microsecond, plus the time for which kernels sleep. The time depends only on the
/// steps taken, and is therefore the same in every replay.
std::uint64_t WorkSteps::now() const {
  constexpr std::uint64_t kTick = 1000;
  return sim_.scheduler().now() * kTick + sim_.runner().slept_nanoseconds();
}

void WorkSteps::start(Stream& stream, Work& work) {
  work.started = true;
  if (work.kind == WorkKind::graph) work.run->start();
  if (work.kind == WorkKind::kernel) ++kernels_begun;
  if (!is_marker(work)) note(EventKind::start, stream, work);
  if constexpr (kTsan) {
    const OnStream on(stream);
    acquire_before(stream, work);
    if (work.kind == WorkKind::kernel) device_edge_release(&work.launch.began);
  }
}

OrderedUse use_by(const Work& work, Label site) {
  const CapturedAt& captured = work.captured.activation == 0 ? work.launch.captured : work.captured;
  return {work.at,          work.before,          site,
          work.staged_copy, work.copies_returned, {work.activation, captured.activation, work.on}};
}

bool WorkSteps::step(Stream& stream, Work& work) {
  sim_.memory().regions().see(work.regions);
  const bool is_done = do_step(stream, work);
  sim_.memory().regions().see(Regions::kNow);
  return is_done;
}

bool WorkSteps::do_step(Stream& stream, Work& work) {
  if (!work.started) start(stream, work);
  const bool touches_memory = work.kind == WorkKind::kernel || work.kind == WorkKind::host_work ||
                              work.kind == WorkKind::copy || work.kind == WorkKind::set ||
                              work.kind == WorkKind::prefetch || work.kind == WorkKind::memory_ops;
  if (sim_.faults().broken() != CUDA_SUCCESS && touches_memory) [[unlikely]]
    return true;
  switch (work.kind) {
    case WorkKind::kernel:
      return run_block(stream, work);
    case WorkKind::host_work:
      host_work(work);
      return true;
    case WorkKind::copy:
      copy(work);
      return true;
    case WorkKind::set:
      set(work);
      return true;
    case WorkKind::prefetch:
      prefetch(work);
      return true;
    case WorkKind::install:
      sim_.memory().install(work.block);
      return true;
    case WorkKind::free:
      if (sim_.data_races().on() &&
          (Intervention::current() == nullptr || !sim_.pools().is_kept(work.block))) [[likely]]
        sim_.data_races().freed(work.block, use_by(work, work.site));
      sim_.pools().release(work.block);
      return true;
    case WorkKind::record:
      if (work.event->record_count == work.event_record) work.event->time = now();
      return true;
    case WorkKind::memory_ops:
      return do_memory_op(work);
    case WorkKind::wait:
    case WorkKind::function:
      return true;
    case WorkKind::graph:
      return work.run->advance(stream);
  }
  return true;
}

/// Returns the error that calls return after a block has ended in this way.
static CUresult error_of(BlockEnding ending) {
  switch (ending) {
    case BlockEnding::trapped:
      return CUDA_ERROR_LAUNCH_FAILED;
    case BlockEnding::asserted:
      return CUDA_ERROR_ASSERT;
    case BlockEnding::misaligned:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    default:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
}

bool WorkSteps::run_block(const Stream& stream, Work& work) {
  // A launch that was submitted before its module was unloaded is completed.
  if (!work.module->alive && work.module->unload <= work.unloads &&
      !sim_.ledger().spares(work.module->birth, work.label)) {
    Fault fault = sim_.ledger().describe(FaultKind::use_after_free, work.module->birth);
    fault.fatal = true;
    fault.use_site = work.label;
    sim_.world().history.add(std::move(fault));
    sim_.faults().die();
    return true;
  }
  // If a program has only used the default stream so far, footprints are not recorded, to save
  // time.
  if (sim_.data_races().on())
    sim_.provenance().watch(sim_.data_races().wants_footprints(stream.legacy));
  heap_.enter(work);
  const GridStep step =
      work.launch.is_cooperative ? sim_.runner().step_grid(work.launch) : run_next_block(work);
  if (step.begins_phase) work.block_uses.begin();
  if (sim_.data_races().on()) used_by_kernel(work);
  if (step.ending != BlockEnding::finished) {
    sim_.faults().die(error_of(step.ending));
    return true;
  }
  return step.is_last;
}

GridStep WorkSteps::run_next_block(Work& work) {
  const std::uint64_t index = work.block_index++;
  return {sim_.runner().run_block(work.launch, index), index == 0,
          work.block_index == work.launch.block_count()};
}

/// Returns whether a repair has kept the allocation that the call refers to.
[[gnu::noinline, gnu::cold]] static bool is_served(SimDevice& sim, const Work& work,
                                                   BirthId meant) {
  const Label captured = work.captured.site;
  return sim.ledger().serves(meant, captured.empty() ? sim.scheduler().site() : captured);
}

/// Checks that the address still has the allocation that the call refers to. Returns false if it
/// has none: the memory is then not touched, and the run ends, unless that allocation is yet to
/// come.
bool WorkSteps::met(const Work& work, const Place& place) {
  const std::uint64_t bytes = work.bytes;
  if (place.birth == BirthId::none)
    return place.lent == LentId::none ||
           sim_.host_memory().lent().used(place.lent, {.captured = work.captured});
  const BlockRef here = sim_.memory().find(place.address);
  if (here.id == place.birth && here.alive && here.lost == BirthId::none) [[likely]]
    return bytes <= here.bytes - (place.address - here.base) || met_beyond(here, place, bytes);
  if (here.id == place.birth && here.lost != BirthId::none) {  // The exporter has freed it early.
    const bool fits = bytes <= here.bytes - (place.address - here.base);
    if (sim_.ledger().used(here.lost, fits ? here.met : BirthId::none)) return true;
    sim_.faults().die();
    return false;
  }
  const BirthId meant = here.id == place.birth ? here.life : place.birth;
  if (Intervention::current() != nullptr) [[unlikely]]
    if (is_served(sim_, work, meant)) return true;
  if (!here.alive && sim_.ledger().alive(meant)) {
    sim_.faults().misuse("device memory", "used before its stream reached the allocation",
                         place.birth);
    return false;
  }
  const bool whole = here.alive && bytes <= here.bytes - (place.address - here.base);
  const bool recycled = whole && sim_.ledger().alive(here.id);
  Fault fault =
      sim_.ledger().describe(recycled ? FaultKind::recycled_use : FaultKind::use_after_free, meant);
  fault.fatal = !recycled;
  if (recycled) fault.recycler = sim_.ledger().life(here.id).name;
  tell_parts(fault, place, bytes);
  fault.captured = work.captured.activation;
  fault.captured_at = work.captured.site;
  if (!work.captured.site.empty())
    fault.detail += fmt::format("{}parameters copied in {}", fault.detail.empty() ? "" : "; ",
                                work.captured.site.view());
  sim_.world().history.add(std::move(fault));
  if (recycled) return true;
  sim_.faults().die();
  return false;
}

/// If a stale use hits a block made of parts of freed blocks, adds the block and the offset to the
/// fault.
void WorkSteps::tell_parts(Fault& fault, const Place& place, std::uint64_t bytes) const {
  const std::uint32_t index = sim_.memory().living_of_parts(place.address, place.address + bytes);
  if (index == 0) return;
  const Block& met = sim_.memory().block(index);
  fault.recycler = sim_.ledger().life(met.birth).name;
  const std::uint64_t first = std::max(place.address, met.base);
  fault.detail = fmt::format("byte {} of {} is offset {} of what it meets", first - place.address,
                             bytes, first - met.base);
}

/// Checks that the mappings behind a block exist, up to the end of a range.
bool WorkSteps::met_beyond(BlockRef here, const Place& place, std::uint64_t bytes) {
  // Between the regions of a suballocator, the whole block may be used.
  if (const Block& block = sim_.memory().block(sim_.memory().installed(place.address));
      block.birth == place.birth && block.holds(place.address, bytes))
    return true;
  const std::uint64_t end = place.address + bytes;
  while (here.base + here.bytes < end) {
    const std::uint64_t next = here.base + here.bytes;
    here = sim_.memory().find(next);
    if (here.alive && here.base == next) continue;
    Fault fault = sim_.ledger().describe(FaultKind::use_after_free,
                                         here.id != BirthId::none ? here.id : place.birth);
    fault.fatal = true;
    sim_.world().history.add(std::move(fault));
    sim_.faults().die();
    return false;
  }
  return true;
}

/// Checks one side of a copy or set for races. If it met another allocation, that was already
/// reported.
void WorkSteps::used(const Work& work, const Place& place, AccessMode mode) {
  if (!sim_.data_races().on() || place.birth == BirthId::none) return;
  const std::uint32_t index = sim_.memory().installed(place.address);
  const Block& block = sim_.memory().block(index);
  if (block.birth != place.birth && sim_.memory().find(place.address).id != place.birth) return;
  const UsedRange range{place.address, place.address + work.bytes, mode};
  if (block.origin == Origin::mapped) [[unlikely]]
    return used_range(index, range, use_by(work, work.site));
  sim_.data_races().used(index, range, use_by(work, work.site));
}

/// Checks a range that may continue in the mapping behind the block.
void WorkSteps::used_range(std::uint32_t index, UsedRange range, const OrderedUse& by) {
  const Block& block = sim_.memory().block(index);
  const std::uint64_t end = block.base + block.bytes;
  if (block.origin != Origin::mapped || range.high <= end) {
    sim_.data_races().used(index, range, by);
    return;
  }
  sim_.data_races().used(index, {range.low, end, range.mode}, by);
  used_range(sim_.memory().installed(end), {end, range.high, range.mode}, by);
}

/// Checks the uses that were recorded for a block of a kernel.
void WorkSteps::used_by_kernel(Work& work) {
  const OrderedUse by = use_by(work, work.label);
  for (const std::uint64_t address : sim_.provenance().touched())
    sim_.data_races().used(sim_.memory().installed(address), by);
  const std::vector<UsedRange>& footprint = sim_.provenance().footprint().finish();
  const bool has_several = work.launch.block_count() > 1 && !footprint.empty();
  if (has_several) begin_block(work, footprint);
  if (sim_.processes().sharing().is_on()) [[unlikely]]
    for (const UsedRange& range : footprint)
      if (range.mode == AccessMode::atomic)
        sim_.processes().sharing().looked(sim_.memory().installed(range.low), work.at);
  for (UsedRange rest : footprint)
    while (rest.low < rest.high) {
      const std::uint32_t index = sim_.memory().installed(rest.low);
      const Block& block = sim_.memory().block(index);
      const bool is_cut = !sim_.memory().regions().empty();  // Divided into regions.
      const BlockRef here =
          is_cut ? sim_.memory().find(rest.low)
                 : BlockRef{.id = block.birth, .base = block.base, .bytes = block.bytes};
      const std::uint64_t end = std::min(rest.high, here.base + here.bytes);
      if (index == 0 || end <= rest.low) break;
      if (sim_.provenance().authorised(here.id)) {
        const UsedRange range{rest.low, end, rest.mode};
        sim_.data_races().used(index, range, by);
        if (has_several) {
          const UsedRange shared = work.block_uses.add(range);
          if (shared.low != shared.high) sim_.data_races().blocks_raced(index, shared, by);
        }
      }
      rest.low = end;
    }
}

/// Begins the uses of the next block, if a launch has several.
void WorkSteps::begin_block(Work& work, const std::vector<UsedRange>& footprint) {
  work.block_uses.begin_block(
      std::any_of(footprint.begin(), footprint.end(),
                  [](const UsedRange& range) { return range.mode == AccessMode::atomic; }));
}

/// Returns the pointers in the current row. Their offsets count from `begin`.
static std::span<const CapturedWord> words_in_row(const Work& work, std::uint64_t begin) {
  const auto place = [&](std::uint64_t offset) {
    return std::lower_bound(
        work.words.begin(), work.words.end(), offset,
        [](const CapturedWord& word, std::uint64_t at) { return word.offset < at; });
  };
  return {place(begin), place(begin + work.bytes)};
}

/// Calls `act` for each row, with the places of the work set to the row.
template <class Act>
static void for_rows(Work& work, Act act) {
  const Place target = work.target;
  const Place source = work.source;
  for (std::uint64_t z = 0; z < work.rows.depth; ++z)
    for (std::uint64_t y = 0; y < work.rows.height; ++y) {
      work.row = z * work.rows.height + y;
      work.target.address =
          target.address + z * work.rows.target_slice + y * work.rows.target_pitch;
      work.source.address =
          source.address + z * work.rows.source_slice + y * work.rows.source_pitch;
      act();
    }
  work.target = target;
  work.source = source;
}

static std::uint64_t hash_bytes(const Place& place, std::uint64_t bytes) {
  return hash_name({reinterpret_cast<const char*>(place.address), bytes});
}

/// Returns the bytes that a queued copy will use, if the host can write them.
HostBytes WorkSteps::host_bytes(const Place& place, std::uint64_t bytes) {
  constexpr std::uint64_t kMostBytes = 4096;
  if (place.birth == BirthId::none || bytes > kMostBytes) return {};
  const std::uint32_t index = sim_.memory().installed(place.address);
  const Block& block = sim_.memory().block(index);
  const bool is_there = block.birth == place.birth && !block.dead &&
                        bytes <= block.bytes - (place.address - block.base);
  if (!is_there || !HostMemory::is_visible(block)) return {};
  return {index, block.use_count, hash_bytes(place, bytes)};
}

void WorkSteps::stays(Work& work) {
  const bool is_one_row = work.rows.height == 1 && work.rows.depth == 1;
  if (work.kind != WorkKind::copy || !is_one_row || !sim_.data_races().on()) return;
  work.source_bytes = host_bytes(work.source, work.bytes);
  work.target_bytes = host_bytes(work.target, work.bytes);
}

/// Reports a race if the host has written the bytes since the copy was queued.
void WorkSteps::check_host_bytes(const Work& work, const Place& place, const HostBytes& held) {
  if (held.block == 0) return;
  const Block& block = sim_.memory().block(held.block);
  if (block.dead || block.lost != BirthId::none || block.use_count != held.use_count) return;
  if (hash_bytes(place, work.bytes) != held.hash)
    sim_.data_races().host_wrote(held.block, use_by(work, work.site));
}

void WorkSteps::copy(Work& work) {
  check_host_bytes(work, work.source, work.source_bytes);
  check_host_bytes(work, work.target, work.target_bytes);
  for_rows(work, [&] { copy_row(work); });
}

void WorkSteps::copy_row(Work& work) {
  if (!met(work, work.target) || !met(work, work.source)) return;
  used(work, work.source, AccessMode::read);
  used(work, work.target, AccessMode::write);
  // The source of a node is read only now, even if it is host memory.
  if (!work.staged && work.source.birth == BirthId::none && work.target.birth != BirthId::none) {
    work.words.clear();
    const Memory::CallView view(sim_.memory());
    sim_.provenance().capture(reinterpret_cast<const void*>(work.source.address), work.bytes,
                              work.words);
  }
  void* target = reinterpret_cast<void*>(work.target.address);
  const std::uint64_t begin = work.staged ? work.row * work.bytes : 0;
  const void* source = work.staged ? work.staging.data() + begin
                                   : reinterpret_cast<const void*>(work.source.address);
  std::memmove(target, source, work.bytes);
  if (work.target.birth == BirthId::none) return;
  if (work.source.birth != BirthId::none) {
    const Block& from = sim_.memory().block(sim_.memory().newest(work.source.address));
    if (HostMemory::is_visible(from)) sim_.host_memory().adopt(work.source.address, work.bytes);
    sim_.provenance().copied(work.target.address, work.source.address, work.bytes);
  } else {
    sim_.provenance().wrote(work.target.address - begin, words_in_row(work, begin));
  }
}

void WorkSteps::set(Work& work) {
  for_rows(work, [&] { set_row(work); });
}

void WorkSteps::set_row(Work& work) {
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

/// Uses the memory without its bytes, because a move is not ordered with other reads and writes.
void WorkSteps::prefetch(const Work& work) {
  if (!met(work, work.target) || !sim_.data_races().on()) return;
  sim_.data_races().used(sim_.memory().installed(work.target.address), use_by(work, work.site));
}

void WorkSteps::note(EventKind kind, const Stream& stream, const Work& work) {
  sim_.world().history.add(harness::Event{kind, raw(TaskId::none),
                                          static_cast<std::uint32_t>(sim_.scheduler().now()),
                                          work.label, work.activation, stream.own_name, 0});
}

}  // namespace harness::devices
