#include "scenarios/graph_argument/model/calls.h"

namespace scenarios::graph_argument {

Call& ModelCalls::begin(const Asked& asked) {
  Call* call = world_.arena.make<Call>();
  call->asked = asked;
  call->task = world_.scheduler.current();
  call->number = ++call_count_;
  call->faults = world_.history.faults().size();
  call->events = world_.history.events().size();
  call->injected = world_.injected_failures;
  call->lives = world_.ledger.lives().size();
  calls_.push_back(call);
  return *call;
}

void ModelCalls::end(Call& call) {
  std::erase(calls_, &call);
  if (call.asked.op == Op::flood) {
    hold_up(kFloodCalls);
    flooded_ = true;
  }
  if (call.task == main_) ++script_calls_;
}

Call* ModelCalls::current() const {
  const harness::TaskId task = world_.scheduler.current();
  for (Call* call : calls_)
    if (call->task == task) return call;
  return nullptr;
}

}  // namespace scenarios::graph_argument
