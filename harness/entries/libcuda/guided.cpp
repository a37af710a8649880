// How it works. The activation of a call is named by its thread, its function, and how many times
// that thread has called it: a decision stays where it is when the program is edited elsewhere.
#include "harness/entries/libcuda/guided.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "harness/cuda/process.h"
#include "harness/entries/libcuda/call_failures.h"
#include "harness/entries/libcuda/drawn.h"
#include "harness/entries/libcuda/fork_point.h"
#include "harness/entries/libcuda/native_place.h"
#include "harness/entries/libcuda/pedantic.h"
#include "harness/entries/libcuda/python.h"
#include "harness/fault/kinds.h"
#include "harness/files/whole_file.h"
#include "harness/pick/replay.h"

namespace harness::entries {
namespace {

constexpr std::size_t kFaultLimit = 64;

Guided* guided = nullptr;

/// The place of the call that this thread is about to make.
thread_local client::Place next_place;

std::unique_ptr<Strategy> strategy_of(const client::Orders& orders) {
  if (orders.draws) return std::make_unique<Drawn>(orders.seed, orders.failable_count);
  return std::make_unique<Replay>(orders.tape);
}

const Life* find_life(const World& world, Name name) {
  for (std::size_t i = world.ledger.lives().size(); i-- > 1;)
    if (world.ledger.lives()[i].name == name) return &world.ledger.lives()[i];
  return nullptr;
}

/// Says how a call fails, where there is one way.
std::string failure_words(std::string_view function) {
  const std::string_view error = failure_of(function);
  return error.empty() ? "fails" : fmt::format("fails, {}", error);
}

std::string answer_of(const Decision& decision, std::string_view function) {
  const int site = site_of_tag(decision.site_tag);
  if (site < 0) return fmt::format("{}", decision.value);
  switch (static_cast<Site>(site)) {
    case Site::collect:
      return "the collector runs";
    case Site::lag:
      return "the device lags behind";
    case Site::reuse:
      return "freed storage is given out again";
    case Site::schedule:
      return "another stream goes on";
    case Site::failure:
      return failure_words(function);
    default:
      return fmt::format("{} {}", kSites[static_cast<std::size_t>(site)].name, decision.value);
  }
}

}  // namespace

std::unique_ptr<Guide> Guided::make() {
  const std::optional<std::string> folder = client::ordered_folder();
  if (!folder) return nullptr;
  try {
    return std::make_unique<Guided>(*folder, client::read_orders(*folder));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "afterlife: %s: it is left out\n", error.what());
    return nullptr;
  }
}

/// Answers as the orders of a run say, which are known once the first question is asked: until then
/// all runs are one.
class Guided::FirstQuestion final : public Strategy {
 public:
  explicit FirstQuestion(Guided& asked) : asked_(asked) {}

  std::uint32_t answer(const Question& question) override {
    if (run_ == nullptr) run_ = asked_.begin_run();
    return run_->answer(question);
  }

 private:
  Guided& asked_;
  std::unique_ptr<Strategy> run_;
};

Guided::Guided(std::string folder, client::Orders orders)
    : folder_(std::move(folder)), orders_(std::move(orders)) {
  if (orders_.serves)
    strategy_ = std::make_unique<FirstQuestion>(*this);
  else
    strategy_ = strategy_of(orders_);
  guided = this;
  claim_process();
  std::atexit(end_of_process);
}

void Guided::claim_process() {
  if (is_claimed_) return;
  is_claimed_ = true;
  report_.faults.clear();  // Those of a parent are in the parent's report.
  report_.call_count = 0;
  take_number();
  root_ = derive_name(0, hash_name("process"), report_.process);
}

void Guided::take_number() {
  constexpr unsigned kProcessLimit = 10'000;
  for (unsigned number = 1; number < kProcessLimit; ++number) {
    const std::string file = client::report_file(folder_, number);
    const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (opened < 0) continue;
    ::close(opened);
    report_.process = number;
    break;
  }
  // A process that serves would share it with the runs that it forks.
  if (!orders_.serves) mark_.open(folder_, report_.process, report_.call_count);
}

std::unique_ptr<Strategy> Guided::begin_run() {
  fork_runs(folder_, report_.process == 1);
  orders_ = client::read_orders(folder_);
  take_number();
  if (!report_.faults.empty()) report(ProcessWorld::get().world());
  std::unique_ptr<Strategy> strategy = strategy_of(orders_);
  strategy->begin();
  return strategy;
}

// ---- calls ------------------------------------------------------------------------------------

void Guided::coming() {
  static const bool watched = [this] {
    watch_python();
    return true;
  }();
  (void)watched;
  if (!orders_.locates) return;
  const Python* python = Python::find();
  next_place = python != nullptr ? python->place() : client::Place{};
  if (next_place.empty()) next_place = native_place();
}

void Guided::set_up(World& world) {
  world.calls_may_fail = orders_.fails;
  let_driver_be_late(world, orders_.pedantic);
  is_set_up_ = true;
}

