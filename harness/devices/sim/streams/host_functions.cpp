#include "harness/devices/sim/streams/host_functions.h"

#include "harness/devices/sim/sim_device.h"
#include "harness/sanitizers.h"

namespace harness::devices {

static constexpr Resource kFunctions = hash_name("host functions");

bool HostFunctions::call(Stream& stream, Work& work) {
  sim_.steps().note(EventKind::start, stream, work);
  if (!sim_.scheduler().in_task()) {
    sim_.data_races().host_saw(work.before);
    {
      const CallbackScope scope(sim_.threads(), Callback::host_function);
      call_now(work);
    }
    sim_.queues().complete_front(stream);
    return true;
  }
  stream.calling = true;
  call_later({&stream});
  return false;
}

void HostFunctions::call(const HostCall& call) {
  if (sim_.scheduler().in_task()) return call_later(call);
  sim_.data_races().host_saw(call.frame->before[call.node]);
  {
    const CallbackScope scope(sim_.threads(), Callback::host_function);
    GraphRun::call(call);
  }
  call.run->called(call);
}

void HostFunctions::call_later(const HostCall& call) {
  const ProcessId id = call.stream->context->process;
  Process& owner = sim_.processes().at(id);
  owner.functions.push_back(call);
  if (owner.function_task == TaskId::none) {
    const ProcessScope scope(sim_.scheduler(), id);
    owner.function_task =
        sim_.scheduler().spawn_daemon("host functions", [this, id] { serve(id); });
  }
  sim_.scheduler().touch(kFunctions + raw(id));
}

void HostFunctions::call_now(Work& work) {
  if (work.callback != nullptr)
    work.callback(work.stream, sim_.faults().broken(), work.data);
  else
    work.function(work.data);
}

void HostFunctions::serve(ProcessId id) {
  Scheduler& scheduler = sim_.scheduler();
  std::vector<HostCall>& queue = sim_.processes().at(id).functions;
  for (;;) {
    scheduler.wait_until({kFunctions + raw(id), AccessKind::read}, "host functions",
                         [&queue] { return !queue.empty(); });
    const HostCall next = queue.front();
    queue.erase(queue.begin());
    Stream& stream = *next.stream;
    Work& work = stream.front();
    WorkSteps::acquire_before(stream, work);
    sim_.data_races().host_saw(next.run != nullptr ? next.frame->before[next.node] : work.before);
    {
      const SiteScope site(scheduler, "host function");
      const CallbackScope scope(sim_.threads(), Callback::host_function);
      next.run != nullptr ? GraphRun::call(next) : call_now(work);
    }
    edge_release(&stream.done_edge);
    if (next.run != nullptr) {
      next.run->called(next);
    } else {
      stream.calling = false;
      sim_.queues().complete_front(stream);
    }
    sim_.queues().settle();
  }
}

}  // namespace harness::devices
