// SPDX-License-Identifier: Apache-2.0
// How it works. One thread waits for requests of processes and answers each at once, except
// requests for a turn: while any are pending, it checks periodically which processes run. Before it
// answers, it reads all pending messages of other processes. So a message that a process sent
// before it woke another process is read first.
#include "harness/client/outside/broker/broker.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "harness/client/outside/broker/exports.h"
#include "harness/client/outside/broker/turns.h"

namespace harness::client {

using nlohmann::json;

namespace {

/// A process that has connected.
struct Connected {
  BrokerSocket socket;
  pid_t id = 0;
  std::uint32_t number = 0;  ///< 0 until the process has sent `hello`.
  std::string path;
  json end;  ///< The call that is reported as its end to other processes.
  bool said_bye = false;
  bool lags = false;  ///< Its device advances by itself while the process sleeps.
  int file = -1;      ///< The file that contains its memory; -1 if none.
};

/// Returns a number that is unique to this run.
std::uint64_t number_of_run() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::uint64_t mixed = static_cast<std::uint64_t>(now.tv_sec) << 30 ^
                        static_cast<std::uint64_t>(now.tv_nsec) ^
                        static_cast<std::uint64_t>(::getpid()) << 48;
  mixed *= 0x9e3779b97f4a7c15;
  return mixed | 1;
}

}  // namespace

/// Handles the messages of one run. Threads: confined to the broker's thread.
class Broker::Desk {
 public:
  explicit Desk(const Broker& broker) : broker_(broker) {}
  ~Desk() { clear(); }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  std::vector<pollfd> waited_for() const {
    std::vector<pollfd> files{{broker_.wake_, POLLIN, 0}, {broker_.door_.number(), POLLIN, 0}};
    for (const Connected& one : processes_) files.push_back({one.socket.number(), POLLIN, 0});
    return files;
  }
  bool wants_turns() const { return turns_.are_wanted(); }

  void enter(BrokerSocket socket) {
    if (!socket.is_open()) return;
    Connected& one = processes_.emplace_back();
    one.id = socket.peer();
    one.socket = std::move(socket);
  }

  /// Reads pending messages. Disconnections come first: code that waited for a process to end may
  /// be what sends a request.
  void take(const std::vector<pollfd>& files) {
    std::vector<pollfd> now = files;
    ::poll(now.data(), now.size(), 0);  // Finds disconnections that happened before these requests.
    for (std::size_t i = kFirst; i < now.size(); ++i)
      while ((now[i].revents & (POLLHUP | POLLERR)) != 0 && by_file(now[i].fd) != nullptr)
        read(now[i].fd);
    for (std::size_t i = kFirst; i < files.size(); ++i)
      if ((files[i].revents & POLLIN) != 0) read(files[i].fd);
  }

  void give_turns() {
    if (!turns_.are_wanted()) return;
    std::set<pid_t> known;
    std::set<pid_t> lagging;
    pid_t first = 0;
    for (const Connected& one : processes_) {
      if (one.lags) lagging.insert(one.id);
      known.insert(one.id);
      if (first == 0 && one.number != 0)
        first = Runners::first_of_family(one.id, ::getpid(), broker_.parent_);
    }
    std::vector<pid_t> family = Runners::family_of(first);
    for (const pid_t one : known)
      if (std::ranges::find(family, one) == family.end()) family.push_back(one);
    // A sleeping process may be waiting for our answer to a pending request.
    if (!turns_.may_give(family, known, lagging) || has_questions()) return;
    const Turns::Granted granted = turns_.give();
    for (const Connected& one : processes_)
      if (one.number == granted.process) one.socket.send({{"doubt", granted.doubt}});
  }

  void clear() {
    for (Connected& one : processes_)
      if (one.file >= 0) ::close(one.file);
    for (const auto& [number, file] : ended_) ::close(file);
    processes_.clear();
    ended_.clear();
    exports_.clear();
    turns_.clear();
    run_ = number_of_run();
  }

 private:
  bool has_questions() const {
    std::vector<pollfd> files = waited_for();
    return ::poll(files.data(), files.size(), 0) > 0;
  }

  static constexpr std::size_t kFirst = 2;  ///< Index of the first process in `files`.

  Connected* by_file(int file) {
    const auto found = std::ranges::find(processes_, file,
                                         [](const Connected& one) { return one.socket.number(); });
    return found != processes_.end() ? &*found : nullptr;
  }
  const Connected* by_number(std::uint32_t number) const {
    const auto found = std::ranges::find(processes_, number, &Connected::number);
    return found != processes_.end() ? &*found : nullptr;
  }

  void read(int file) {
    Connected* one = by_file(file);
    if (one == nullptr) return;
    std::optional<Message> message = one->socket.receive();
    if (!message) return end(file);
    try {
      answer(*one, *message);
    } catch (const json::exception&) {  // A message with missing or mistyped fields.
      one->socket.send({{"error", true}});
    }
  }

