// SPDX-License-Identifier: Apache-2.0
// Outside: intercepts the C library's functions by which threads wait for events from outside: the
// end of a child, and data from a pipe, a socket or a device.
//
// How it works. Each function first checks whether it would have to wait. If so, the driver's hooks
// let other threads run, and check again periodically. Then the system's function is called, which
// does not wait any more. In a Python program, waits by other libraries are left to the system,
// because these may not expect to be interrupted without a signal.
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/client/inside/preload/loaded_first.h"
#include "harness/client/inside/preload/turns.h"
#include "harness/client/inside/preload/waiting.h"

namespace {

using harness::entries::ask_to_sleep;
using harness::entries::hooks;
using harness::entries::is_of_python;
using harness::entries::kNotOurs;
using harness::entries::may_turn;
using harness::entries::Moment;
using harness::entries::native_code;
using harness::entries::NativeCode;
using harness::entries::system_function;
using harness::entries::told;
using harness::entries::turns;
using harness::entries::Woken;

constexpr long kSecond = 1'000'000'000;
constexpr long kMillisecond = 1'000'000;
constexpr long kMicrosecond = 1'000;

/// Returns whether the code belongs to Python or to its standard extension modules.
bool is_python(const void* returns_to) {
  const NativeCode code = native_code(returns_to);
  return is_of_python(code) ||
         (code.file != nullptr && strstr(code.file, "/lib-dynload/") != nullptr);
}

/// Returns the time that is this long from now.
Moment after(long seconds, long nanoseconds) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long sum = now.tv_nsec + nanoseconds;
  return {CLOCK_MONOTONIC, {now.tv_sec + seconds + sum / kSecond, sum % kSecond}};
}
Moment after_milliseconds(int count) {
  constexpr int kInSecond = 1000;
  return after(count / kInSecond, count % kInSecond * kMillisecond);
}

/// A call of a C library function, and its return address.
struct Call {
  const char* function;
  const void* returns_to;
};

/// Lets other threads run until `is_there` returns true. Returns `unwatched` if there is no need,
/// or the thread takes no turns.
template <class What>
Woken await(What what, const Call& call, const Moment* limit) {
  const auto is_there = [](void* one) { return static_cast<What*>(one)->is_there(); };
  if (may_turn(call.returns_to)) {
    turns->comes(call.function);
    if (what.is_there()) return Woken::unwatched;
    const int woken = turns->awaits(call.function, is_there, &what, limit);
    if (woken != kNotOurs) return static_cast<Woken>(woken);
  }
  if (hooks == nullptr || what.is_there() || !is_python(call.returns_to)) return Woken::unwatched;
  return hooks->awaits(is_there, &what, limit);
}

int look(pollfd* files, nfds_t count, int milliseconds) {
  static const auto system = system_function<int (*)(pollfd*, nfds_t, int)>("poll");
  return system(files, count, milliseconds);
}

int look(int count, fd_set* reads, fd_set* writes, fd_set* errors, timeval* timeout) {
  static const auto system =
      system_function<int (*)(int, fd_set*, fd_set*, fd_set*, timeval*)>("select");
  return system(count, reads, writes, errors, timeout);
}

int look(idtype_t kind, id_t number, siginfo_t* told, int options) {
  static const auto system = system_function<int (*)(idtype_t, id_t, siginfo_t*, int)>("waitid");
  return system(kind, number, told, options);
}

/// Waits for data to read, or room to write. Errors and an end of file count as ready.
struct Bytes {
  int file;
  short events = POLLIN;
  bool is_there() const {
    pollfd one{file, events, 0};
    return look(&one, 1, 0) != 0;
  }
};

struct Files {
  pollfd* files;
  nfds_t count;
  bool is_there() const { return look(files, count, 0) != 0; }
};

struct Sets {
  int count;
  fd_set* sets[3];  ///< Each may be null.
  bool is_there() const {
    fd_set copies[3];
    fd_set* looked[3] = {};
    for (int i = 0; i < 3; ++i)
      if (sets[i] != nullptr) copies[i] = *sets[i], looked[i] = &copies[i];
    timeval at_once{};
    return look(count, looked[0], looked[1], looked[2], &at_once) != 0;
  }
};

