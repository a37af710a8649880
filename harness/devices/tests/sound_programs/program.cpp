// SPDX-License-Identifier: Apache-2.0
// How it works. The functions above the members make the calls; the members keep the reference
// state. Work is handed from stream to stream by whatever the documentation offers: an event that
// the other stream or the host waits for, a query that says so, or a wait for the whole stream.
#include "harness/devices/tests/sound_programs/program.h"

namespace harness::testing::sound {

static void start(Program& p) {
  cuInit(0);
  cuDevicePrimaryCtxRetain(&p.context, 0);
  cuCtxSetCurrent(p.context);
  for (std::size_t home = 0; home < kOwnStreams; ++home) p.make_stream(home);
  p.streams[kDefault] = {nullptr, State::stream_idle};
  p.streams[kPerThread] = {CU_STREAM_PER_THREAD, State::stream_idle};
  CUmodule module = nullptr;
  cuModuleLoadData(&module, &afterlife_kernels_conformance);
  cuModuleGetFunction(&p.kernel, module, "add_one");
  for (int i = 0; i < 2; ++i) p.memory.shared().push_back(p.memory.make(Kind::plain, p.any_home()));
  for (int i = 0; i < 2; ++i) p.events.shared().push_back(p.events.make(CU_EVENT_DEFAULT));
}

static void begin_stream(Program& p, std::size_t home) {
  Stream& made = p.streams[home];
  made.state = State::stream_none;
  const unsigned flags = home == kBlocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING;
  if (p.coin())
    cuStreamCreate(&made.handle, flags);
  else
    cuStreamCreateWithPriority(&made.handle, flags, 0);
  p.move(made.state, Via::created);
}

static void order(Program& p, std::size_t from, std::size_t to) {
  if (p.below(4) == 0) return p.wait(from);
  Event event = p.events.make();
  p.events.record(event, from);
  const std::size_t way = p.below(3);
  if (way == 0) {
    cuEventSynchronize(event.handle);
    p.move(event.state, Via::waited_for);
  }
  if (way == 1) p.events.query(event);
  if (event.state != State::event_done || p.below(4) == 0) {
    cuStreamWaitEvent(p.handle(to), event.handle, CU_EVENT_WAIT_DEFAULT);
    p.move(event.state, Via::stream_waits);
    p.work(to);
  }
  p.events.destroy(event);
}

static void allocate(Program& p, Memory& made, std::size_t bytes) {
  switch (made.kind) {
    case Kind::plain:
      cuMemAlloc_v2(&made.address, bytes);
      return p.move(made.state, Via::allocated);
    case Kind::managed:
      cuMemAllocManaged(&made.address, bytes, CU_MEM_ATTACH_GLOBAL);
      return p.move(made.state, Via::allocated);
    case Kind::pinned:
      if (p.coin())
        cuMemAllocHost_v2(reinterpret_cast<void**>(&made.address), bytes);
      else
        cuMemHostAlloc(reinterpret_cast<void**>(&made.address), bytes, CU_MEMHOSTALLOC_DEVICEMAP);
      return p.move(made.state, Via::allocated);
    case Kind::pooled:
      cuMemAllocAsync(&made.address, bytes, p.handle(made.home));
      p.work(made.home);
      return p.move(made.state, Via::allocated_in_a_stream);
  }
}

static void release(Program& p, Memory& memory) {
  switch (memory.kind) {
    case Kind::plain:
    case Kind::managed:  // It may wait for what is in flight, and may not.
      p.wait_for_all();
      cuMemFree_v2(memory.address);
      return p.move(memory.state, Via::freed_by_the_host);
    case Kind::pinned:
      p.wait(memory.home);
      cuMemFreeHost(reinterpret_cast<void*>(memory.address));
      return p.move(memory.state, Via::freed_by_the_host);
    case Kind::pooled:
      if (p.below(4) == 0) {
        p.wait(memory.home);
        cuMemFree_v2(memory.address);
        return p.move(memory.state, Via::freed_by_the_host);
      }
      cuMemFreeAsync(memory.address, p.handle(memory.home));
      p.work(memory.home);
      return p.move(memory.state, Via::freed_in_its_stream);
  }
}

static void launch(Program& p, std::size_t home, CUfunction function, CUdeviceptr address) {
  int count = 16;
  void* parameters[] = {&address, &count};
  cuLaunchKernel(function, 2, 1, 1, 8, 1, 1, 0, p.handle(home), parameters, nullptr);
  p.work(home);
}

void Program::run(std::span<const Step> steps, int count) {
  tally.calls.begin(random());
  start(*this);
  for (int i = 0; i < count; ++i) steps[below(steps.size())](*this);
  while (to_drop != Rule::none && !has_dropped) {
    wait_for_all();  // Work that was done when a wait on memory was over counts as before all that
                     // comes.
    steps[below(steps.size())](*this);
  }
  cuCtxSynchronize();
}

bool Program::keep(Rule rule) {
  if (rule == to_drop) {
    has_dropped = true;
    return false;
  }
  ++tally.kept[raw(rule)];
  return true;
}

void Program::move(State& state, Via via) {
  const Transition& taken = transition(state, via);
  if (&taken == &kNoTransition) {
    if (!has_dropped)
      ADD_FAILURE() << "no such transition: " << name_of(state) << ", " << name_of(via);
    return;
  }
  ++tally.taken[static_cast<std::size_t>(&taken - kTransitions)];
  state = taken.to;
}

// ---- streams ----------------------------------------------------------------------------------

void Program::make_stream(std::size_t home) { begin_stream(*this, home); }

void Program::wait(std::size_t home) {
  cuStreamSynchronize(handle(home));
  stream_is_done(home, Via::waited_for);
}

void Program::stream_is_done(std::size_t home, Via via) {
  move(streams[home].state, via);
  memory.stream_is_done(home);
}

void Program::wait_for_all() {
  cuCtxSynchronize();
  for (std::size_t home = 0; home < streams.size(); ++home) stream_is_done(home, Via::waited_for);
}

void Program::hand_over(std::size_t from, std::size_t to) {
  if (from != to) order(*this, from, to);
}

// ---- work -------------------------------------------------------------------------------------

void Program::set(std::size_t home, CUdeviceptr address, unsigned value) {
  cuMemsetD32Async(address, value, 4, handle(home));
  work(home);
}

void Program::add_one(std::size_t home, CUdeviceptr address, CUfunction function) {
  launch(*this, home, function != nullptr ? function : kernel, address);
}

// ---- memory -----------------------------------------------------------------------------------

Memory Memories::make(Kind kind, std::size_t home, std::size_t bytes) {
  Memory made{0, home, kind};
  allocate(program_, made, bytes);
  return made;
}

void Memories::free(Memory& memory) { release(program_, memory); }

void Memories::leave(const Memory& memory) {
  left_.push_back(memory);
  if (program_.below(16) == 0) free_what_is_left();
}

void Memories::free_what_is_left() {
  while (!left_.empty()) {
    Memory memory = left_.back();
    left_.pop_back();
    free(memory);
  }
}

CUdeviceptr Memories::use(std::size_t home, Memory& memory) {
  if (memory.home != home) {
    program_.hand_over(memory.home, home);
    program_.move(memory.state, Via::handed_over);
  }
  memory.home = home;
  program_.move(memory.state, Via::used);
  return memory.address;
}

void Memories::stream_is_done(std::size_t home) {
  for (std::vector<Memory>* some : {&shared_, &left_})
    for (Memory& memory : *some)
      if (memory.home == home) program_.move(memory.state, Via::waited_for);
}

Memory& Memories::any() { return shared_[program_.below(shared_.size())]; }

// ---- events -----------------------------------------------------------------------------------

Event Events::make(unsigned flags) {
  Event made;
  cuEventCreate(&made.handle, flags);
  program_.move(made.state, Via::created);
  return made;
}

void Events::record(Event& event, std::size_t home) {
  if (program_.coin())
    cuEventRecord(event.handle, program_.handle(home));
  else
    cuEventRecordWithFlags(event.handle, program_.handle(home), CU_EVENT_RECORD_DEFAULT);
  event.home = home;
  program_.move(event.state, Via::recorded);
  program_.work(home);
}

void Events::query(Event& event) {
  const bool done = cuEventQuery(event.handle) == CUDA_SUCCESS;
  program_.move(event.state, done ? Via::found_done : Via::found_busy);
}

void Events::destroy(Event& event) {
  cuEventDestroy_v2(event.handle);
  program_.move(event.state, Via::destroyed);
}

}  // namespace harness::testing::sound
