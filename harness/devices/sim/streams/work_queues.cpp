// SPDX-License-Identifier: Apache-2.0
// How it works. submit() runs work to its end unless it is held up by a dependency, earlier work in
// the stream, or a choice. Work that is held up waits in its stream's queue. Whenever work ends,
// settle() completes work that takes no time (markers), hands host functions to their task, and
// tells the scheduler which streams can advance.
#include "harness/devices/sim/streams/work_queues.h"

#include <algorithm>
#include <utility>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/core/intervention/order.h"
#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

static constexpr std::uint32_t kLagOptions = 4;

static bool can_start(const Work& work) {
  return work.started || std::all_of(work.after.begin(), work.after.end(), done);
}

/// Returns whether the driver must call functions of the program before the stream is idle.
static bool waits_for_program(const Stream& stream) {
  return std::any_of(stream.queue.begin() + static_cast<std::ptrdiff_t>(stream.head),
                     stream.queue.end(), [](const Work* work) {
                       return work->kind == WorkKind::function ||
                              (work->kind == WorkKind::graph && work->run->has_host_nodes());
                     });
}

static bool waits_on_memory(const Work& work) {
  return work.kind == WorkKind::memory_ops ||
         (work.kind == WorkKind::graph && work.run->has_memory_ops());
}

// ---- submission -------------------------------------------------------------------------------

void WorkQueues::begin() {
  memory_wait_count_ = 0;
  spare_.clear();
  for (const auto& work : works_) spare_.push_back(work.get());
  busy_.clear();
  leaving_.clear();
  order_.begin();
}

Work& WorkQueues::fresh(WorkKind kind, Label label) {
  if (spare_.empty()) spare_.push_back(works_.emplace_back(std::make_unique<Work>()).get());
  Work& work = *spare_.back();
  spare_.pop_back();
  work.reset(kind, label);
  work.copies_returned = sim_.data_races().staging().count();
  work.unloads = sim_.handles().unload_count;
  work.regions = sim_.memory().regions().change_count();
  return work;
}

// The default stream waits for earlier work of blocking streams, and they wait for its earlier
// work.
void WorkQueues::depend(Stream& stream, Work& work) {
  if (!stream.blocking) return;
  if (!stream.legacy) {
    Stream& legacy = *stream.context->legacy;
    if (!legacy.idle()) work.after.push_back({&legacy, legacy.submitted});
    return;
  }
  for (Stream* other : stream.context->streams)
    if (other->blocking && !other->idle()) work.after.push_back({other, other->submitted});
}

void WorkQueues::catch_up(Stream& stream) {
  if (sim_.data_races().is_only_line(stream.line)) return;  // There is no other line to add.
  Clock& clock = stream.clock;
  clock.join(sim_.data_races().caller());
  if (stream.blocking && !stream.legacy) clock.join(stream.context->legacy->clock);
  if (stream.legacy)
    for (const Stream* other : stream.context->streams)
      if (other->blocking) clock.join(other->clock);
}

OrderPoint WorkQueues::next_point(Stream& stream) {
  catch_up(stream);
  return sim_.data_races().advance(stream.line, stream.clock);
}

StreamPoint WorkQueues::submit(Stream& stream, Work& work, Lag lag) {
  depend(stream, work);
  work.site = sim_.scheduler().site();
  if (Order::current() != nullptr) [[unlikely]]
    order_.submit(stream, work);
  work.at = next_point(stream);
  work.before = stream.clock;
  work.activation = sim_.world().picker.current().name;
  work.on = stream.own_name;
  work.submitted = sim_.scheduler().now();
  if (!is_marker(work)) sim_.scheduler().note(EventKind::submit, work.label, stream.own_name);
  device_edge_release(&stream.submit_edge);
  const bool first = stream.idle();
  const StreamPoint point{&stream, ++stream.submitted};
  if (Order::current() != nullptr) [[unlikely]]
    order_.note(point, work);
  const bool free_to_run = first && can_start(work) && work.kind != WorkKind::function;
  if (work.kind == WorkKind::function && lag == Lag::ask)
    work.is_late = sim_.world().picker.pick(Site::lag, 2) != 0;
  if (free_to_run && run_now(stream, work, lag)) {
    finish(stream, work);
    if (!busy_.empty()) settle();
  } else {
    enqueue(stream, work);
    settle();
  }
  return point;
}

