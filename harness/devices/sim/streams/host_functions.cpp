// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/streams/host_functions.h"

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/devices/sim/sim_device.h"
#include "harness/driver/cuda/program_call.h"

namespace harness::devices {

static constexpr Resource kFunctions = hash_name("host functions");

/// A function of the program with its arguments. They are copied, because the work may be gone when
/// other tasks can call CUDA.
struct HostFunctions::Callee {
  CUhostFn function = nullptr;
  CUstreamCallback callback = nullptr;  ///< Used instead of `function`.
  CUstream stream = nullptr;
  CUresult status = CUDA_SUCCESS;
  void* data = nullptr;

  void operator()() const {
    if (callback != nullptr)
      call_program(callback, stream, status, data);
    else
      call_program(function, data);
  }
};

HostFunctions::Callee HostFunctions::callee(const HostCall& call) {
  const NodeParams& params = GraphRun::params_of(call);
  const CUDA_HOST_NODE_PARAMS& host = params.host;
  begin(params.lent, *call.stream, params.captured, reinterpret_cast<const void*>(host.fn));
  return {.function = host.fn, .data = host.userData};
}

HostFunctions::Callee HostFunctions::callee(const Stream& stream, const Work& work) {
  const void* const function = work.callback != nullptr
                                   ? reinterpret_cast<const void*>(work.callback)
                                   : reinterpret_cast<const void*>(work.function);
  begin(work.lent, stream, {}, function);
  sim_.host_memory().lent().give_back(work.lent);  // The function may free it.
  return {work.function, work.callback, work.stream, sim_.faults().broken(), work.data};
}

/// Reports a use of dead data before the function is called, since it may crash.
void HostFunctions::begin(LentId data, const Stream& stream, CapturedAt captured,
                          const void* function) {
  if (stream.queued() == 0) return;  // While a call runs a graph's launch, it is not queued.
  last_called_ = {reinterpret_cast<std::uintptr_t>(function), stream.front().activation};
  sim_.host_memory().lent().used(data, {.site = "host function",
                                        .activation = last_called_.activation,
                                        .stream = stream.own_name,
                                        .captured = captured,
                                        .code = last_called_.code + 1});
}

bool HostFunctions::call(Stream& stream, Work& work) {
  sim_.steps().note(EventKind::start, stream, work);
  stream.calling = true;
  if (call_later({&stream})) return false;
  stream.calling = false;
  sim_.data_races().host_saw(work.before);
  {
    const CallbackScope scope(sim_.threads(), Callback::host_function);
    callee(stream, work)();
  }
  sim_.queues().complete_front(stream);
  return true;
}

void HostFunctions::call(const HostCall& call) {
  if (call_later(call)) return;
  sim_.data_races().host_saw(call.frame->before[call.node]);
  {
    const CallbackScope scope(sim_.threads(), Callback::host_function);
    callee(call)();
  }
  call.run->called(call);
}

/// Queues a function for the task or thread that calls functions. Returns false if there is none.
bool HostFunctions::call_later(const HostCall& call) {
  const ProcessId id = call.stream->context->process;
  Process& owner = sim_.processes().at(id);
  if (sim_.scheduler().in_task()) {
    owner.functions.push_back(call);
    if (owner.function_task == TaskId::none) {
      const ProcessScope scope(sim_.scheduler(), id);
      owner.function_task =
          sim_.scheduler().spawn_daemon("host functions", [this, id] { serve(id); });
    }
    sim_.scheduler().touch(kFunctions + raw(id));
    return true;
  }
  ProcessWorld* process = ProcessWorld::of(sim_.world());
  if (process == nullptr) return false;
  thread_.post(*process, [this, call] { call_now(call); }, [this, call] { finish(call); });
  return true;
}

void HostFunctions::serve(ProcessId id) {
  Process& owner = sim_.processes().at(id);
  for (;;) {
    sim_.scheduler().wait_until({kFunctions + raw(id), AccessKind::read}, "host functions",
                                [&owner] { return !owner.functions.empty(); });
    const HostCall next = owner.functions.front();
    owner.functions.erase(owner.functions.begin());
    call_now(next);
    finish(next);
  }
}

void HostFunctions::call_now(const HostCall& call) {
  Process& owner = sim_.processes().at(call.stream->context->process);
  Scheduler& scheduler = sim_.scheduler();
  const Work& work = call.stream->front();
  WorkSteps::acquire_before(*call.stream, work);
  sim_.data_races().function_starts(call.run != nullptr ? call.frame->before[call.node]
                                                        : work.before);
  const SiteScope site(scheduler, "host function");
  LockWatch::joined(scheduler, work.submitted);
  const DriverLock::Hold thread(owner.thread, scheduler, true);
  const bool holds = scheduler.in_task() && sim_.world().picker.pick(Site::hold, 2) != 0;
  const DriverLock::Hold lock(owner.lock, scheduler, holds);
  const CallbackScope scope(sim_.threads(), Callback::host_function);
  const Callee act = call.run != nullptr ? callee(call) : callee(*call.stream, work);
  const ProcessWorld::Open open(ProcessWorld::of(sim_.world()), work.activation);
  act();
}

/// Completes the function's work. The function has returned, or ended its thread.
void HostFunctions::finish(const HostCall& call) {
  Stream& stream = *call.stream;
  device_edge_release(&stream.done_edge);
  const UserObjects::ByItself by_itself(sim_.graphs().user_objects());
  if (call.run != nullptr) {
    call.run->called(call);
  } else {
    stream.calling = false;
    sim_.queues().complete_front(stream);
  }
  sim_.queues().settle();
}

}  // namespace harness::devices
