// How it works. submit() runs work to its end unless something holds it up: what it depends on, work
// before it in the stream, or a pick. What is held up waits in its stream's queue. Whenever a piece of
// work ends, settle() passes over what costs no time (markers), hands host functions to their task, and
// tells the scheduler which streams can advance.
#include <algorithm>
#include <cstring>

#include "harness/devices/sim/sim_device.h"
#include "harness/sanitizers.h"

namespace harness::devices {

static constexpr std::uint32_t kLagOptions = 4;
static constexpr Resource kFunctions = hash_name("host functions");

static bool is_marker(const Work& work) {
  return work.kind == WorkKind::install || work.kind == WorkKind::record || work.kind == WorkKind::wait;
}

static bool can_start(const Work& work) {
  return work.started || std::all_of(work.after.begin(), work.after.end(), done);
}

// ---- submission -------------------------------------------------------------------------------

Work& SimDevice::fresh_work(WorkKind kind, Label label) {
  if (spare_works_.empty())
    spare_works_.push_back(works_.emplace_back(std::make_unique<Work>()).get());
  Work& work = *spare_works_.back();
  spare_works_.pop_back();
  work.reset(kind, label);
  return work;
}

// The legacy stream waits for what blocking streams were told before, and they for what it was told.
void SimDevice::depend(Stream& stream, Work& work) {
  if (!stream.blocking) return;
  if (!stream.legacy) {
    Stream& legacy = *stream.context->legacy;
    if (!legacy.idle()) work.after.push_back({&legacy, legacy.submitted});
    return;
  }
  for (Stream* other : stream.context->streams)
    if (other->blocking && !other->idle()) work.after.push_back({other, other->submitted});
}

StreamPoint SimDevice::submit(Stream& stream, Work& work, Lag lag) {
  depend(stream, work);
  work.site = scheduler().site();
  work.activation = world->picker.current().name;
  if (!is_marker(work)) scheduler().note(EventKind::submit, work.label, stream.own_name);
  edge_release(&stream.submit_edge);
  const bool first = stream.idle();
  const StreamPoint point{&stream, ++stream.submitted};
  const bool free_to_run = first && can_start(work) && work.kind != WorkKind::function;
  if (free_to_run && run_now(stream, work, lag)) {
    finish(stream, work);
    if (!busy_.empty()) settle();
  } else {
    enqueue(stream, work);
    settle();
  }
  return point;
}

/// Runs the work as far as a pick lets it. Returns true when that was to its end.
bool SimDevice::run_now(Stream& stream, Work& work, Lag lag) {
  std::uint32_t stay = 0;
  if (lag == Lag::ask) {
    const std::uint64_t blocks = work.kind == WorkKind::kernel ? work.launch.block_count() : 1;
    stay = world->picker.pick(Site::lag, static_cast<std::uint32_t>(std::min<std::uint64_t>(kLagOptions, blocks + 1)));
  }
  if (stay == 0) {
    while (!step(stream, work)) {
    }
    return true;
  }
  for (std::uint32_t i = 1; i < stay; ++i) step(stream, work);
  return false;
}

void SimDevice::enqueue(Stream& stream, Work& work) {
  if (stream.queue.empty()) {
    busy_.push_back(&stream);
    if (stream.engine == Stream::kNoEngine) stream.engine = scheduler().add_engine(stream);
  }
  stream.queue.push_back(&work);
}

// ---- progress ---------------------------------------------------------------------------------

void SimDevice::advance(Stream& stream) {
  Work& work = stream.front();
  Activation activation{work.activation, {}, {}};  // Whoever asked is not who caused this.
  Activation* asker = world->picker.enter(activation);
  {
    const SiteScope site(scheduler(), work.site);
    if (step(stream, work)) complete_front(stream);
    settle();
  }
  world->picker.leave_to(asker);
}

void SimDevice::complete_front(Stream& stream) {
  Work& work = stream.front();
  if (++stream.head == stream.queue.size()) {
    stream.queue.clear();
    stream.head = 0;
    busy_.erase(std::find(busy_.begin(), busy_.end(), &stream));
    set_ready(stream, false);
  }
  finish(stream, work);
}

void SimDevice::finish(Stream& stream, Work& work) {
  ++stream.completed;
  if (!is_marker(work)) note_device(EventKind::finish, stream, work);
  if constexpr (kTsan) {
    const OnStream on(stream);
    if (work.kind == WorkKind::kernel) edge_acquire(&work.launch.done);
    edge_release(&stream.done_edge);
  }
  scheduler().touch(stream.resource);
  spare_works_.push_back(&work);
}

void SimDevice::settle() {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < busy_.size() && !moved; ++i) moved = pass_marker(*busy_[i]);
  }
  for (Stream* stream : busy_) {
    const Work& work = stream->front();
    set_ready(*stream, work.kind != WorkKind::function && can_start(work));
  }
}

/// Passes over the first piece of work if it takes no time. Returns true if something changed.
bool SimDevice::pass_marker(Stream& stream) {
  Work& work = stream.front();
  if (!can_start(work) || stream.calling) return false;
  if (work.kind == WorkKind::function) return call_function(stream, work);
  if (!is_marker(work)) return false;
  step(stream, work);
  complete_front(stream);
  return true;
}

void SimDevice::set_ready(Stream& stream, bool ready) {
  if (stream.ready == ready) return;
  stream.ready = ready;
  scheduler().set_engine_ready(stream.engine, ready);
}

// ---- host functions ---------------------------------------------------------------------------