/// Runs the work as far as a choice allows. Returns true if it is done.
bool WorkQueues::run_now(Stream& stream, Work& work, Lag lag) {
  std::uint32_t stay = 0;
  if (lag == Lag::ask) {
    const std::uint64_t blocks = work.kind == WorkKind::kernel  ? work.launch.block_count()
                                 : work.kind == WorkKind::graph ? work.run->node_count()
                                                                : 1;
    stay = sim_.world().picker.pick(
        Site::lag, static_cast<std::uint32_t>(std::min<std::uint64_t>(kLagOptions, blocks + 1)));
  }
  if (work.kind == WorkKind::graph) return run_graph_now(stream, work, stay);
  if (stay == 0) {
    while (!sim_.steps().held_up(work))
      if (sim_.steps().step(stream, work)) return true;
    return false;
  }
  for (std::uint32_t i = 1; i < stay && !sim_.steps().held_up(work); ++i)
    sim_.steps().step(stream, work);
  return false;
}

/// Runs a graph, whose host functions and waits may hold up the rest.
bool WorkQueues::run_graph_now(Stream& stream, Work& work, std::uint32_t stay) {
  constexpr std::uint32_t kStepLimit = 4096;  // A loop may be endless.
  const std::uint32_t limit = stay == 0 ? kStepLimit : stay - 1;
  for (std::uint32_t i = 0; i < limit; ++i) {
    if (sim_.steps().step(stream, work)) return true;
    if (!work.run->can_step()) return false;
  }
  return false;
}

void WorkQueues::enqueue(Stream& stream, Work& work) {
  if (stream.queue.empty()) {
    busy_.push_back(&stream);
    if (stream.engine == Stream::kNoEngine) stream.engine = sim_.scheduler().engines().add(stream);
  }
  if (waits_on_memory(work)) ++memory_wait_count_;
  sim_.steps().stays(work);
  stream.queue.push_back(&work);
}

// ---- progress ---------------------------------------------------------------------------------

void WorkQueues::advance(Stream& stream) {
  Work& work = stream.front();
  Activation activation{work.activation, {}, {}};  // The task that waits is not the cause of this
                                                   // work.
  Activation* asker = sim_.world().picker.enter(activation);
  {
    const UserObjects::ByItself by_itself(sim_.graphs().user_objects());
    const SiteScope site(sim_.scheduler(), work.site);
    if (!std::exchange(work.is_late, false) && sim_.steps().step(stream, work))
      complete_front(stream);
    settle();
  }
  sim_.world().picker.leave_to(asker);
}

void WorkQueues::complete_front(Stream& stream) {
  Work& work = stream.front();
  if (waits_on_memory(work)) --memory_wait_count_;
  if (++stream.head == stream.queue.size()) {
    stream.queue.clear();
    stream.head = 0;
    busy_.erase(std::find(busy_.begin(), busy_.end(), &stream));
    set_ready(stream, false);
  }
  finish(stream, work);
  if (!leaving_.empty() && busy_.empty()) [[unlikely]]
    for (const std::uint32_t block : std::exchange(leaving_, {})) release(block);
}

void WorkQueues::release(std::uint32_t block) {
  sim_.memory().block(block).freed_at = {};
  sim_.pools().give_back(block);
  sim_.pools().release(block);
}

void WorkQueues::release_when_idle(std::uint32_t block) {
  if (busy_.empty()) return release(block);
  leaving_.push_back(block);
}

void WorkQueues::finish(Stream& stream, Work& work) {
  ++stream.completed;
  sim_.data_races().done(work.at);
  if (!is_marker(work)) sim_.steps().note(EventKind::finish, stream, work);
  if constexpr (kTsan) {
    const OnStream on(stream);
    if (work.kind == WorkKind::kernel) device_edge_acquire(&work.launch.done);
    device_edge_release(&stream.done_edge);
  }
  sim_.scheduler().touch(stream.resource);
  if (work.kind == WorkKind::graph) sim_.graphs().executables().end(*work.run);
  if (work.kind == WorkKind::host_work) sim_.steps().release(work);
  spare_.push_back(&work);
}

void WorkQueues::finish_part(Stream& stream, Work& work) {
  sim_.steps().note(EventKind::finish, stream, work);
  sim_.data_races().done(work.at);
  if constexpr (kTsan) {
    const OnStream on(stream);
    if (work.kind == WorkKind::kernel) device_edge_acquire(&work.launch.done);
  }
  spare_.push_back(&work);
}

void WorkQueues::settle() {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < busy_.size() && !moved; ++i) moved = pass_marker(*busy_[i]);
  }
  for (Stream* stream : busy_) {
    Work& work = stream->front();
    const bool steps = work.kind == WorkKind::graph
                           ? !work.started || work.run->can_step()
                           : work.kind != WorkKind::function || work.is_late;
    set_ready(*stream, steps && can_start(work) && !sim_.steps().held_up(work));
  }
}

