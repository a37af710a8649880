// How it works. The name of a file is a hash of all that goes into it: text, flags, compiler. It is
// written under a name of the process's own and renamed, so that two that compile the same do it
// twice and neither sees half of one.
#include "harness/ptx/compiler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "harness/process/process.h"

namespace harness::ptx {
namespace {

namespace fs = std::filesystem;

constexpr double kSeconds = 600;  ///< A module of 600 kernels takes 30 on an idle processor.
constexpr const char* kKilobytes = "4194304";  ///< Address space of the compiler.

/// The compiler may not change a result: no contraction, no fast math, signed overflow wraps.
/// Processors differ in speed alone: a fused multiply-add is rounded once with and without -mfma.
Command flags() {
  Command made{"-std=c++20",
               "-O2",
               "-g1",
               "-fPIC",
               "-shared",
               "-w",
               "-nostdlib",
               "-nostdinc",
               "-nostdinc++",
               "-fno-exceptions",
               "-fno-rtti",
               "-ffp-contract=off",
               "-fno-fast-math",
               "-fwrapv",
               "-fno-strict-aliasing",
               "-fno-finite-loops",
               "-fno-math-errno",
               "-fvisibility=hidden",
               "-fno-stack-protector",
               "-march=x86-64-v2"};
  if (__builtin_cpu_supports("fma")) made.insert(made.end(), {"-mfma", "-DPTX_FMA"});
  return made;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Returns the path of a program, or "".
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : "";
  const std::string path = variable("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string file = path.substr(begin, end - begin) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return {};
}

std::string find_compiler() {
  const std::string wanted = variable("AFTERLIFE_CLANG");
  if (!wanted.empty()) {
    const std::string found = find_program(wanted);
    if (!found.empty()) return found;
    throw Refused{Refused::Why::no_compiler,
                  fmt::format("AFTERLIFE_CLANG names no program: {}", wanted)};
  }
  for (const char* name : {"clang++-19", "clang++"})
    if (const std::string found = find_program(name); !found.empty()) return found;
  throw Refused{Refused::Why::no_compiler,
                "kernels in PTX need clang++ (19 or later) here, in PATH or in AFTERLIFE_CLANG"};
}

/// Tells whether a folder is this user's alone to write to.
bool is_own(const std::string& folder) {
  struct stat found{};
  return ::lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == ::geteuid() && (found.st_mode & 022) == 0;
}

std::string find_folder() {
  std::vector<std::string> candidates;
  if (const std::string wanted = variable("AFTERLIFE_PTX_CACHE"); !wanted.empty())
    candidates = {wanted};
  else if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    candidates.push_back(cache + "/afterlife/ptx");
  else if (const std::string home = variable("HOME"); !home.empty())
    candidates.push_back(home + "/.cache/afterlife/ptx");
  candidates.push_back(fmt::format("/tmp/afterlife-ptx-{}", ::geteuid()));
  for (const std::string& folder : candidates) {
    std::error_code error;
    fs::create_directories(fs::path(folder).parent_path(), error);
    ::mkdir(folder.c_str(), 0700);
    if (is_own(folder) && ::access(folder.c_str(), W_OK) == 0) return folder;
  }
  throw Refused{Refused::Why::compiler_failed,
                "no folder for compiled kernels: set AFTERLIFE_PTX_CACHE to one of your own"};
}

std::uint64_t hash(std::string_view text, std::uint64_t state) {
  for (const char c : text) {
    state ^= static_cast<unsigned char>(c);
    state *= 0x100000001b3;
    state ^= state >> 29;
  }
  return state;
}

/// Removes those that were not used for longest, until the folder is within its limits.
void bound(const std::string& folder) {
  struct Entry {
    fs::file_time_type used;
    fs::path path;
    std::uintmax_t bytes;
  };
  std::vector<Entry> entries;
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
    std::error_code gone;  // Another process may have removed it.
    const Entry entry{file.last_write_time(gone), file.path(), file.file_size(gone)};
    if (gone) continue;
    bytes += entry.bytes;
    entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  std::size_t count = entries.size();
  for (const Entry& entry : entries) {
    if (count <= Compiler::kFileLimit && bytes <= Compiler::kByteLimit) return;
    fs::remove(entry.path, error);
    --count;
    bytes -= entry.bytes;
  }
}

/// Two files of a name of our own, which are gone in the end, unless one was renamed.
class Draft {
 public:
  explicit Draft(const std::string& folder) {
    std::string name = folder + "/draft-XXXXXX";
    const int file = ::mkstemp(name.data());
    if (file < 0) throw Refused{Refused::Why::compiler_failed, "cannot write to " + folder};
    ::close(file);
    source_ = name;
    object_ = name + ".so";
  }
  ~Draft() {
    ::unlink(source_.c_str());
    ::unlink(object_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  const std::string& source() const { return source_; }
  const std::string& object() const { return object_; }

 private:
  std::string source_;
  std::string object_;
};

void run_compiler(const std::string& program, const Draft& draft) {
  Command command{"/bin/sh", "-c", "ulimit -c 0; ulimit -v \"$0\"; exec \"$@\"", kKilobytes,
                  program};
  for (const std::string& flag : flags()) command.push_back(flag);
  command.insert(command.end(), {"-o", draft.object(), "-x", "c++", draft.source()});
  ProcessOptions options;
  options.timeout_seconds = kSeconds;
  options.environment = {"LD_PRELOAD=", "LC_ALL=C"};
  const std::atomic<bool> stop{false};
  const ProcessEnd end = run_process(command, options, stop);
  const std::string complaint = end.complaint(kSeconds);
  if (complaint.empty()) return;
  const std::size_t place = end.err.find("error:");
  const std::string first = place == std::string::npos
                                ? complaint
                                : end.err.substr(place, end.err.find('\n', place) - place);
  throw Refused{Refused::Why::compiler_failed, fmt::format("{}: {}", program, first)};
}

}  // namespace

Compiler::Compiler() : program_(find_compiler()), folder_(find_folder()) {
  struct stat found{};
  ::stat(program_.c_str(), &found);
  identity_ = fmt::format("{} {} {}", program_, found.st_mtime, found.st_size);
  for (const std::string& flag : flags()) identity_ += " " + flag;
}

std::string Compiler::file_for(const std::string& text) const {
  const std::uint64_t first = hash(text, hash(identity_, 0xcbf29ce484222325));
  const std::uint64_t second = hash(identity_, hash(text, 0x9e3779b97f4a7c15));
  return fmt::format("{}/{:016x}{:016x}.so", folder_, first, second);
}

std::string Compiler::compile(const std::string& text) const {
  const std::string file = file_for(text);
  if (::access(file.c_str(), R_OK) != 0) return compile_anew(text);
  ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  return file;
}

std::string Compiler::compile_anew(const std::string& text) const {
  const Draft draft(folder_);
  std::ofstream out(draft.source(), std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Refused{Refused::Why::compiler_failed, "cannot write to " + folder_};
  try {
    run_compiler(program_, draft);
  } catch (const std::runtime_error& error) {
    throw Refused{Refused::Why::no_compiler, error.what()};
  }
  const std::string file = file_for(text);
  if (std::rename(draft.object().c_str(), file.c_str()) != 0)
    throw Refused{Refused::Why::compiler_failed, "cannot write to " + folder_};
  bound(folder_);
  return file;
}

}  // namespace harness::ptx
