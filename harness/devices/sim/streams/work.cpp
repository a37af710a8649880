// How it works. submit() runs work to its end unless something holds it up: what it depends on,
// work before it in the stream, or a pick. What is held up waits in its stream's queue. Whenever a
// piece of work ends, settle() passes over what costs no time (markers), hands host functions to
// their task, and tells the scheduler which streams can advance.
#include <algorithm>
#include <cstring>

#include "harness/devices/sim/sim_device.h"
#include "harness/sanitizers.h"

namespace harness::devices {

static constexpr std::uint32_t kLagOptions = 4;
static constexpr Resource kFunctions = hash_name("host functions");

static bool can_start(const Work& work) {
  return work.started || std::all_of(work.after.begin(), work.after.end(), done);
}

static bool waits_on_memory(const Work& work) {
  return work.kind == WorkKind::memory_ops ||
         (work.kind == WorkKind::graph && work.run->has_memory_ops());
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

// The legacy stream waits for what blocking streams were told before, and they for what it was
// told.
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

/// What is next submitted to the stream comes after what the host has waited for, and what the
/// default stream and blocking ones are told comes after each other.
void SimDevice::catch_up(Stream& stream) {
  if (order->is_only_line(stream.line)) return;  // Nobody knows of more than it does.
  Clock& clock = stream.clock;
  clock.join(order->host());
  if (stream.blocking && !stream.legacy) clock.join(stream.context->legacy->clock);
  if (stream.legacy)
    for (const Stream* other : stream.context->streams)
      if (other->blocking) clock.join(other->clock);
}

OrderPoint SimDevice::next_point(Stream& stream) {
  catch_up(stream);
  return order->advance(stream.line, stream.clock);
}

StreamPoint SimDevice::submit(Stream& stream, Work& work, Lag lag) {
  depend(stream, work);
  work.at = next_point(stream);
  work.before = stream.clock;
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
    const std::uint64_t blocks = work.kind == WorkKind::kernel  ? work.launch.block_count()
                                 : work.kind == WorkKind::graph ? work.run->node_count()
                                                                : 1;
    stay = world->picker.pick(
        Site::lag, static_cast<std::uint32_t>(std::min<std::uint64_t>(kLagOptions, blocks + 1)));
  }
  if (work.kind == WorkKind::graph) return run_graph_now(stream, work, stay);
  if (stay == 0) {
    while (!held_up(work))
      if (step(stream, work)) return true;
    return false;
  }
  for (std::uint32_t i = 1; i < stay && !held_up(work); ++i) step(stream, work);
  return false;
}

/// The same for a graph, of which host functions and waits may hold up the rest.
bool SimDevice::run_graph_now(Stream& stream, Work& work, std::uint32_t stay) {
  constexpr std::uint32_t kStepLimit = 4096;  // A loop may never end.
  const std::uint32_t limit = stay == 0 ? kStepLimit : stay - 1;
  for (std::uint32_t i = 0; i < limit; ++i) {
    if (step(stream, work)) return true;
    if (!work.run->can_step()) return false;
  }
  return false;
}

void SimDevice::enqueue(Stream& stream, Work& work) {
  if (stream.queue.empty()) {
    busy_.push_back(&stream);
    if (stream.engine == Stream::kNoEngine) stream.engine = scheduler().add_engine(stream);
  }
  if (waits_on_memory(work)) ++memory_wait_count_;
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
  if (waits_on_memory(work)) --memory_wait_count_;
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
  order->done(work.at);
  if (!is_marker(work)) note_device(EventKind::finish, stream, work);
  if constexpr (kTsan) {
    const OnStream on(stream);
    if (work.kind == WorkKind::kernel) edge_acquire(&work.launch.done);
    edge_release(&stream.done_edge);
  }
  scheduler().touch(stream.resource);
  if (work.kind == WorkKind::graph) graphs.end(*work.run);
  spare_works_.push_back(&work);
}

void SimDevice::settle() {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < busy_.size() && !moved; ++i) moved = pass_marker(*busy_[i]);
  }
  for (Stream* stream : busy_) {
    Work& work = stream->front();
    const bool steps = work.kind == WorkKind::graph ? !work.started || work.run->can_step()
                                                    : work.kind != WorkKind::function;
    set_ready(*stream, steps && can_start(work) && !held_up(work));
  }
}