Activation Guided::begin_call(std::size_t thread, Label function) {
  claim_process();
  if (!is_set_up_) set_up(ProcessWorld::get().world());
  ++report_.call_count;
  if (orders_.fails && !failure_of(function.view()).empty()) ++report_.failable_count;
  mark_.begin_call(function.view());
  const std::uint32_t nth = ++call_counts_[{thread, function.hash()}];
  const Name caller = derive_name(root_, hash_name("thread"), static_cast<std::uint32_t>(thread));
  const Name name = derive_name(caller, function.hash(), nth);
  new_askers_.emplace_back(name, Asker{function.view(), thread, nth, nullptr, 0});
  if (orders_.locates) places_[name] = std::move(next_place);
  return {name, {}, {}};
}

// ---- Python -----------------------------------------------------------------------------------

void Guided::watch_python() {
  const Python* python = Python::find();
  report_.has_python = python != nullptr;
  if (python == nullptr) return;
  if (!python->ask_when_to_collect(asks_to_collect))
    report_.note = "somebody else watches the lines of the program: the collector is left alone";
}

bool Guided::asks_to_collect(const char* file, int line) {
  return guided->decide_to_collect(file, line);
}

bool Guided::decide_to_collect(const char* file, int line) {
  ProcessWorld& process = ProcessWorld::get();
  process.lock();
  claim_process();
  auto [counted, is_new] = line_counts_.try_emplace({file, line}, 0);
  const std::uint32_t nth = ++counted->second;
  const Name place =
      derive_name(root_, hash_name(file), static_cast<std::uint32_t>(counted->first.second));
  const Activation asking{derive_name(place, hash_name("line"), nth), {}, {}};
  new_askers_.emplace_back(asking.name, Asker{{}, 1, nth, &counted->first.first, line});
  const bool collects = process.ask(asking, Site::collect, 2) != 0;
  process.unlock();
  return collects;
}

// ---- reporting --------------------------------------------------------------------------------

std::string Guided::words_of(const Asker& asker) const {
  const std::string nth = asker.nth == 1 ? "" : fmt::format(", time {}", asker.nth);
  if (asker.function.empty()) return fmt::format("{}:{}{}", *asker.file, asker.line, nth);
  return fmt::format("{} {} of thread {}", asker.function, asker.nth, asker.thread);
}

client::ToldDecision Guided::told(const Decision& decision) const {
  const auto asker = askers_.find(origin_of(decision.activation));
  if (asker == askers_.end()) return {decision, "the driver", answer_of(decision, {}), {}};
  return {decision, words_of(asker->second), answer_of(decision, asker->second.function),
          place_of(decision.activation)};
}

Name Guided::origin_of(Name activation) const {
  while (!askers_.contains(activation)) {
    const auto parent = parents_.find(activation);
    if (parent == parents_.end()) break;
    activation = parent->second;
  }
  return activation;
}

const client::Place& Guided::place_of(Name activation) const {
  static const client::Place kNowhere;
  const auto place = places_.find(origin_of(activation));
  return place != places_.end() ? place->second : kNowhere;
}

void Guided::find_places(const World& world, const Fault& fault, client::ToldFault& told) const {
  told.use = place_of(fault.activation);
  if (orders_.locates && fault.code != 0) add_kernel_frame(told.use, fault.code, told.use_site);
  told.capture = place_of(fault.captured);
  if (const auto taken = askers_.find(origin_of(fault.captured)); taken != askers_.end())
    told.capture_site = taken->second.function;
  const Life* life = find_life(world, fault.object);
  if (life == nullptr) return;
  told.birth = place_of(life->birth_activation);
  if (!life->alive) told.death = place_of(life->death_activation);
}

void Guided::passed(const World& world) {
  for (const ActivationRecord& record : world.history.activations())
    new_parents_.emplace_back(record.name, record.parent);
  if (world.injected_failures == told_failures_) return;
  told_failures_ = world.injected_failures;
  report(world);  // The program may well give up now, in any way.
}

void Guided::index() {
  askers_.insert(new_askers_.begin(), new_askers_.end());
  parents_.insert(new_parents_.begin(), new_parents_.end());
  new_askers_.clear();
  new_parents_.clear();
}

void Guided::found(const World& world, const Fault& fault) {
  const std::string signature = fault.signature();
  for (const client::ToldFault& known : report_.faults)
    if (known.signature == signature) return;
  if (report_.faults.size() == kFaultLimit) return;
  index();
  client::ToldFault& told = report_.faults.emplace_back();
  told.signature = signature;
  told.kind = to_label(fault.kind).view();
  told.object = fault.object_kind.view();
  told.birth_site = fault.birth_site.view();
  told.death_site = fault.death_site.view();
  told.use_site = fault.use_site.view();
  told.detail = fault.detail;
  told.pedantic = pedantic_reason(fault);
  told.decision_count = world.picker.tape().size();
  find_places(world, fault, told);
  report(world);
}

/// Writes the report; what cannot be written is told on stderr.
void Guided::report(const World& world) {
  claim_process();
  report_.decisions.clear();
  if (!world.picker.tape().empty()) index();
  for (const Decision& decision : world.picker.tape()) report_.decisions.push_back(told(decision));
  try {
    write_whole_file(client::report_file(folder_, report_.process), to_text(report_),
                     OnDisk::later);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "afterlife: %s\n", error.what());
  }
}

void Guided::end_of_process() {
  ProcessWorld& process = ProcessWorld::get();
  process.lock();
  guided->report_.is_whole = true;
  guided->report(process.world());
  process.unlock();
}

}  // namespace harness::entries
