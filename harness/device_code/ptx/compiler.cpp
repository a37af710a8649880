// SPDX-License-Identifier: Apache-2.0
// How it works. The name of a file is a hash of all its inputs: text, flags, compiler. The file is
// written under a temporary name and renamed. Two processes that compile the same text do it twice,
// but neither sees a partial file.
#include "harness/device_code/ptx/compiler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "harness/base/process/clang.h"
#include "harness/base/process/tool.h"

namespace harness::ptx {
namespace {

/// The compiler must not change results: no contraction, no fast math, signed overflow wraps. It
/// does not vectorize straight-line code, which takes time quadratic in its length. Processors only
/// differ in speed: a fused multiply-add is rounded once, with and without -mfma.
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
               "-fno-slp-vectorize",
               "-fvisibility=hidden",
               "-fno-stack-protector",
               "-march=x86-64-v2"};
  if (__builtin_cpu_supports("fma")) made.insert(made.end(), {"-mfma", "-DPTX_FMA"});
  return made;
}

std::string find_compiler() {
  std::string found = find_clang();
  if (!found.empty()) return found;
  if (const char* wanted = std::getenv("AFTERLIFE_CLANG"); wanted != nullptr && *wanted != '\0')
    throw Refused{Refused::Why::no_compiler,
                  fmt::format("AFTERLIFE_CLANG names no program: {}", wanted)};
  throw Refused{Refused::Why::no_compiler, fmt::format("kernels in PTX need {}", kClangAdvice)};
}

/// Two temporary files, which the destructor removes unless they were renamed.
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
  Command command{program};
  for (const std::string& flag : flags()) command.push_back(flag);
  command.insert(command.end(), {"-o", draft.object(), "-x", "c++", draft.source()});
  const ProcessOptions options;  // A module of 600 kernels takes 30 s on an idle processor.
  const ProcessEnd end = run_tool(command, options);
  const std::string complaint = end.complaint(options.timeout_seconds);
  if (complaint.empty()) return;
  const std::size_t place = end.err.find("error:");
  const std::string first = place == std::string::npos
                                ? complaint
                                : end.err.substr(place, end.err.find('\n', place) - place);
  throw Refused{Refused::Why::compiler_failed, fmt::format("{}: {}", program, first)};
}

ContentCache open_cache() {
  try {
    return {};
  } catch (const std::runtime_error& error) {
    throw Refused{Refused::Why::compiler_failed, error.what()};
  }
}

}  // namespace

Compiler::Compiler() : program_(find_compiler()), cache_(open_cache()) {
  identity_ = tool_identity(program_);
  for (const std::string& flag : flags()) identity_ += " " + flag;
}

std::string Compiler::file_for(const std::string& text) const {
  return cache_.file_for(identity_, text, ".so");
}

std::string Compiler::compile(const std::string& text) const {
  std::string file = file_for(text);
  return cache_.has(file) ? file : compile_anew(text);
}

std::string Compiler::compile_anew(const std::string& text) const {
  const Draft draft(cache_.folder());
  std::ofstream out(draft.source(), std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Refused{Refused::Why::compiler_failed, "cannot write to " + cache_.folder()};
  try {
    run_compiler(program_, draft);
  } catch (const std::runtime_error& error) {
    throw Refused{Refused::Why::no_compiler, error.what()};
  }
  std::string file = file_for(text);
  if (std::rename(draft.object().c_str(), file.c_str()) != 0)
    throw Refused{Refused::Why::compiler_failed, "cannot write to " + cache_.folder()};
  cache_.bound();
  return file;
}

}  // namespace harness::ptx
