// SPDX-License-Identifier: Apache-2.0
// How it works. The process only waits here. The child of a run is a separate process group; its
// exit code is reported when it ends. A first fork, whose child ends at once, makes libraries stop
// the threads that they stop before a fork (OpenBLAS does, by pthread_atfork). During a run, the
// child of the next run is already forked. On another processor, it copies the shared pages that
// earlier runs wrote to, and then waits for its orders.
#include "harness/client/inside/libcuda/fork_point.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/client/border/server_socket.h"
#include "harness/client/inside/libcuda/ipc/descent.h"
#include "harness/client/inside/libcuda/own_memory.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {
namespace {

using client::Carried;
using client::Packet;
using client::ServerSocket;

/// Memory of the forking process; the same in its forks.
OwnMemory own_memory;

std::vector<int> open_files() {
  std::vector<int> numbers;
  DIR* folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return numbers;
  while (const dirent* entry = ::readdir(folder))
    if (const int number = std::atoi(entry->d_name);
        entry->d_name[0] != '.' && number != ::dirfd(folder))
      numbers.push_back(number);
  ::closedir(folder);
  return numbers;
}

/// Returns whether our parent has the same file open: then we share the file offset with it.
bool is_inherited(int number, const struct stat& status) {
  struct stat parents{};
  const std::string file = fmt::format("/proc/{}/fd/{}", ::getppid(), number);
  return ::stat(file.c_str(), &parents) == 0 && parents.st_dev == status.st_dev &&
         parents.st_ino == status.st_ino;
}

/// The offsets of files that the process reads. They are restored, because a child that reads moves
/// them.
class Places {
 public:
  Places() {
    struct stat status{};
    for (const int number : open_files())
      if (::fstat(number, &status) == 0 && S_ISREG(status.st_mode) && !is_inherited(number, status))
        places_[number] = ::lseek(number, 0, SEEK_CUR);
  }
  void put_back() const {
    for (const auto& [number, place] : places_) ::lseek(number, place, SEEK_SET);
  }

 private:
  std::map<int, off_t> places_;
};

/// Disables timers and the handler for ended children while the process waits.
class Halted {
 public:
  Halted() {
    const itimerval none{};
    for (std::size_t i = 0; i < kTimers.size(); ++i) ::setitimer(kTimers[i], &none, &timers_[i]);
    struct sigaction plain{};
    plain.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &plain, &on_child_);
  }
  void go_on() const {
    ::sigaction(SIGCHLD, &on_child_, nullptr);
    for (std::size_t i = 0; i < kTimers.size(); ++i) ::setitimer(kTimers[i], &timers_[i], nullptr);
  }

 private:
  static constexpr std::array<__itimer_which, 3> kTimers{ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
  std::array<itimerval, 3> timers_{};
  struct sigaction on_child_{};
};

bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/// Waits for the child to end, without reaping it. Returns its exit code, or minus the signal.
int code_of(pid_t child) {
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0)
    if (errno != EINTR) return -SIGKILL;
  return info.si_code == CLD_EXITED ? info.si_status : -info.si_status;
}

void reap(pid_t child) {
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

pid_t fork_as_one() {
  const SameDescent same;
  return ProcessWorld::fork_as_one();
}

void stop_threads() {
  const pid_t child = fork_as_one();
  if (child == 0) ::_exit(0);
  if (child > 0) reap(child);
}

/// Replaces the process's pipes by those of the run, under all their file numbers.
void replace_pipes(const Packet& wanted, const Carried& pipes) {
  struct stat status{};
  for (const int number : open_files()) {
    if (::fstat(number, &status) != 0 || !S_ISFIFO(status.st_mode)) continue;
    const int flags = (::fcntl(number, F_GETFD) & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0;
    for (std::size_t i = 0; i < pipes.size(); ++i)
      if (status.st_ino == wanted.pipes[i]) ::dup3(pipes[i], number, flags);
  }
}

void close_all(const Carried& pipes) {
  for (const int number : pipes) ::close(number);
}

void begin_child(pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
}

/// Waits, in a child, until its run is requested, and takes the pipes of that run.
void wait_for_run(const ServerSocket& line) {
  Carried pipes{-1, -1};
  const std::optional<Packet> wanted = line.receive(&pipes);
  if (!wanted) ::_exit(127);
  replace_pipes(*wanted, pipes);
  close_all(pipes);
}

/// A child that was forked in advance, before its run was requested.
struct Ahead {
  pid_t child = -1;
  std::optional<ServerSocket> line;  ///< Sends it the request.
};

/// Returns in the parent at once, and in the child when its run is requested: `child` is 0 there.
Ahead fork_ahead(pid_t parent) {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) ::_exit(127);
  ServerSocket ours(ends[0]);
  const ServerSocket childs(ends[1]);
  const pid_t child = fork_as_one();
  if (child < 0) ::_exit(127);
  if (child != 0) return {child, std::move(ours)};
  {
    const ServerSocket unused(std::move(ours));
  }
  begin_child(parent);
  own_memory.copy();
  wait_for_run(childs);
  return {0, std::nullopt};
}

/// Waits for the child to end, reports it, and ends the processes that it left.
void follow(const ServerSocket& socket, pid_t child) {
  const bool is_heard = socket.send({Packet::Kind::ended, code_of(child), {}}) && socket.receive();
  ::kill(-child, SIGKILL);
  reap(child);
  if (!is_heard) ::_exit(127);
}

/// Waits for the request of a run. Returns the run's pipes.
std::pair<Packet, Carried> next_run(const ServerSocket& socket) {
  Carried pipes{-1, -1};
  const std::optional<Packet> wanted = socket.receive(&pipes);
  if (!wanted || wanted->kind != Packet::Kind::begin) ::_exit(127);
  return {*wanted, pipes};
}

/// Makes the child begin its run, with these pipes.
void begin_run(const ServerSocket& socket, const Ahead& ahead, const Packet& wanted,
               Carried& pipes) {
  ::setpgid(ahead.child, ahead.child);
  const bool is_begun = ahead.line->send(wanted, &pipes);
  close_all(std::exchange(pipes, {-1, -1}));
  if (!socket.send({Packet::Kind::begun, is_begun ? ahead.child : -1, {}})) ::_exit(127);
}

}  // namespace

void note_end_of_run() { own_memory.note_written(); }

void fork_runs(const std::string& folder, bool is_first) {
  const std::optional<ServerSocket> socket = ServerSocket::connect(folder);
  if (!socket) ::_exit(127);
  const bool is_alone = is_first && !has_children();
  const Halted halted;
  const Places places;
  const pid_t parent = ::getpid();
  stop_threads();
  socket->send({is_alone ? Packet::Kind::ready : Packet::Kind::not_alone, socket->number(), {}});
  // No child is forked before the first request, because the process is inspected from outside
  // until then.
  auto [wanted, pipes] = next_run(*socket);
  own_memory = OwnMemory::find();
  for (Ahead ahead = fork_ahead(parent); ahead.child != 0;) {
    places.put_back();
    begin_run(*socket, ahead, wanted, pipes);
    const pid_t running = ahead.child;
    ahead = fork_ahead(parent);
    if (ahead.child == 0) break;
    follow(*socket, running);
    std::tie(wanted, pipes) = next_run(*socket);
  }
  close_all(pipes);
  halted.go_on();
}

}  // namespace harness::entries
