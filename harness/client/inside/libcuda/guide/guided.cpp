// SPDX-License-Identifier: Apache-2.0
// How it works. Choices are made by the thread that has the driver. The names of their places are
// put into words when a fault or the end of the process is reported.
#include "harness/client/inside/libcuda/guide/guided.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "harness/client/border/hang_watch.h"
#include "harness/client/inside/libcuda/fork_point.h"
#include "harness/client/inside/libcuda/guide/asked_questions.h"
#include "harness/client/inside/libcuda/guide/call_failures.h"
#include "harness/client/inside/libcuda/guide/drawn.h"
#include "harness/client/inside/libcuda/guide/expected_errors.h"
#include "harness/client/inside/libcuda/guide/hang.h"
#include "harness/client/inside/libcuda/guide/pedantic.h"
#include "harness/client/inside/libcuda/guide/stream_wait.h"
#include "harness/client/inside/libcuda/guide/work.h"
#include "harness/client/inside/libcuda/guide/xla_note.h"
#include "harness/client/inside/libcuda/ipc/descent.h"
#include "harness/client/inside/libcuda/native_place.h"
#include "harness/client/inside/libcuda/python/python.h"
#include "harness/core/pick/replay.h"
#include "harness/devices/sim/sim_device.h"
#include "harness/driver/cuda/failed_call.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {
namespace {

Guided* guided = nullptr;

/// Returns the function that the program called: the driver's, or a runtime's that calls the
/// driver.
std::string_view called(Label function) {
  const char* outer = ProcessWorld::outer_call().function;
  return outer != nullptr ? outer : function.view();
}

/// The place of the next call of this thread.
thread_local client::Place next_place;
/// The current call of this thread.
thread_local Name this_call;

}  // namespace

std::unique_ptr<harness::Guide> Guided::make() {
  const std::optional<std::string> folder = client::ordered_folder();
  if (!folder) return nullptr;
  try {
    return std::make_unique<Guided>(*folder, client::read_orders(*folder));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "afterlife: %s: it is left out\n", error.what());
    return nullptr;
  }
}

/// Forks the runs at the first choice, and then answers as each run's orders say.
class Guided::FirstQuestion final : public Strategy {
 public:
  explicit FirstQuestion(Guided& asked) : asked_(asked) {}

  void begin_run() {
    if (run_ == nullptr) run_ = asked_.begin_run();
  }
  std::uint32_t answer(const Question& question) override {
    begin_run();
    return run_->answer(question);
  }

 private:
  Guided& asked_;
  std::unique_ptr<Strategy> run_;
};

/// The first process has the names of a program with one process.
static Name process_name(const std::string& path, unsigned number) {
  if (path.empty()) return derive_name(0, hash_name("process"), number);
  return derive_name(path == "1" ? 0 : hash_name(path), hash_name("process"), 1);
}

/// Each process makes different random choices.
static std::uint64_t seed_of(const std::string& path, std::uint64_t seed) {
  return path.empty() || path == "1" ? seed : mix(seed, hash_name(path));
}

Guided::Guided(std::string folder, client::Orders orders)
    : folder_(std::move(folder)),
      orders_(std::move(orders)),
      idle_device_([this] {
        if (peer_link_.is_sharing()) return;  // Expected: other processes wait for this one.
        doubt("the program made no call for a while, and the device continued by itself");
      }),
      peer_link_(folder_, askers_, parties_, [this] {
        claim_process();
        return report_.process;
      }) {
  if (orders_.serves) {
    auto first = std::make_unique<FirstQuestion>(*this);
    first_question_ = first.get();
    strategy_ = std::move(first);
  } else {
    strategy_ = ordered_strategy();
  }
  guided = this;
  claim_process();
  std::atexit(end_of_process);
  devices::share_by(&peer_link_);
  tell_ending([] { guided->peer_link_.end(); });
  HostRaces::tell([this](const HostRace& race) { raced(race); });
  Hang::listen(python_threads_, idle_device_,
               [this](bool is_deadlock, std::vector<client::Party> stuck) {
                 hangs(is_deadlock, std::move(stuck));
               });
}

void Guided::claim_process() {
  if (is_claimed_) return;
  is_claimed_ = true;
  report_.faults.clear();  // Those of the parent are in the parent's report.
  report_.errors.clear();
  failed_objects_.clear();
  report_.asked.clear();
  report_.call_count = 0;
  has_forced_ = false;
  free_threads_ = {};
  take_number();
  report_.path = descent_path();
  askers_.begin(process_name(report_.path, report_.process));
}

void Guided::take_number() {
  if (const unsigned number = client::take_report_number(folder_); number != 0)
    report_.process = number;
  // A process that forks runs would share the mark with its children.
  if (!orders_.serves) mark_.open(folder_, report_.process, report_.call_count);
}

std::unique_ptr<Strategy> Guided::ordered_strategy() {
  std::unique_ptr<Strategy> answers;
  if (orders_.draws)
    answers = std::make_unique<Drawn>(seed_of(report_.path, orders_.seed), orders_.failable_count);
  else
    answers = std::make_unique<Replay>(orders_.tape);
  if (!orders_.asks) return answers;
  return std::make_unique<AskedQuestions>(std::move(answers), report_.asked);
}

