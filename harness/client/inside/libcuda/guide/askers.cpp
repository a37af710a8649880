// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/guide/askers.h"

#include <fmt/format.h>

#include <array>
#include <tuple>

#include "harness/client/border/forced.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {
namespace {

/// Returns whether names depend on this thread: the first one has the names of a single-threaded
/// program.
bool is_named(const BatonThread* python) { return python != nullptr && !python->is_first; }

/// Returns an ordinal number: "3rd".
std::string ordinal(std::uint32_t number) {
  constexpr std::array kEnds{"th", "st", "nd", "rd"};
  const bool is_teen = number / 10 % 10 == 1;
  const std::uint32_t last = is_teen ? 0 : number % 10;
  return fmt::format("{}{}", number, kEnds[last < kEnds.size() ? last : 0]);
}

}  // namespace

Name Askers::thread(std::size_t number) const {
  return derive_name(process_, hash_name("thread"), static_cast<std::uint32_t>(number));
}

Name Askers::caller(std::size_t number, const BatonThread* python) const {
  return is_named(python) ? python->name : thread(number);
}

Askers::Line Askers::line_of(const BatonThread* python, Name line) const {
  return {is_named(python) ? python->name : process_, line};
}

Name Askers::name_of_line(const Line& line, std::uint64_t kind, std::uint32_t nth) {
  return derive_name(derive_name(line.first, line.second, 0), kind, nth);
}

std::pair<Name, std::uint32_t> Askers::name_before(Name caller, Label function) const {
  const auto counted = call_counts_.find({caller, function.hash()});
  const std::uint32_t nth = counted != call_counts_.end() ? counted->second + 1 : 1;
  return {derive_name(derive_name(caller, function.hash(), nth), hash_name("before"), 1), nth};
}

Activation Askers::call(std::size_t number, Label function, const BatonThread* python) {
  const Name from = caller(number, python);
  const std::uint32_t nth = ++call_counts_[{from, function.hash()}];
  const Name name = derive_name(from, function.hash(), nth);
  new_askers_.emplace_back(name, Asker{Asker::Kind::call, function.view(), number, nth, nullptr, 0,
                                       python, ++call_count_, ProcessWorld::outer_call().function});
  return {name, {}, {}};
}

Activation Askers::line(const Python::Line& line, const BatonThread* python) {
  const Line here = line_of(python, line.name);
  const std::uint32_t nth = ++line_counts_[here];
  const Name name = name_of_line(here, hash_name("line"), nth);
  new_askers_.emplace_back(name,
                           Asker{Asker::Kind::line, {}, 0, nth, &line.file, line.number, python});
  return {name, {}, {}};
}

Asker Askers::native_asker(const BatonThread& thread, Baton::At at) {
  using enum Asker::Kind;
  return {.kind = at == Baton::At::end    ? end
                  : at != Baton::At::sync ? wait
                                          : before_call,
          .function = thread.coming.view(),
          .nth = thread.coming_nth,
          .python = &thread};
}

/// Returns the activation of a C library function, which is named like a driver call.
Activation Askers::native_turn(const BatonThread& thread, Baton::At at) {
  const Name function = derive_name(thread.name, thread.coming.hash(), thread.coming_nth);
  const bool waits = at != Baton::At::sync;
  const Name name = derive_name(function, hash_name(waits ? "wait" : "turn"), ++thread.asked_count);
  new_askers_.emplace_back(name, native_asker(thread, at));
  return {name, {}, {}};
}

Activation Askers::turn(const BatonThread& python, Baton::At at, Label next_function) {
  if (python.is_native && at != Baton::At::call) return native_turn(python, at);
  Asker asker{Asker::Kind::line, {}, 0, 1, python.file, python.line, &python};
  const Line here = line_of(&python, python.line_name);
  Name name = 0;
  if (at == Baton::At::call || at == Baton::At::locked_call) {
    const auto [before, nth] = name_before(python.name, next_function);
    asker.kind = Asker::Kind::before_call;
    asker.function = next_function.view();
    asker.nth = nth;
    name = before;
  } else if (at == Baton::At::line || at == Baton::At::unseen_line) {
    asker.nth = line_counts_[here];
    name = name_of_line(here, hash_name("line"), asker.nth);
  } else {
    asker.kind = at == Baton::At::wait ? Asker::Kind::wait : Asker::Kind::end;
    asker.nth = ++wait_counts_[here];
    name = name_of_line(here, hash_name("wait"), asker.nth);
  }
  new_askers_.emplace_back(name, asker);
  const bool is_forced = at == Baton::At::unseen_line || at == Baton::At::locked_call;
  return {is_forced ? client::force_name(name) : name, {}, {}};
}