  void end(int file) {
    Connected* one = by_file(file);
    if (one == nullptr) return;
    if (one->number != 0) {
      exports_.process_ended(one->number, one->end, !one->said_bye);
      turns_.forget(one->number);
    }
    if (one->file >= 0 && exports_.has_outliving(one->number))
      ended_[one->number] = one->file;
    else if (one->file >= 0)
      ::close(one->file);
    std::erase_if(processes_, [one](const Connected& each) { return &each == one; });
  }

  void answer(Connected& one, Message& message) {
    const json& asked = message.body;
    const std::string what = asked.at("do");
    if (what == "turn") {
      turns_.ask({one.number, one.id, one.path, asked.at("slow")});
      return;
    }
    int carried = -1;
    const json told = answer_to(what, one, message, carried);
    one.socket.send(told, carried);
  }

  json answer_to(const std::string& what, Connected& one, Message& message, int& carried) {
    const json& asked = message.body;
    if (what == "exchange") {
      exports_.note(one.number, asked.at("uses"), asked.at("known"));
      return exports_.news_for(one.number);
    }
    if (what == "hello") return hello(one, asked);
    if (what == "lag") {
      one.lags = asked.at("lags");
      return json::object();
    }
    if (what == "bye") {
      one.said_bye = true;
      return json::object();
    }
    if (what == "offer") {
      if (message.file >= 0) take_file(one, message.file);
      exports_.offer({one.number, asked.at("index")}, asked);
      return json::object();
    }
    Exported* exported = exports_.find({asked.at("of").at(0), asked.at("of").at(1)});
    if (exported == nullptr) return {{"there", false}};
    return answer_about(what, *exported, one, asked, carried);
  }

  json answer_about(const std::string& what, Exported& exported, const Connected& one,
                    const json& asked, int& carried) {
    if (what == "open") return open(exported, one, asked, carried);
    if (what == "close") {
      exported.open.erase(one.number);
    } else if (what == "mappings") {
      json found{{"count", exported.open.size()}};
      if (!exported.open.empty()) found["opened"] = exported.open.begin()->second;
      return found;
    } else if (what == "end") {
      exported.end = {{"by", asked.at("by")}, {"lost", false}};
    } else if (what == "record") {
      exported.record_by = one.number;
      exported.is_record_done = asked.at("done");
      exported.record_clock = asked.at("clock");
      return {{"count", ++exported.record_count}};
    } else if (what == "recorded") {
      if (exported.record_count == asked.at("count")) exported.is_record_done = true;
    } else if (what == "last") {
      return {{"there", true},
              {"count", exported.record_count},
              {"process", exported.record_by},
              {"done", exported.is_record_done},
              {"clock", exported.record_clock}};
    }
    return {{"there", true}};
  }

  json hello(Connected& one, const json& asked) {
    one.number = asked.at("number");
    one.path = asked.at("path");
    one.end = asked.at("end");
    return {{"run", run_}};
  }

  void take_file(Connected& one, int file) {
    if (one.file >= 0) return void(::close(file));
    one.file = file;
  }

  json open(Exported& exported, const Connected& one, const json& asked, int& carried) {
    const std::uint32_t owner = asked.at("of").at(0);
    if (!exported.end.is_null() || exported.told.at("kind") != asked.at("kind"))
      return {{"there", false}};
    const Connected* exporter = by_number(owner);
    const auto ended = ended_.find(owner);
    if (exporter != nullptr)
      carried = exporter->file;
    else if (ended != ended_.end())
      carried = ended->second;
    exported.open.try_emplace(one.number, asked.at("by"));
    return {{"there", true}, {"told", exported.told}};
  }

  const Broker& broker_;
  std::deque<Connected> processes_;
  std::map<std::uint32_t, int> ended_;  ///< Files with the memory of ended processes, by number.
  Exports exports_;
  Turns turns_;
  std::uint64_t run_ = number_of_run();
};

Broker::Broker(const std::string& folder)
    : door_(BrokerSocket::listen(folder)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      parent_(::getpid()) {
  if (!door_.is_open() || wake_ < 0) return;
  thread_ = std::thread([this] {
    Desk desk(*this);
    work(desk);
  });
}

Broker::~Broker() {
  is_over_ = true;
  if (wake_ >= 0) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
  }
  if (thread_.joinable()) thread_.join();
  if (wake_ >= 0) ::close(wake_);
}

void Broker::work(Desk& desk) {
  constexpr timespec kLookAgain{0, 200'000};
  while (!is_over_) {
    std::vector<pollfd> files = desk.waited_for();
    ::ppoll(files.data(), files.size(), desk.wants_turns() ? &kLookAgain : nullptr, nullptr);
    if (forgets_.exchange(false)) {
      desk.clear();
      files = desk.waited_for();
      ::poll(files.data(), files.size(), 0);
    }
    desk.take(files);
    if ((files[1].revents & POLLIN) != 0) desk.enter(door_.accept());
    desk.give_turns();
  }
}

}  // namespace harness::client