std::unique_ptr<Strategy> Guided::begin_run() {
  fork_runs(folder_, report_.process == 1);
  orders_ = client::read_orders(folder_);
  take_number();
  if (!report_.faults.empty()) report(ProcessWorld::get().world());
  std::unique_ptr<Strategy> strategy = ordered_strategy();
  strategy->begin();
  return strategy;
}

// ---- calls ------------------------------------------------------------------------------------

void Guided::coming(Label function) {
  Hang::answer_late();
  watch_python();
  const Python* python = Python::find();
  if (python != nullptr) {
    next_function_ = function;
    const bool forces = orders_.forces && python->can_be_forced();
    python_threads_.call(forces);
    if (forces && !python_threads_.others_may_go_on()) force_collection(*python, function);
  } else if (native_threads_.are_on()) {
    next_function_ = function;
    native_threads_.call();
  }
  if (has_queued_functions_ && !ProcessWorld::has_turn()) let_device_catch_up(function);
  if (peer_link_.is_sharing() && !ProcessWorld::has_turn()) take_turn(function);
  note_place(0);
}

void Guided::let_device_catch_up(Label function) {
  ProcessWorld& process = ProcessWorld::get();
  process.lock();
  Activation asking = askers_.before_call(ProcessWorld::calling_thread(), function, Baton::mine());
  asking.name = client::unforced_name(asking.name);
  if (process.ask(asking, Site::lag, 2) != 0)
    process.world().scheduler.wait_until({}, {}, [] { return false; });
  flush();
  process.end_call();
}

void Guided::forget_peers() {
  peer_link_.forked();
  static_cast<devices::SimDevice&>(*ProcessWorld::get().world().device)
      .processes()
      .sharing()
      .forked();
}

void Guided::take_turn(Label function) {
  ProcessWorld& process = ProcessWorld::get();
  process.lock();
  const Activation asking =
      askers_.turn_of_process(ProcessWorld::calling_thread(), function, Baton::mine());
  const bool is_slow = process.ask(asking, Site::schedule, 2) != 0;
  flush();
  process.unlock();
  if (const std::string why = peer_link_.take_turn(is_slow); !why.empty()) doubt(why);
}

void Guided::letting_go(World& world) {
  NativeThreads::returns();
  if (peer_link_.is_sharing())
    static_cast<devices::SimDevice&>(*world.device).processes().sharing().tell();
  if (called_.letting_go(world)) report(world);
  host_watch_.protect(world);
  const auto& queues = static_cast<devices::SimDevice&>(*world.device).queues();
  idle_device_.left(queues.lags());
  if (peer_link_.is_sharing()) peer_link_.tell_lag(queues.lags());
  has_queued_functions_ = queues.lags() && queues.waits_for_program();
}

void Guided::note_place(std::uintptr_t code) {
  if (!orders_.locates) return;
  next_place = Python::calling_place();
  if (next_place.empty()) next_place = native_place(code);
}

void Guided::coming_to_access(std::uintptr_t code) { note_place(code); }

Activation Guided::access(Label how) {
  const Activation access = askers_.call(ProcessWorld::calling_thread(), how, Baton::mine());
  if (orders_.locates) parties_.note(access.name, std::move(next_place));
  try_wait(access.name);
  return access;
}

void Guided::set_up(World& world) {
  world.calls_may_fail = orders_.fails;
  let_driver_be_late(world, orders_.pedantic);
  memory_ends_.begin(world);
  is_set_up_ = true;
}

Activation Guided::begin_call(std::size_t thread, Label function) {
  claim_process();
  if (!is_set_up_) set_up(ProcessWorld::get().world());
  ++report_.call_count;
  report_.has_work = report_.has_work || is_work(function.view());
  if (orders_.fails && !failure_of(function.view()).empty()) ++report_.failable_count;
  mark_.begin_call(called(function));
  host_watch_.begin_call();
  idle_device_.begin_call();
  if (!ProcessWorld::has_turn() && free_threads_.call(thread, Baton::mine() != nullptr) &&
      !parties_.is_first_of_python(free_threads_.first()))
    free_threads_.add_first();
  const Activation call = askers_.call(thread, function, Baton::mine());
  if (peer_link_.is_sharing())
    static_cast<devices::SimDevice&>(*ProcessWorld::get().world().device)
        .processes()
        .sharing()
        .hear();
  if (const Name cause = ProcessWorld::cause(); orders_.locates && cause != 0) {
    askers_.index();
    parties_.add_cause(next_place, cause);
  }
  if (orders_.locates) parties_.note(call.name, std::move(next_place));
  this_call = call.name;
  memory_ends_.begin_call(ProcessWorld::get().world(), call);
  try_wait(call.name);
  return call;
}

void Guided::try_wait(Name call) const {
  if (parties_.is_tried(orders_.trial, client::Trial::Kind::wait, call))
    wait_for_stream(ProcessWorld::get().world(), orders_.trial.stream);
}