// CUDA calls them on a thread of its own, one after another. Ours is a task; where there are no tasks,
// whoever is here calls them. Returns true when the function has returned.
bool SimDevice::call_function(Stream& stream, Work& work) {
  note_device(EventKind::start, stream, work);
  if (!scheduler().in_task()) {
    in_function = true;
    work.function(work.data);
    in_function = false;
    complete_front(stream);
    return true;
  }
  stream.calling = true;
  functions_.push_back(&stream);
  if (function_task == TaskId::none)
    function_task = scheduler().spawn_daemon("host functions", [this] { serve_functions(); });
  scheduler().touch(kFunctions);
  return false;
}

void SimDevice::serve_functions() {
  for (;;) {
    scheduler().wait_until({kFunctions, AccessKind::read}, "host functions",
                           [this] { return !functions_.empty(); });
    Stream& stream = *functions_.front();
    functions_.erase(functions_.begin());
    Work& work = stream.front();
    acquire_before(stream, work);
    {
      const SiteScope site(scheduler(), work.label);
      work.function(work.data);
    }
    edge_release(&stream.done_edge);
    stream.calling = false;
    complete_front(stream);
    settle();
  }
}

// ---- waiting ----------------------------------------------------------------------------------

void SimDevice::wait(const StreamPoint& point) {
  if (point.stream == nullptr) return;
  if (!done(point))
    scheduler().wait_until({point.stream->resource, AccessKind::read}, point.stream->own_label,
                           [&point] { return done(point); });
  edge_acquire(&point.stream->done_edge);
}

void SimDevice::synchronize(Stream& stream) {
  if (stream.legacy)
    for (std::size_t i = 0; i < stream.context->streams.size(); ++i) {
      Stream& other = *stream.context->streams[i];
      if (other.blocking) wait({&other, other.submitted});
    }
  wait({&stream, stream.submitted});
}

void SimDevice::synchronize(Context& context) {
  for (std::size_t i = 0; i < context.streams.size(); ++i)
    wait({context.streams[i], context.streams[i]->submitted});
  wait({context.legacy, context.legacy->submitted});
}

bool SimDevice::idle(const Stream& stream) const {
  if (stream.legacy)
    for (const Stream* other : stream.context->streams)
      if (other->blocking && !other->idle()) return false;
  return stream.idle();
}

// ---- doing it ---------------------------------------------------------------------------------

void SimDevice::acquire_before(Stream& stream, const Work& work) {
  edge_acquire(&stream.submit_edge);
  for (const StreamPoint& point : work.after) edge_acquire(&point.stream->done_edge);
}

void SimDevice::start(Stream& stream, Work& work) {
  work.started = true;
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
  switch (work.kind) {
    case WorkKind::kernel:
      return run_block(work);
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
      release(work.block);
      return true;
    case WorkKind::record:
      if (work.event->record_count == work.event_record) work.event->time = scheduler().now();
      return true;
    case WorkKind::wait:
    case WorkKind::function:
      return true;
  }
  return true;
}

bool SimDevice::run_block(Work& work) {
  if (!work.module->alive) {
    Fault fault = ledger().describe(FaultKind::use_after_death, work.module->birth);
    fault.fatal = true;
    fault.use_site = work.label;
    world->history.add(std::move(fault));
    die();
    return true;
  }
  if (runner->run_block(work.launch, work.block_index++) == BlockEnding::aborted) {
    die();
    return true;
  }
  return work.block_index == work.launch.block_count();
}

void SimDevice::release(std::uint32_t index) {
  memory.retire(index);
  const Block& block = memory.block(index);
  if (block.pool != nullptr) block.pool->used -= block.granules * Memory::kGranule;
}

/// What lives at a place now must be who the call meant. Returns false when nobody lives there: then the
/// memory is not touched, and the run is over unless the one who was meant is still to come.
bool SimDevice::met(const Place& place, std::uint64_t bytes) {
  if (place.birth == BirthId::none) return true;
  const BlockRef here = memory.find(place.address);
  if (here.id == place.birth && here.alive) [[likely]]
    return true;
  if (!here.alive && ledger().alive(place.birth)) {
    misuse("device memory", "used before its stream reached the allocation", place.birth);
    return false;
  }
  const bool whole = here.alive && bytes <= here.bytes - (place.address - here.base);
  if (ledger().used(place.birth, whole ? here.id : BirthId::none)) return true;
  die();
  return false;
}

void SimDevice::copy(Work& work) {
  if (!met(work.target, work.bytes) || !met(work.source, work.bytes)) return;
  void* target = reinterpret_cast<void*>(work.target.address);
  const void* source = work.staged ? work.staging.data() : reinterpret_cast<const void*>(work.source.address);
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

// The host writes pinned and managed memory without a call, so that nobody saw which of the words are
// pointers, and whose. They count from when the device is about to look.
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
  if (!met(work.target, work.bytes)) return;
  auto* target = reinterpret_cast<std::byte*>(work.target.address);
  if (work.width == 1) {
    std::memset(target, static_cast<int>(work.value), work.bytes);
    return;
  }
  for (std::uint64_t i = 0; i < work.bytes; i += sizeof(work.value))
    std::memcpy(target + i, &work.value, sizeof(work.value));
}

void SimDevice::note_device(EventKind kind, const Stream& stream, const Work& work) {
  world->history.add(harness::Event{kind, raw(TaskId::none), static_cast<std::uint32_t>(scheduler().now()),
                                    work.label, work.activation, stream.own_name, 0});
}

}  // namespace harness::devices