/// Waits for a state change of a child, like waitid(). An error counts as ready.
struct ChildChange {
  idtype_t kind;
  id_t number;
  int changes;
  bool is_there() const {
    siginfo_t told{};
    return look(kind, number, &told, changes | WNOHANG | WNOWAIT) != 0 || told.si_pid != 0;
  }
};

ChildChange change_of(pid_t child, int options) {
  int changes = WEXITED | (options & (WCONTINUED | __WALL | __WCLONE | __WNOTHREAD));
  if ((options & WUNTRACED) != 0) changes |= WSTOPPED;
  if (child > 0) return {P_PID, static_cast<id_t>(child), changes};
  if (child == -1) return {P_ALL, 0, changes};
  return {P_PGID, static_cast<id_t>(-child), changes};
}

/// Lets other threads run before a function that would wait without limit. Returns whether a signal
/// arrived first, and sets errno then; else errno is unchanged.
template <class What>
bool is_interrupted(const What& what, const Call& call) {
  const int kept = errno;
  const Woken woken = await(what, call, nullptr);
  errno = woken == Woken::interrupted ? EINTR : kept;
  return woken == Woken::interrupted;
}

bool may_wait(int file, int flags) {
  if (hooks == nullptr || (flags & MSG_DONTWAIT) != 0) return false;
  const int kept = errno;
  const int state = fcntl(file, F_GETFL);
  errno = kept;
  return state != -1 && (state & O_NONBLOCK) == 0;
}

bool is_interrupted(int file, int flags, const Call& call) {
  return may_wait(file, flags) && is_interrupted(Bytes{file}, call);
}

bool is_interrupted(const ChildChange& change, int options, const Call& call) {
  return (options & WNOHANG) == 0 && is_interrupted(change, call);
}

/// Lets other threads run until there is room to write.
void await_room(int file, int flags, const Call& call) {
  if (may_turn(call.returns_to) && may_wait(file, flags))
    (void)is_interrupted(Bytes{file, POLLOUT}, call);
}

}  // namespace

#define AFTERLIFE_CALL \
  Call { __func__, __builtin_return_address(0) }

AFTERLIFE_EXPORT ssize_t read(int file, void* bytes, size_t count) {
  static const auto system = system_function<ssize_t (*)(int, void*, size_t)>("read");
  return is_interrupted(file, 0, AFTERLIFE_CALL) ? -1 : system(file, bytes, count);
}

AFTERLIFE_EXPORT ssize_t recv(int file, void* bytes, size_t count, int flags) {
  static const auto system = system_function<ssize_t (*)(int, void*, size_t, int)>("recv");
  return is_interrupted(file, flags, AFTERLIFE_CALL) ? -1 : system(file, bytes, count, flags);
}

AFTERLIFE_EXPORT ssize_t recvfrom(int file, void* bytes, size_t count, int flags, sockaddr* address,
                                  socklen_t* length) {
  static const auto system =
      system_function<ssize_t (*)(int, void*, size_t, int, sockaddr*, socklen_t*)>("recvfrom");
  return is_interrupted(file, flags, AFTERLIFE_CALL)
             ? -1
             : system(file, bytes, count, flags, address, length);
}

AFTERLIFE_EXPORT ssize_t recvmsg(int file, msghdr* message, int flags) {
  static const auto system = system_function<ssize_t (*)(int, msghdr*, int)>("recvmsg");
  return is_interrupted(file, flags, AFTERLIFE_CALL) ? -1 : system(file, message, flags);
}

AFTERLIFE_EXPORT int accept(int file, sockaddr* address, socklen_t* length) {
  static const auto system = system_function<int (*)(int, sockaddr*, socklen_t*)>("accept");
  return is_interrupted(file, 0, AFTERLIFE_CALL) ? -1 : system(file, address, length);
}

AFTERLIFE_EXPORT int accept4(int file, sockaddr* address, socklen_t* length, int flags) {
  static const auto system = system_function<int (*)(int, sockaddr*, socklen_t*, int)>("accept4");
  return is_interrupted(file, 0, AFTERLIFE_CALL) ? -1 : system(file, address, length, flags);
}

AFTERLIFE_EXPORT ssize_t write(int file, const void* bytes, size_t count) {
  static const auto system = system_function<ssize_t (*)(int, const void*, size_t)>("write");
  await_room(file, 0, AFTERLIFE_CALL);
  return system(file, bytes, count);
}

