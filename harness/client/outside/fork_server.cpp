// SPDX-License-Identifier: Apache-2.0
// How it works. The environment of the process names one folder. Each run reads its orders there,
// and writes its reports there. State that a fork would lose is searched for from outside, in
// /proc.
#include "harness/client/outside/fork_server.h"

#include <fmt/format.h>
#include <signal.h>

#include <utility>

#include "harness/client/border/hang_watch.h"
#include "harness/client/outside/carried.h"
#include "harness/client/outside/shim.h"

namespace harness::client {
namespace {

/// Writes orders that make a process serve forks. Returns the folder's name.
const std::string& ordered_to_serve(const std::string& folder, Orders orders) {
  orders.serves = true;
  write_orders(folder, orders);
  return folder;
}

}  // namespace

ForkServer::ForkServer(const Client& client, const std::atomic<bool>& stop, const Orders& orders)
    : client_(client),
      stop_(stop),
      door_(ServerSocket::listen(folder_.name())),
      process_(without_shim(client.command, client.environment),
               process_options(client, ordered_to_serve(folder_.name(), orders), orders), stop) {
  broker_.expect_children_of(process_.id());
  wait_for_question();
}

void ForkServer::wait_for_question() {
  Capture& capture = process_.capture();
  bool has_come = false;
  while (!has_come && capture.is_open() && !capture.must_end())
    has_come = capture.read_some(door_.number());
  if (!has_come) {
    refusal_ = capture.must_end() ? "it reached no choice in time" : "it ended without a choice";
    return;
  }
  socket_ = door_.accept();
  const std::optional<Packet> hello = socket_.receive();
  refusal_ = hello ? lacking(*hello) : "it ended at its first choice";
}

std::string ForkServer::lacking(const Packet& hello) {
  if (socket_.peer() != process_.id()) return "a process other than the command calls the driver";
  if (hello.kind == Packet::Kind::not_alone) return "it has started other processes";
  return not_carried(process_.id(), process_.capture().inodes(), hello.value);
}

std::optional<ClientRun> ForkServer::run(const Orders& orders) {
  folder_.remove_reports();
  broker_.begin_run();
  write_orders(folder_.name(), orders);
  std::optional<ProcessEnd> ended = forked(orders);
  if (!ended) {
    refusal_ = "the process that forks the runs has ended";
    return std::nullopt;
  }
  ClientRun run{std::move(*ended), read_reports(folder_.name()), {}, true};
  judge_end(run, client_, orders);
  return run;
}

std::optional<ProcessEnd> ForkServer::forked(const Orders& orders) {
  HangWatch watch;
  Capture capture(process_options(client_, folder_.name(), orders, &watch), stop_);
  capture.begin_with(process_.capture().so_far());
  const Carried ends{capture.out(), capture.err()};
  if (!socket_.send({Packet::Kind::begin, 0, process_.capture().inodes()}, &ends))
    return std::nullopt;
  const std::optional<Packet> begun = socket_.receive();
  if (!begun || begun->value <= 0) return std::nullopt;
  capture.hand_over(begun->value);
  while (capture.is_open() && !capture.must_end()) capture.read_some();
  const std::optional<int> code = wait_for(begun->value, capture);
  if (!code || !socket_.send({Packet::Kind::clear, 0, {}})) return std::nullopt;
  return capture.end(*code);
}

std::optional<int> ForkServer::wait_for(int child, Capture& capture) {
  bool is_over = capture.read_some(socket_.number());
  while (!is_over && !capture.must_end()) is_over = capture.read_some(socket_.number());
  if (is_over)
    capture.ended_by_itself();
  else
    ::kill(-child, SIGKILL);
  const std::optional<Packet> ended = socket_.receive();
  return ended ? std::optional(ended->value) : std::nullopt;
}

}  // namespace harness::client
