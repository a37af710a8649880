// SPDX-License-Identifier: Apache-2.0
#include "harness/client/border/server_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace harness::client {
namespace {

int new_socket() { return ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0); }

/// Returns the address of the socket in the folder; nothing if its path is too long.
std::optional<sockaddr_un> address_in(const std::string& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string file = folder + "/server";
  if (file.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, file.c_str(), file.size() + 1);
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

/// A packet in the form that sendmsg() and recvmsg() take, with room for the files that it carries.
struct Message {
  explicit Message(Packet& packet) : part{&packet, sizeof packet} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
  Message(const Message&) = delete;  // `header` points into it.
  Message& operator=(const Message&) = delete;

  iovec part;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Carried))> control{};
  msghdr header{};
};

}  // namespace

ServerSocket::~ServerSocket() {
  if (number_ >= 0) ::close(number_);
}

ServerSocket::ServerSocket(ServerSocket&& other) noexcept
    : number_(std::exchange(other.number_, -1)) {}

ServerSocket& ServerSocket::operator=(ServerSocket&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

ServerSocket ServerSocket::listen(const std::string& folder) {
  const std::optional<sockaddr_un> address = address_in(folder);
  ServerSocket socket(new_socket());
  if (!address || socket.number_ < 0 ||
      ::bind(socket.number_, generic(*address), sizeof *address) != 0 ||
      ::listen(socket.number_, 1) != 0)
    throw std::runtime_error(fmt::format("{}: cannot create a socket there", folder));
  return socket;
}

std::optional<ServerSocket> ServerSocket::connect(const std::string& folder) {
  const std::optional<sockaddr_un> address = address_in(folder);
  ServerSocket socket(new_socket());
  if (!address || ::connect(socket.number_, generic(*address), sizeof *address) != 0)
    return std::nullopt;
  return socket;
}

ServerSocket ServerSocket::accept() const {
  return ServerSocket(::accept4(number_, nullptr, nullptr, SOCK_CLOEXEC));
}

int ServerSocket::peer() const {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  return ::getsockopt(number_, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 ? peer.pid : -1;
}

bool ServerSocket::send(const Packet& packet, const Carried* carried) const {
  Packet copy = packet;
  Message message(copy);
  if (carried != nullptr) {
    cmsghdr* files = CMSG_FIRSTHDR(&message.header);
    files->cmsg_level = SOL_SOCKET;
    files->cmsg_type = SCM_RIGHTS;
    files->cmsg_len = CMSG_LEN(sizeof *carried);
    std::memcpy(CMSG_DATA(files), carried->data(), sizeof *carried);
  } else {
    message.header.msg_controllen = 0;
  }
  return ::sendmsg(number_, &message.header, MSG_NOSIGNAL) == sizeof copy;
}

std::optional<Packet> ServerSocket::receive(Carried* carried) const {
  Packet packet;
  Message message(packet);
  ssize_t count = 0;
  do {
    count = ::recvmsg(number_, &message.header, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  if (count != sizeof packet) return std::nullopt;
  const cmsghdr* files = CMSG_FIRSTHDR(&message.header);
  if (carried != nullptr && files != nullptr && files->cmsg_type == SCM_RIGHTS)
    std::memcpy(carried->data(), CMSG_DATA(files), sizeof *carried);
  return packet;
}

}  // namespace harness::client
