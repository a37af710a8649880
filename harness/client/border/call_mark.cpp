// SPDX-License-Identifier: Apache-2.0
// How it works. The file is mapped as shared memory, so its content survives a crash of the
// process.
#include "harness/client/border/call_mark.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace harness::client {

struct CallMark::Page {
  std::uint64_t call_count;
  std::uint64_t function_count;   ///< Number of host functions that have not returned.
  std::array<char, 48> function;  ///< Ends with a null character.
};

static std::string mark_file(const std::string& folder, unsigned process) {
  return fmt::format("{}/calls-{}", folder, process);
}

CallMark::~CallMark() {
  if (page_ != nullptr) ::munmap(page_, sizeof *page_);
}

void CallMark::open(const std::string& folder, unsigned process, std::uint64_t call_count) {
  if (page_ != nullptr) ::munmap(page_, sizeof *page_);
  page_ = nullptr;
  const int file = ::open(mark_file(folder, process).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return;
  void* page = MAP_FAILED;
  if (::ftruncate(file, sizeof *page_) == 0)
    page = ::mmap(nullptr, sizeof *page_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (page == MAP_FAILED) return;
  page_ = static_cast<Page*>(page);
  page_->call_count = call_count;
}

void CallMark::begin_call(std::string_view function) {
  if (page_ == nullptr) return;
  ++page_->call_count;
  const std::size_t length = std::min(function.size(), page_->function.size() - 1);
  std::memcpy(page_->function.data(), function.data(), length);
  page_->function[length] = '\0';
}

void CallMark::begin_function() {
  if (page_ != nullptr) ++page_->function_count;
}

void CallMark::end_function() {
  if (page_ != nullptr) --page_->function_count;
}

LastCall read_last_call(const std::string& folder, unsigned process) {
  LastCall last;
  std::ifstream file(mark_file(folder, process), std::ios::binary);
  std::uint64_t function_count = 0;
  file.read(reinterpret_cast<char*>(&last.call_count), sizeof last.call_count);
  file.read(reinterpret_cast<char*>(&function_count), sizeof function_count);
  if (!file) return {};
  last.is_in_function = function_count != 0;
  std::getline(file, last.function, '\0');
  return last;
}

bool remove_call_mark(const std::string& folder, unsigned process) {
  std::error_code gone;
  return std::filesystem::remove(mark_file(folder, process), gone);
}

}  // namespace harness::client