/// Passes over the first piece of work if it takes no time, or was held up until now. Returns true
/// if something changed.
bool SimDevice::pass_marker(Stream& stream) {
  Work& work = stream.front();
  if (!can_start(work) || stream.calling) return false;
  if (work.kind == WorkKind::function) return call_function(stream, work);
  if (work.kind == WorkKind::memory_ops && !held_up(work) && work.was_held_up) {
    work.was_held_up = false;
    if (step(stream, work)) complete_front(stream);
    return true;
  }
  if (work.kind == WorkKind::graph) return pass_graph(stream, work);
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

// CUDA calls them on a thread of its own, one after another. Ours is a task; where there are no
// tasks, whoever is here calls them. Returns true when the function has returned.
bool SimDevice::call_function(Stream& stream, Work& work) {
  note_device(EventKind::start, stream, work);
  if (!scheduler().in_task()) {
    order->host_saw(work.before);
    in_function = true;
    call(work);
    in_function = false;
    complete_front(stream);
    return true;
  }
  stream.calling = true;
  call_later({&stream});
  return false;
}

void SimDevice::call_later(const HostCall& call) {
  const ProcessId id = call.stream->context->process;
  Process& owner = process(id);
  owner.functions.push_back(call);
  if (owner.function_task == TaskId::none) {
    const ProcessScope scope(scheduler(), id);
    owner.function_task =
        scheduler().spawn_daemon("host functions", [this, id] { serve_functions(id); });
  }
  scheduler().touch(kFunctions + raw(id));
}

void SimDevice::call(Work& work) {
  if (work.callback != nullptr)
    work.callback(work.stream, broken, work.data);
  else
    work.function(work.data);
}

void SimDevice::serve_functions(ProcessId id) {
  std::vector<HostCall>& queue = process(id).functions;
  for (;;) {
    scheduler().wait_until({kFunctions + raw(id), AccessKind::read}, "host functions",
                           [&queue] { return !queue.empty(); });
    const HostCall next = queue.front();
    queue.erase(queue.begin());
    Stream& stream = *next.stream;
    Work& work = stream.front();
    acquire_before(stream, work);
    order->host_saw(next.run != nullptr ? next.frame->before[next.node] : work.before);
    {
      const SiteScope site(scheduler(), "host function");
      next.run != nullptr ? GraphRun::call(next) : call(work);
    }
    edge_release(&stream.done_edge);
    if (next.run != nullptr) {
      next.run->called(next);
    } else {
      stream.calling = false;
      complete_front(stream);
    }
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

void SimDevice::drain(Stream& stream) {
  const StreamPoint point{&stream, stream.submitted};
  Clock& known = order->remember(stream.clock);  // Others may submit more while we wait.
  wait(point);
  order->tell_host(known);
}

void SimDevice::synchronize(Stream& stream) {
  if (stream.legacy)
    for (std::size_t i = 0; i < stream.context->streams.size(); ++i) {
      Stream& other = *stream.context->streams[i];
      if (other.blocking) drain(other);
    }
  drain(stream);
}

void SimDevice::synchronize(Context& context) {
  for (std::size_t i = 0; i < context.streams.size(); ++i) drain(*context.streams[i]);
  drain(*context.legacy);
}

bool SimDevice::idle(const Stream& stream) const {
  if (stream.legacy)
    for (const Stream* other : stream.context->streams)
      if (other->blocking && !other->idle()) return false;
  return stream.idle();
}

}  // namespace harness::devices
