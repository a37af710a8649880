// How it works. begin() only sets counters back: objects, buffers and address ranges are kept from
// run to run. A thread's context stack, and contexts, streams and pools as such, are here; work is
// in work.cpp.
#include "harness/devices/sim/sim_device.h"

#include <algorithm>

#include "harness/sanitizers.h"

namespace harness::devices {

SimDevice::~SimDevice() = default;

void SimDevice::begin(World& new_world) {
  if (world != &new_world) {
    world = &new_world;
    runner.reset();
    order = std::make_unique<Order>(ledger(), memory);
    provenance = std::make_unique<Provenance>(ledger(), memory);
    runner = std::make_unique<KernelRunner>(*provenance);
  }
  memory.begin(ledger());
  provenance->begin();
  order->begin(new_world.history.counts(FaultKind::order));
  contexts.begin();
  modules.begin();
  functions.begin();
  streams.begin();
  events.begin();
  pools.begin();
  libraries.begin();
  kernels.begin();
  graphs.begin();
  captures.begin();
  freed.clear();
  for (const auto& process : processes_) process->reset();
  open_failures.begin();
  broken = CUDA_SUCCESS;
  memory_wait_count_ = 0;
  in_function = false;
  thread_count_ = 0;
  stream_count_ = 0;
  spare_works_.clear();
  for (const auto& work : works_) spare_works_.push_back(work.get());
  busy_.clear();
  host_visible_.clear();
}

void SimDevice::end() { memory.end(); }

// ---- processes, threads and contexts ----------------------------------------------------------

void SimDevice::add_processes(ProcessId last) {
  while (processes_.size() <= raw(last)) processes_.push_back(std::make_unique<Process>());
}

SimDevice::Thread& SimDevice::thread() {
  const std::size_t index = calling_thread(*world);
  if (index >= thread_count_) [[unlikely]]
    add_threads(index);
  return threads_[index];
}

void SimDevice::add_threads(std::size_t last) {
  for (; thread_count_ <= last; ++thread_count_) {
    if (thread_count_ == threads_.size()) threads_.emplace_back();
    threads_[thread_count_].stack.clear();
    threads_[thread_count_].capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    threads_[thread_count_].streams.clear();
  }
}

std::vector<Context*>& SimDevice::context_stack() { return thread().stack; }

CUstreamCaptureMode& SimDevice::capture_mode() { return thread().capture_mode; }

Context* SimDevice::current_context() {
  const std::vector<Context*>& stack = context_stack();
  return stack.empty() ? nullptr : stack.back();
}

Stream& SimDevice::add_stream(Context& context, Label label) {
  Stream& stream = streams.add();
  stream.device = this;
  stream.context = &context;
  stream.own_label = label;
  stream.id = next_stream_id();
  context.streams.push_back(&stream);
  return stream;
}

static void name(Stream& stream, Name given) { stream.own_name = stream.resource = given; }

Stream& SimDevice::per_thread_stream(Context& context) {
  Thread& me = thread();
  for (const Thread::Own& own : me.streams)
    if (own.context == &context) return *own.stream;
  Stream& stream = add_stream(context, "per-thread stream");
  name(stream, scheduler().name_next(stream.own_label));
  me.streams.push_back({&context, &stream});
  return stream;
}

template <class Table>
static void end_all(Ledger& ledger, Table& table, const Context& context) {
  for (std::size_t i = table.first_alive(); i < table.size(); ++i) {
    auto& object = table[i];
    if (object.context != &context || !object.alive) continue;
    object.alive = false;
    if (object.birth != BirthId::none) ledger.died(object.birth);
  }
}

void SimDevice::destroy(Context& context) {
  synchronize(context);
  end_all(ledger(), modules, context);
  end_all(ledger(), streams, context);
  end_all(ledger(), events, context);
  for (std::uint32_t i = memory.first_alive(); i < memory.block_count(); ++i)
    if (memory.block(i).context == &context && !memory.block(i).dead) memory.retire(i);
  context.alive = false;
  ledger().died(context.birth);
  if (context.primary) process(context.process).primary = nullptr;
  broken = CUDA_SUCCESS;  // What comes after it starts afresh.
}

// ---- faults -----------------------------------------------------------------------------------

void SimDevice::misuse(Label kind, const char* detail, BirthId id) {
  Fault fault = ledger().describe(FaultKind::api_misuse, id);
  fault.object_kind = kind;
  fault.detail = detail;
  world->history.add(std::move(fault));
}

void SimDevice::used_dead(BirthId id) {
  world->history.add(ledger().describe(FaultKind::use_after_death, id));
}

void SimDevice::die() {
  if (scheduler().in_task()) scheduler().die();
  broken = CUDA_ERROR_ILLEGAL_ADDRESS;
}

// ---- objects ----------------------------------------------------------------------------------

void Pool::reset() {
  is_default = false;
  freed.clear();
  release_threshold = limit = used = used_high = reserved = reserved_high = 0;
  follow_events = opportunistic = internal_dependencies = true;
}

void Stream::reset() {
  context = nullptr;
  flags = 0;
  priority = 0;
  id = 0;
  legacy = false;
  blocking = true;
  submitted = completed = 0;
  queue.clear();
  head = 0;
  engine = kNoEngine;
  ready = calling = false;
  capture = nullptr;
  line = kNoLine;
  clock.clear();
}

void Stream::advance() { device->advance(*this); }
void Stream::poll() { device->look_again(); }

#if HARNESS_TSAN
Stream::~Stream() {
  if (tsan_fiber != nullptr) __tsan_destroy_fiber(tsan_fiber);
}

OnStream::OnStream(Stream& stream) : previous_(__tsan_get_current_fiber()) {
  if (stream.tsan_fiber == nullptr) stream.tsan_fiber = __tsan_create_fiber(0);
  __tsan_switch_to_fiber(stream.tsan_fiber, 1);
}
OnStream::~OnStream() { __tsan_switch_to_fiber(previous_, 1); }
#else
Stream::~Stream() = default;
OnStream::OnStream(Stream&) {}
OnStream::~OnStream() = default;
#endif

}  // namespace harness::devices
