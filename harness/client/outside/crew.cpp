// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/crew.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace harness::client {

Crew::Crew(const Client& client, const std::atomic<bool>& stop, unsigned size)
    : client_(client), stop_(stop) {
  for (unsigned i = 0; i < std::max(size, 1U); ++i) threads_.emplace_back([this] { work(); });
}

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  is_asked_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::future<ClientRun> Crew::begin(const Orders& orders) { return add(orders, false); }

ClientRun Crew::run(const Orders& orders) { return add(orders, true).get(); }

std::future<ClientRun> Crew::add(const Orders& orders, bool is_next) {
  Task task{orders, {}};
  std::future<ClientRun> run = task.run.get_future();
  {
    const std::lock_guard lock(mutex_);
    tasks_.insert(is_next ? tasks_.begin() : tasks_.end(), std::move(task));
  }
  is_asked_.notify_one();
  return run;
}

// ---- forking ------------------------------------------------------------------------------------

void Crew::begin_forking(const Orders& base) {
  const std::lock_guard lock(mutex_);
  base_ = base;
}

void Crew::end_forking(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (base_) refusal_ = why;
  base_.reset();
}

bool Crew::is_forking() const { return base().has_value(); }

std::string Crew::refusal() const {
  const std::lock_guard lock(mutex_);
  return refusal_;
}

std::optional<Orders> Crew::base() const {
  const std::lock_guard lock(mutex_);
  return base_;
}

// ---- its threads --------------------------------------------------------------------------------

void Crew::work() {
  std::optional<ForkServer> server;
  while (std::optional<Task> task = next_task()) {
    try {
      task->run.set_value(run_by(server, task->orders));
    } catch (...) {
      task->run.set_exception(std::current_exception());
    }
  }
}

std::optional<Crew::Task> Crew::next_task() {
  std::unique_lock lock(mutex_);
  is_asked_.wait(lock, [this] { return is_over_ || !tasks_.empty(); });
  if (is_over_) return std::nullopt;
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

ClientRun Crew::run_by(std::optional<ForkServer>& server, const Orders& orders) {
  std::optional<ClientRun> run;
  if (!orders.locates) run = run_forked(server, orders);
  return run ? std::move(*run) : run_client(client_, orders, stop_);
}

std::optional<ClientRun> Crew::run_forked(std::optional<ForkServer>& server, const Orders& orders) {
  const std::optional<Orders> from = base();
  if (!from) {
    server.reset();
    return std::nullopt;
  }
  if (!server) server.emplace(client_, stop_, *from);
  std::optional<ClientRun> run;
  if (server->refusal().empty()) run = server->run(orders);
  if (!run && !stop_.load()) end_forking(server->refusal());
  return run;
}

}  // namespace harness::client
