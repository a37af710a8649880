// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/source_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "harness/base/process/process.h"
#include "harness/client/border/nvcc_names.h"

namespace harness::client {
namespace {

/// Returns whether it is machine code of the program, without a line yet.
bool is_unread(const Frame& frame) {
  return frame.offset != 0 && frame.line == 0 && !frame.is_library;
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

bool is_of_system(const Frame& frame) { return frame.file.starts_with("/usr/"); }

}  // namespace

std::vector<Place> take_lines(const std::vector<Frame>& frames, const std::string& printed) {
  std::vector<Place> places;
  std::istringstream lines(printed);
  std::string line, where;
  while (std::getline(lines, line)) {
    if (line.starts_with("0x")) {  // The next address.
      if (places.size() == frames.size()) break;
      places.emplace_back();
      continue;
    }
    if (!std::getline(lines, where) || places.empty()) break;
    const int number = line_in(where);
    if (number == 0 && !places.back().empty()) continue;
    Frame frame = frames[places.size() - 1];
    if (number > 0) {
      frame.file = found_from_here(where.substr(0, where.rfind(':')));
      frame.line = number;
    }
    if (!line.empty() && line != "??") frame.function = line;
    places.back().push_back(frame);
  }
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (i == places.size()) places.emplace_back();
    if (places[i].empty()) places[i].push_back(frames[i]);
    // Functions of system headers that are inlined say little about the program.
    for (std::size_t inner = 0; inner + 1 < places[i].size(); ++inner)
      places[i][inner].is_library = is_of_system(places[i][inner]);
  }
  return places;
}

/// Returns the folder in which each compilation unit of the module was compiled, by its file.
static std::map<std::string, std::string> read_units(const std::string& module) {
  static const std::atomic<bool> never_stopped{false};
  constexpr double kSeconds = 30;
  const Command command{"readelf", "--debug-dump=info", "--dwarf-depth=1", "--wide", module};
  std::map<std::string, std::string> folders;
  std::istringstream lines(run_process(command, {kSeconds, {}, kErrKept}, never_stopped).out);
  std::string file;
  for (std::string line; std::getline(lines, line);) {
    const std::string value = line.substr(line.rfind(": ") == line.npos ? 0 : line.rfind(": ") + 2);
    if (line.find("DW_AT_name") != line.npos) file = value;
    if (line.find("DW_AT_comp_dir") == line.npos) continue;
    folders.try_emplace(file.starts_with('/') ? file : value + "/" + file, value);
  }
  return folders;
}

namespace {

/// Finds the sources of what nvcc writes: in the folder in which it was compiled, or beside the
/// other sources of the program, if only one of their folders has it.
class Sources {
 public:
  Sources(const std::string& module, const std::vector<Place>& places) : module_(module) {
    for (const Place& place : places)
      for (const Frame& frame : place)
        if (frame.line > 0 && source_name(frame.file).empty() && !is_of_system(frame))
          folders_.insert(std::string(frame.file.substr(0, frame.file.rfind('/') + 1)));
  }

  /// Returns the source of a file, and only its name if it is not found; else the file.
  std::string of(const std::string& file) {
    const std::string name = source_name(file);
    if (name.empty()) return file;
    if (const std::string here = in_folder(folder_of_unit(file) + "/", name); !here.empty())
      return here;
    std::vector<std::string> found;
    for (const std::string& folder : folders_)
      if (std::string other = in_folder(folder, name); !other.empty()) found.push_back(other);
    return found.size() == 1 ? found.front() : name;
  }

 private:
  static std::string in_folder(const std::string& folder, const std::string& name) {
    std::error_code none;
    return std::filesystem::is_regular_file(folder + name, none) ? folder + name : "";
  }

  /// Returns the folder in which the file was compiled, else "". Reads each build of a module once.
  std::string folder_of_unit(const std::string& file) {
    static std::mutex mutex;
    using Build = std::pair<std::string, std::filesystem::file_time_type>;
    static std::map<Build, std::map<std::string, std::string>> read;
    std::error_code none;
    const Build build{module_, std::filesystem::last_write_time(module_, none)};
    const std::lock_guard lock(mutex);
    const auto [units, is_new] = read.try_emplace(build);
    try {
      if (is_new) units->second = read_units(module_);
    } catch (const std::runtime_error&) {
      return {};  // readelf is not installed.
    }
    const auto unit = units->second.find(file);
    return unit == units->second.end() ? "" : unit->second;
  }