bool Guided::leaves_out() const {
  return parties_.is_tried(orders_.trial, client::Trial::Kind::leave_out, this_call);
}

/// Looks up the place without the driver: a thread with the interpreter's lock may wait for it.
void Guided::failed(Label function, CUresult error, bool is_injected) {
  if (!is_injected && is_expected(function.view(), error)) return;
  client::Place place = Python::calling_place();
  if (place.empty()) place = native_place();
  ProcessWorld& process = ProcessWorld::get();
  process.lock();
  const World& world = process.world();
  const std::string name = name_of(world, error);
  parties_.failed(this_call, name);
  take_error({std::string(called(function)), name, is_injected, std::move(place), "",
              world.picker.tape().size(), this_call},
             living_at(world, failed_call_argument));
  process.unlock();
}

/// Writes the report at once, because the program may crash after the error.
void Guided::take_error(client::ToldError error, BirthId object) {
  if (!is_new(report_.errors, error)) return;
  askers_.index();
  error.thread = parties_.thread_of(this_call);
  if (const Life& life = ProcessWorld::get().world().ledger.life(object); object != BirthId::none) {
    error.object = life.kind.view();
    error.birth = parties_.birth_of(life);
  }
  report_.errors.push_back(std::move(error));
  failed_objects_.push_back(object);
  report(ProcessWorld::get().world());
}

// ---- Python -----------------------------------------------------------------------------------

void Guided::watch_python() {
  static const bool is_watched = [this] {
    const Python* python = Python::find();
    report_.has_python = python != nullptr;
    report_.refusal = Python::why_refused();
    if (!report_.refusal.empty()) return true;
    if (python == nullptr)
      report_.note = Python::why_not_asked();
    else if (!python->watch(*this))
      report_.note = "another tool traces the lines of the program: the collector makes no choices";
    else
      report_.note = xla_note();
    return true;
  }();
  (void)is_watched;
}

Python::Collects Guided::line(const Python::Line& line, Python::Since since) {
  ProcessWorld& process = ProcessWorld::get();
  process.lock();
  claim_process();
  const Activation asking = askers_.line(line, Baton::mine());
  if (has_several_threads()) {
    process.unlock();
    python_threads_.line(line, since.has_looked, orders_.forces);
    process.lock();
  }
  const bool collects = process.ask(asking, Site::collect, 2) != 0;
  const Activation forcing{client::force_name(asking.name), {}, {}};
  const bool is_forced =
      orders_.forces && !since.has_just_looked && ask_forced(forcing, Site::collect, 2) != 0;
  flush();
  process.unlock();
  if (is_forced) return Python::Collects::at_once;
  return collects ? Python::Collects::when_it_looks : Python::Collects::never;
}

void Guided::flush() {
  const World& world = ProcessWorld::get().world();
  if (!orders_.flushes || world.picker.tape().size() == flushed_count_) return;
  flushed_count_ = world.picker.tape().size();
  report(world);
}

/// Writes the report at the first forced choice, because the program may crash after it.
std::uint32_t Guided::ask_forced(const Activation& asking, Site site, std::uint32_t option_count,
                                 const Options* options) {
  ProcessWorld& process = ProcessWorld::get();
  const std::uint32_t chosen = process.ask(asking, site, option_count, options);
  if (chosen != 0 && !has_forced_) {
    has_forced_ = true;
    report(process.world());
  }
  return chosen;
}

/// Nothing is forced before the first choice of an unforced run, so that runs with and without
/// force are forked at the same point.
void Guided::force_collection(const Python& interpreter, Label function) {
  client::Place place = orders_.locates ? interpreter.place() : client::Place{};
  ProcessWorld& process = ProcessWorld::get();
  process.lock();
  claim_process();
  bool is_forced = false;
  if (process.world().picker.question_count() != 0) {
    const std::size_t thread = ProcessWorld::calling_thread();
    const Activation forcing = askers_.before_call(thread, function, Baton::mine());
    is_forced = ask_forced(forcing, Site::collect, 2) != 0;
    flush();
    if (is_forced) parties_.note(client::unforced_name(forcing.name), std::move(place));
  }
  process.unlock();
  if (is_forced) interpreter.collect();
}

/// All runs are the same up to this point. Forks here, because the process still has one thread.
Name Guided::name_first_thread() {
  watch_python();
  ProcessWorld& process = ProcessWorld::get();
  process.lock();
  claim_process();
  if (first_question_ != nullptr) first_question_->begin_run();
  const Name name = askers_.thread(ProcessWorld::calling_thread());
  process.unlock();
  return name;
}

// ---- the end ------------------------------------------------------------------------------------

void Guided::end_of_process() {
  ProcessWorld& process = ProcessWorld::get();
  process.lock();
  guided->report_.is_whole = true;
  guided->report(process.world());
  guided->native_threads_.tell_schedule();
  process.unlock();
  guided->peer_link_.end();
  note_end_of_run();
}

}  // namespace harness::entries
