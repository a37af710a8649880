// SPDX-License-Identifier: Apache-2.0
#include "harness/client/source_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "harness/process/process.h"

namespace harness::client {
namespace {

/// Adds the machine code frames that have no line yet.
void take_native(Place& place, std::vector<Frame*>& frames) {
  for (Frame& frame : place)
    if (frame.offset != 0 && frame.line == 0 && !frame.is_library) frames.push_back(&frame);
}

/// Returns the number after the last colon of "file:12 (discriminator 3)"; 0 if there is none.
int line_in(const std::string& text) {
  int line = 0;
  const std::size_t colon = text.rfind(':');
  if (colon != text.npos) std::from_chars(text.data() + colon + 1, text.data() + text.size(), line);
  return line;
}

/// Returns the path of an existing file. If the compiler omits the source folder from its names
/// (-ffile-prefix-map), addr2line prepends the compiler's folder, up to twice: leading folders are
/// removed until the file exists.
std::string found_from_here(const std::string& file) {
  if (file.starts_with('/')) return file;
  std::error_code none;
  for (std::string_view rest = file; !rest.empty();) {
    if (std::filesystem::is_regular_file(rest, none)) return std::string(rest);
    const std::size_t slash = rest.find('/');
    rest.remove_prefix(slash == rest.npos ? rest.size() : slash + 1);
  }
  return file;
}

}  // namespace

/// Takes the innermost inlined function that is not in a system header, because such headers say
/// little about the program.
void take_lines(std::vector<Frame*>& frames, const std::string& printed) {
  std::istringstream lines(printed);
  std::string line, place;
  std::size_t next = 0;
  bool is_taken = true;
  Frame* frame = nullptr;
  while (std::getline(lines, line)) {
    if (line.starts_with("0x")) {  // The next address.
      if (next == frames.size()) return;
      frame = frames[next++];
      is_taken = false;
      continue;
    }
    if (!std::getline(lines, place) || frame == nullptr) return;
    if (is_taken) continue;
    if (const int number = line_in(place); number > 0) {
      frame->file = found_from_here(place.substr(0, place.rfind(':')));
      frame->line = number;
    }
    if (!line.empty() && line != "??") frame->function = line;
    is_taken = frame->line == 0 || !frame->file.starts_with("/usr/");
  }
}

void add_lines(const std::vector<Frame*>& all) {
  static const std::atomic<bool> never_stopped{false};
  constexpr double kSeconds = 30;
  std::map<std::string, std::vector<Frame*>> by_module;
  for (Frame* frame : all) by_module[frame->file].push_back(frame);
  for (auto& [module, frames] : by_module) {
    Command command{"addr2line", "-a", "-C", "-f", "-i", "-e", module};
    for (const Frame* frame : frames) command.push_back(fmt::format("{:#x}", frame->offset));
    try {
      const ProcessEnd ended = run_process(command, {kSeconds, {}, kErrKept}, never_stopped);
      if (ended.code == 0) take_lines(frames, ended.out);
    } catch (const std::runtime_error&) {
      return;  // addr2line is not installed: names and offsets remain.
    }
  }
}

/// Returns whether the place of the use begins with the frame of a kernel.
static bool has_kernel(const ToldFault& fault) {
  const Place& used = fault.use.place;
  return !used.empty() && used.front().offset != 0 && used.front().function == fault.use.site;
}

/// Removes the kernel's frame from the place of the use, which is the program's, and puts it into
/// the detail.
static void tell_kernel(ToldFault& fault) {
  const Frame kernel = fault.use.place.front();
  fault.use.place.erase(fault.use.place.begin());
  if (kernel.line == 0) return;
  fault.detail = fmt::format("at {}:{}{}{}", kernel.file_name(), kernel.line,
                             fault.detail.empty() ? "" : ": ", fault.detail);
}

/// Returns whether it is code that the compiler generates between a kernel launch and the runtime.
static bool is_stub_of_launch(const Frame& frame) {
  return frame.file.ends_with(".cudafe1.stub.c") ||
         frame.function.find("__device_stub_") != frame.function.npos;
}

/// Returns whether the stub's caller is a generated function with the kernel's name and line. nvcc
/// generates both in a separate file; clang generates only the stub.
static bool is_called_by_kernel(const Frame& stub) {
  return stub.line == 0 || stub.file.ends_with(".cudafe1.stub.c");
}

/// Returns whether it is code of the CUDA toolkit's headers.
static bool is_of_toolkit(const Frame& frame) {
  constexpr std::array<std::string_view, 9> kFiles{
      "/include/cuda_runtime.h", "/include/crt/",  "/include/cccl/", "/include/cub/",
      "/include/thrust/",        "/include/cuda/", "/include/nv/",   "/include/cooperative_groups",
      "/include/nvtx3/"};
  return frame.function.starts_with("__cudaLaunchKernel_helper") ||
         frame.function.starts_with("cudaError cuda") ||
         std::ranges::any_of(
             kFiles, [&](std::string_view file) { return frame.file.find(file) != file.npos; });
}

void pass_toolkit(Place& place) {
  bool is_kernel_next = false;
  for (Frame& frame : place) {
    const bool is_stub = is_stub_of_launch(frame);
    const bool is_kernel = std::exchange(is_kernel_next, is_stub && is_called_by_kernel(frame));
    frame.is_library = frame.is_library || is_kernel || is_stub || is_of_toolkit(frame);
  }
}

void add_lines(const std::vector<ToldFault*>& faults, const std::vector<Place*>& places) {
  std::vector<Frame*> frames;
  std::vector<ToldFault*> with_kernel;
  for (ToldFault* fault : faults) {
    if (has_kernel(*fault)) with_kernel.push_back(fault);
    for (const PartyInfo& info : kParties) take_native((fault->*info.party).place, frames);
  }
  for (Place* place : places) take_native(*place, frames);
  add_lines(frames);
  for (ToldFault* fault : with_kernel) tell_kernel(*fault);
  for (ToldFault* fault : faults)
    for (const PartyInfo& info : kParties) pass_toolkit((fault->*info.party).place);
  for (Place* place : places) pass_toolkit(*place);
}

}  // namespace harness::client