  std::string module_;
  std::set<std::string> folders_;
};

}  // namespace

std::vector<Place> lines_of(const std::vector<Frame>& all) {
  static const std::atomic<bool> never_stopped{false};
  constexpr double kSeconds = 30;
  std::vector<Place> places;
  std::map<std::string, std::vector<std::size_t>> by_module;
  for (const Frame& frame : all) {
    by_module[frame.file].push_back(places.size());
    places.push_back({frame});
  }
  for (const auto& [module, indices] : by_module) {
    Command command{"addr2line", "-a", "-C", "-f", "-i", "-e", module};
    std::vector<Frame> frames;
    for (const std::size_t index : indices) {
      frames.push_back(all[index]);
      command.push_back(fmt::format("{:#x}", all[index].offset));
    }
    try {
      const ProcessEnd ended = run_process(command, {kSeconds, {}, kErrKept}, never_stopped);
      if (ended.code != 0) continue;
      std::vector<Place> known = take_lines(frames, ended.out);
      Sources sources(module, known);
      for (Place& place : known)
        for (Frame& frame : place) frame.file = sources.of(frame.file);
      for (std::size_t i = 0; i < indices.size(); ++i) places[indices[i]] = std::move(known[i]);
    } catch (const std::runtime_error&) {
      return places;  // A tool is not installed: names and offsets remain.
    }
  }
  return places;
}

Place::const_iterator end_of_address(const Place& place, Place::const_iterator first) {
  if (first->offset == 0) return first + 1;
  return std::find_if(first, place.end(),
                      [&](const Frame& frame) { return frame.offset != first->offset; });
}

Place one_by_address(const Place& place) {
  Place outer;
  for (auto first = place.begin(); first != place.end();) {
    const auto end = end_of_address(place, first);
    const auto users =
        std::find_if(first, end, [](const Frame& frame) { return !frame.is_library; });
    outer.push_back(users != end ? *users : *(end - 1));
    first = end;
  }
  return outer;
}

/// Returns whether the place of the use begins with the frame of a kernel.
static bool has_kernel(const ToldFault& fault) {
  const Place& used = fault.use.place;
  return !used.empty() && used.front().offset != 0 && used.front().function == fault.use.site;
}

/// Removes the kernel's frames from the place of the use, which is the program's, and puts its line
/// into the detail.
static void tell_kernel(ToldFault& fault) {
  Place& used = fault.use.place;
  const auto end = end_of_address(used, used.cbegin());
  const Frame kernel = one_by_address(Place(used.cbegin(), end)).front();
  used.erase(used.cbegin(), end);
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

/// Returns whether it is code of our CUDA runtime, which may be linked into the program.
static bool is_of_our_runtime(const Frame& frame) {
  return std::string_view(frame.file)
      .substr(0, frame.file.rfind('/'))
      .ends_with("harness/client/inside/libcudart");
}

bool is_of_cpp_header(const Frame& frame) {
  return frame.file.find("/include/c++/") != frame.file.npos;
}

bool is_before_main(const Frame& frame) {
  return frame.function == "_start" || frame.function.starts_with("__libc_start_");
}

void pass_toolkit(Place& place) {
  bool is_kernel_next = false;
  for (Frame& frame : place) {
    const bool is_stub = is_stub_of_launch(frame);
    const bool is_kernel = std::exchange(is_kernel_next, is_stub && is_called_by_kernel(frame));
    frame.is_library = frame.is_library || is_kernel || is_stub || is_of_toolkit(frame) ||
                       is_of_our_runtime(frame) || is_of_cpp_header(frame) || is_before_main(frame);
  }
}

/// Looks up the lines of these places, which gain the inlined functions.
static void add_lines(const std::vector<Place*>& places) {
  std::vector<Frame> frames;
  for (const Place* place : places)
    std::ranges::copy_if(*place, std::back_inserter(frames), is_unread);
  const std::vector<Place> known = lines_of(frames);
  auto next = known.begin();
  for (Place* place : places) {
    Place longer;
    for (Frame& frame : *place) {
      if (is_unread(frame))
        longer.insert(longer.end(), next->begin(), next->end()), ++next;
      else
        longer.push_back(std::move(frame));
    }
    *place = std::move(longer);
  }
}

void add_lines(const std::vector<ToldFault*>& faults, const std::vector<Place*>& places) {
  std::vector<Place*> all;
  std::vector<ToldFault*> with_kernel;
  for (ToldFault* fault : faults) {
    if (has_kernel(*fault)) with_kernel.push_back(fault);
    for (const PartyInfo& info : kParties) all.push_back(&(fault->*info.party).place);
  }
  all.insert(all.end(), places.begin(), places.end());
  add_lines(all);
  for (ToldFault* fault : with_kernel) tell_kernel(*fault);
  for (Place* place : all) pass_toolkit(*place);
}

}  // namespace harness::client