AFTERLIFE_EXPORT ssize_t send(int file, const void* bytes, size_t count, int flags) {
  static const auto system = system_function<ssize_t (*)(int, const void*, size_t, int)>("send");
  await_room(file, flags, AFTERLIFE_CALL);
  return system(file, bytes, count, flags);
}

AFTERLIFE_EXPORT int poll(pollfd* files, nfds_t count, int milliseconds) {
  if (milliseconds == 0 || hooks == nullptr) return look(files, count, milliseconds);
  const Moment end = after_milliseconds(milliseconds);
  const Woken woken = await(Files{files, count}, AFTERLIFE_CALL, milliseconds > 0 ? &end : nullptr);
  if (woken == Woken::interrupted) return told(woken);
  return look(files, count, woken == Woken::unwatched ? milliseconds : 0);
}

AFTERLIFE_EXPORT int epoll_wait(int file, epoll_event* events, int count, int milliseconds) {
  static const auto system = system_function<int (*)(int, epoll_event*, int, int)>("epoll_wait");
  if (milliseconds == 0 || hooks == nullptr) return system(file, events, count, milliseconds);
  const Moment end = after_milliseconds(milliseconds);
  const Woken woken = await(Bytes{file}, AFTERLIFE_CALL, milliseconds > 0 ? &end : nullptr);
  if (woken == Woken::interrupted) return told(woken);
  return system(file, events, count, woken == Woken::unwatched ? milliseconds : 0);
}

AFTERLIFE_EXPORT int select(int count, fd_set* reads, fd_set* writes, fd_set* errors,
                            timeval* timeout) {
  if (hooks == nullptr) return look(count, reads, writes, errors, timeout);
  Moment end{};
  if (timeout != nullptr) end = after(timeout->tv_sec, timeout->tv_usec * kMicrosecond);
  if (count == 0 && timeout != nullptr) {  // Python 3.10 sleeps in this way.
    const timespec rest{timeout->tv_sec, timeout->tv_usec * kMicrosecond};
    if (may_turn(__builtin_return_address(0)) && turns->sleep(rest) != kNotOurs) return 0;
    const Woken woken = ask_to_sleep(end);
    if (woken == Woken::interrupted) return told(woken);
    return woken != Woken::unwatched ? 0 : look(count, reads, writes, errors, timeout);
  }
  const Woken woken = await(Sets{count, {reads, writes, errors}}, AFTERLIFE_CALL,
                            timeout != nullptr ? &end : nullptr);
  if (woken == Woken::interrupted) return told(woken);
  timeval at_once{};
  return look(count, reads, writes, errors, woken == Woken::unwatched ? timeout : &at_once);
}

AFTERLIFE_EXPORT pid_t waitpid(pid_t child, int* status, int options) {
  static const auto system = system_function<pid_t (*)(pid_t, int*, int)>("waitpid");
  if (is_interrupted(change_of(child, options), options, AFTERLIFE_CALL)) return -1;
  return system(child, status, options);
}

AFTERLIFE_EXPORT pid_t wait4(pid_t child, int* status, int options, rusage* used) {
  static const auto system = system_function<pid_t (*)(pid_t, int*, int, rusage*)>("wait4");
  if (is_interrupted(change_of(child, options), options, AFTERLIFE_CALL)) return -1;
  return system(child, status, options, used);
}

AFTERLIFE_EXPORT pid_t wait3(int* status, int options, rusage* used) {
  static const auto system = system_function<pid_t (*)(int*, int, rusage*)>("wait3");
  if (is_interrupted(change_of(-1, options), options, AFTERLIFE_CALL)) return -1;
  return system(status, options, used);
}

AFTERLIFE_EXPORT pid_t wait(int* status) {
  static const auto system = system_function<pid_t (*)(int*)>("wait");
  return is_interrupted(change_of(-1, 0), 0, AFTERLIFE_CALL) ? -1 : system(status);
}

AFTERLIFE_EXPORT int waitid(idtype_t kind, id_t number, siginfo_t* told, int options) {
  if (is_interrupted(ChildChange{kind, number, options}, options, AFTERLIFE_CALL)) return -1;
  return look(kind, number, told, options);
}

AFTERLIFE_EXPORT pid_t fork() noexcept {
  static const auto system = system_function<pid_t (*)()>("fork");
  if (may_turn(__builtin_return_address(0))) turns->comes("fork");
  return system();
}