/// The places of a line and before a call are reached once; a function of the C library, or a line
/// that waits, may make the choice several times.
Activation Askers::time_limit(const BatonThread& thread, Baton::At at, Label next_function) {
  Asker asker{Asker::Kind::line, {}, 0, 1, thread.file, thread.line, &thread};
  const Line here = line_of(&thread, thread.line_name);
  Name place = 0;
  if (at == Baton::At::call) {
    std::tie(place, asker.nth) = name_before(thread.name, next_function);
    asker.kind = Asker::Kind::before_call;
    asker.function = next_function.view();
  } else if (thread.is_native) {
    asker = native_asker(thread, at);
    place = derive_name(thread.name, thread.coming.hash(), thread.coming_nth);
  } else if (at == Baton::At::line) {
    asker.nth = line_counts_[here];
    place = name_of_line(here, hash_name("line"), asker.nth);
  } else {
    asker.kind = at == Baton::At::end ? Asker::Kind::end : Asker::Kind::wait;
    place = name_of_line(here, hash_name("wait"), 0);
  }
  const bool is_once = at == Baton::At::call || at == Baton::At::line;
  const std::uint32_t nth = is_once ? 1 : ++limit_counts_[place];
  if (!is_once && !thread.is_native) asker.nth = nth;
  const Name name = derive_name(place, hash_name("time limit"), nth);
  new_askers_.emplace_back(name, asker);
  return {name, {}, {}};
}

Activation Askers::before_call(std::size_t number, Label function, const BatonThread* python) {
  const auto [name, nth] = name_before(caller(number, python), function);
  new_askers_.emplace_back(
      name, Asker{Asker::Kind::before_call, function.view(), number, nth, nullptr, 0, python});
  return {client::force_name(name), {}, {}};
}

Activation Askers::turn_of_process(std::size_t number, Label function, const BatonThread* python) {
  const auto [before, nth] = name_before(caller(number, python), function);
  const Name name = derive_name(before, hash_name("turn of the process"), 1);
  new_askers_.emplace_back(
      name, Asker{Asker::Kind::process_turn, function.view(), number, nth, nullptr, 0, python});
  return {name, {}, {}};
}

void Askers::index() {
  askers_.insert(new_askers_.begin(), new_askers_.end());
  parents_.insert(new_parents_.begin(), new_parents_.end());
  new_askers_.clear();
  new_parents_.clear();
}

Name Askers::origin_of(Name activation) const {
  activation = client::unforced_name(activation);
  while (!askers_.contains(activation)) {
    const auto parent = parents_.find(activation);
    if (parent == parents_.end()) break;
    activation = parent->second;
  }
  return activation;
}

const Asker* Askers::find(Name activation) const {
  const auto asker = askers_.find(origin_of(activation));
  return asker != askers_.end() ? &asker->second : nullptr;
}

std::string words_of(const Asker& asker) {
  const std::string shown = asker.python != nullptr ? asker.python->shown : "";
  const std::string nth = asker.nth == 1 ? "" : fmt::format(", the {} time", ordinal(asker.nth));
  const std::string caller = shown.empty() ? fmt::format("thread {}", asker.thread) : shown;
  const std::string call = fmt::format("{} {} of {}", asker.called(), asker.nth, caller);
  const std::string place =
      asker.file != nullptr ? fmt::format("{}:{}", *asker.file, asker.line) : "";
  switch (asker.kind) {
    case Asker::Kind::call:
      return call;
    case Asker::Kind::before_call:
    case Asker::Kind::process_turn:
      return "before " + call;
    case Asker::Kind::line:
      return place + nth + (shown.empty() ? "" : " of " + shown);
    case Asker::Kind::wait:
      if (!asker.function.empty()) return fmt::format("{}, where it waits", call);
      return fmt::format("{}{}, where {} waits", place.empty() ? "its start" : place, nth, shown);
    case Asker::Kind::end:
      break;
  }
  return fmt::format("the end of {}", shown);
}

}  // namespace harness::entries