/// Completes the first piece of work if it takes no time, or was held up until now. Returns true if
/// something has changed.
bool WorkQueues::pass_marker(Stream& stream) {
  Work& work = stream.front();
  if (!can_start(work) || stream.calling || work.is_late) return false;
  if (work.kind == WorkKind::function) return sim_.host_functions().call(stream, work);
  if (work.kind == WorkKind::memory_ops && !sim_.steps().held_up(work) && work.was_held_up) {
    work.was_held_up = false;
    if (sim_.steps().step(stream, work)) complete_front(stream);
    return true;
  }
  if (work.kind == WorkKind::graph) return pass_graph(stream, work);
  if (!is_marker(work)) return false;
  sim_.steps().step(stream, work);
  complete_front(stream);
  return true;
}

/// Completes the nodes of a launch that take no time. Returns true if something has changed.
bool WorkQueues::pass_graph(Stream& stream, Work& work) {
  if (!work.started) sim_.steps().start(stream, work);
  if (work.run->pass(stream)) return true;
  if (!work.run->done()) return false;
  complete_front(stream);
  return true;
}

void WorkQueues::set_ready(Stream& stream, bool ready) {
  if (stream.ready == ready) return;
  stream.ready = ready;
  sim_.scheduler().engines().set_ready(stream.engine, ready);
}

bool WorkQueues::waits_for_program() const {
  return std::ranges::any_of(
      busy_, [](const Stream* stream) { return devices::waits_for_program(*stream); });
}

void WorkQueues::was_polled() {
  if (ProcessWorld::of(sim_.world()) == nullptr) return;
  bool has_taken_step = false;
  sim_.scheduler().wait_until({}, {}, [&] { return std::exchange(has_taken_step, true); });
}

// ---- waiting ----------------------------------------------------------------------------------

void WorkQueues::wait(const StreamPoint& point) {
  if (point.stream == nullptr) return;
  const auto come = [&point] { return done(point); };
  if (!come()) {
    if (devices::waits_for_program(*point.stream))
      sim_.processes().at(point.stream->context->process).thread.expect(sim_.scheduler());
    const Access access{point.stream->resource, AccessKind::read};
    sim_.scheduler().wait_until(access, point.stream->own_label, come);
    if (!come()) wait_for_others(point);
  }
  LockWatch::joined(sim_.scheduler(), sim_.scheduler().now());
  device_edge_acquire(&point.stream->done_edge);
}

/// Waits for functions of the program, if driver threads call them. Does not wait for values that
/// only another thread of the program could write.
void WorkQueues::wait_for_others(const StreamPoint& point) {
  ProcessWorld* process = ProcessWorld::of(sim_.world());
  if (process == nullptr) return;
  const auto come = [&point] { return done(point); };
  process->wait_until([&] {
    look_again();
    sim_.scheduler().wait_until({}, {}, come);
    return come() || sim_.host_functions().idle();
  });
}

void WorkQueues::drain(Stream& stream) {
  const StreamPoint point{&stream, stream.submitted};
  Clock& known = sim_.data_races().remember(stream.clock);  // Copied, because other tasks may
                                                            // submit work during the wait.
  wait(point);
  sim_.data_races().tell_host(known);
}

void WorkQueues::synchronize(Stream& stream) {
  if (stream.legacy)
    for (std::size_t i = 0; i < stream.context->streams.size(); ++i) {
      Stream& other = *stream.context->streams[i];
      if (other.blocking) drain(other);
    }
  drain(stream);
}

void WorkQueues::synchronize(Context& context) {
  for (std::size_t i = 0; i < context.streams.size(); ++i) drain(*context.streams[i]);
  drain(*context.legacy);
}

bool WorkQueues::idle(const Stream& stream) {
  if (stream.legacy)
    for (const Stream* other : stream.context->streams)
      if (other->blocking && !other->idle()) return false;
  return stream.idle();
}

bool WorkQueues::knows_done(const Context& context) {
  const Clock& host = sim_.data_races().caller();
  const auto is_known = [&host](const Stream* stream) {
    const LineIndex line = stream->line;
    return stream->idle() && (line == kNoLine || host.includes({line, stream->clock.of(line)}));
  };
  return is_known(context.legacy) &&
         std::all_of(context.streams.begin(), context.streams.end(), is_known);
}

}  // namespace harness::devices
