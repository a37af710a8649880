// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/ipc/descent.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

namespace harness::entries {
namespace {

Descent* descent() {
  static auto* const known = static_cast<Descent*>(dlsym(RTLD_DEFAULT, "afterlife_descent"));
  return known;
}

std::string file_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Returns the command line of this process.
std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < all.size(); at += words.back().size() + 1)
    words.emplace_back(all.c_str() + at);
  return words;
}

/// Returns the program and its script, without folders.
std::string program_words() {
  const std::vector<std::string> words = command_line();
  if (words.empty()) return "a program";
  std::string told = file_of(words[0]);
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].ends_with(".py")) return fmt::format("{} {}", told, file_of(words[i]));
    if (words[i] == "-m" && i + 1 < words.size())
      return fmt::format("{} -m {}", told, words[i + 1]);
    if (words[i] == "-c") return told + " -c";
  }
  return told;
}

const char* mpi_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (const char* rank = std::getenv(name); rank != nullptr && *rank != '\0') return rank;
  return nullptr;
}

}  // namespace

std::string descent_path() { return descent() != nullptr ? descent()->path : ""; }

std::string process_words() {
  if (const char* rank = mpi_rank(); rank != nullptr)
    return fmt::format("rank {} ({})", rank, program_words());
  const std::string path = descent_path();
  return fmt::format("process {} ({})", path.empty() ? "?" : path, program_words());
}

void tell_ending(void (*ending)()) {
  using Tell = void (*)(void (*)());
  if (const auto tell = reinterpret_cast<Tell>(dlsym(RTLD_DEFAULT, "afterlife_tell_ending"));
      tell != nullptr)
    tell(ending);
}

SameDescent::SameDescent() {
  if (descent() != nullptr) kept_ = *descent();
}

SameDescent::~SameDescent() {
  if (descent() == nullptr) return;
  *descent() = kept_;
  descent()->process = ::getpid();
}

}  // namespace harness::entries
