#include "harness/client/source_places.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "harness/process/process.h"

namespace harness::client {
namespace {

/// Adds the frames of machine code that have no line yet.
void take_native(Place& place, std::vector<Frame*>& frames) {
  for (Frame& frame : place)
    if (frame.offset != 0 && frame.line == 0 && !frame.is_library) frames.push_back(&frame);
}

/// Returns the number after the last colon of "file:12 (discriminator 3)"; 0 where there is none.
int line_in(const std::string& text) {
  int line = 0;
  const std::size_t colon = text.rfind(':');
  if (colon != text.npos) std::from_chars(text.data() + colon + 1, text.data() + text.size(), line);
  return line;
}

/// Returns the file as it is found from here. A compiler can be told to leave out the folder of the
/// sources (-ffile-prefix-map); addr2line then puts the compiler's own before the name, up to
/// twice.
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

void take_lines(std::vector<Frame*>& frames, const std::string& printed) {
  std::istringstream lines(printed);
  std::string function, place;
  for (Frame* frame : frames) {
    if (!std::getline(lines, function) || !std::getline(lines, place)) return;
    if (const int line = line_in(place); line > 0) {
      frame->file = found_from_here(place.substr(0, place.rfind(':')));
      frame->line = line;
      frame->is_library = frame->is_library || frame->file.starts_with("/usr/include/");
    }
    if (!function.empty() && function != "??") frame->function = function;
  }
}

void add_lines(const std::vector<Frame*>& all) {
  static const std::atomic<bool> never_stopped{false};
  constexpr double kSeconds = 30;
  std::map<std::string, std::vector<Frame*>> by_module;
  for (Frame* frame : all) by_module[frame->file].push_back(frame);
  for (auto& [module, frames] : by_module) {
    Command command{"addr2line", "-C", "-f", "-e", module};
    for (const Frame* frame : frames) command.push_back(fmt::format("{:#x}", frame->offset));
    try {
      const ProcessEnd ended = run_process(command, {kSeconds, {}, kErrKept}, never_stopped);
      if (ended.code == 0) take_lines(frames, ended.out);
    } catch (const std::runtime_error&) {
      return;  // It is not installed: names and offsets have to do.
    }
  }
}

/// Returns whether the place of the use begins with the frame of a kernel.
static bool has_kernel(const ToldFault& fault) {
  const Place& used = fault.use.place;
  return !used.empty() && used.front().offset != 0 && used.front().function == fault.use.site;
}

/// The frame of the kernel that used it is told beside it: a place is the program's.
static void tell_kernel(ToldFault& fault) {
  const Frame kernel = fault.use.place.front();
  fault.use.place.erase(fault.use.place.begin());
  if (kernel.line == 0) return;
  const std::string file = kernel.file.substr(kernel.file.rfind('/') + 1);
  fault.detail = fmt::format("at {}:{}{}{}", file, kernel.line, fault.detail.empty() ? "" : ": ",
                             fault.detail);
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
}

}  // namespace harness::client
