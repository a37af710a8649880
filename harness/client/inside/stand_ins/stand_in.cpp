// SPDX-License-Identifier: Apache-2.0
// afterlife_stand_in: replaces nvcc and ptxas in the PATH of programs under `afterlife run`.
// Instead of a cubin it writes the PTX with a zero at the end, because our driver loads PTX in any
// file. All other uses are passed to the real tool, which is later in the PATH.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "harness/base/process/cuda_tool.h"
#include "harness/base/process/tool.h"
#include "harness/client/inside/stand_ins/commands.h"

namespace harness::stand_ins {
namespace {

constexpr int kNoTool = 127;  ///< The exit code of a shell if the command is not found.

std::vector<char*> words_of(std::string& tool, Arguments& arguments) {
  std::vector<char*> words{tool.data()};
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  return words;
}

/// Answers for a tool that this machine does not have.
int do_without(const std::string& name, const Arguments& arguments) {
  if (name == "ptxas" && arguments.size() == 1 &&
      (arguments[0] == "--version" || arguments[0] == "-V")) {
    std::puts(
        "ptxas: Afterlife's stand-in, whose cubin is PTX\n"
        "Cuda compilation tools, release 13.0, V13.0.88");
    return 0;
  }
  fmt::print(stderr, "afterlife: the only {} here is ours, which only makes cubins of PTX\n", name);
  return kNoTool;
}

std::string find_real(const std::string& name) {
  std::string found = find_tool(name);
  return found.empty() ? find_cuda_tool(name) : found;
}

int hand_on(const std::string& name, Arguments arguments) {
  std::string tool = find_real(name);
  if (tool.empty()) return do_without(name, arguments);
  ::execv(tool.c_str(), words_of(tool, arguments).data());
  std::perror(tool.c_str());
  return kNoTool;
}

/// Returns the exit code in the form of a shell.
int run(std::string tool, Arguments arguments) {
  pid_t child = 0;
  int status = 0;
  if (::posix_spawn(&child, tool.c_str(), nullptr, nullptr, words_of(tool, arguments).data(),
                    environ) != 0 ||
      ::waitpid(child, &status, 0) != child)
    return kNoTool;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int write_cubin(const std::string& text, const std::string& output) {
  std::ofstream out(output, std::ios::binary);
  out.write(text.c_str(), static_cast<std::streamsize>(text.size() + 1));  // Includes its zero.
  if (out.flush()) return 0;
  fmt::print(stderr, "afterlife: cannot write {}\n", output);
  return 1;
}

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  return bytes.c_str();
}

int ptxas(const Arguments& arguments) {
  const Wanted wanted = read_ptxas(arguments);
  if (wanted.input.empty()) return hand_on("ptxas", arguments);
  return write_cubin(text_of(wanted.input), wanted.output);
}

int nvcc(const Arguments& arguments) {
  const Wanted wanted = read_nvcc(arguments);
  if (wanted.input.empty()) return hand_on("nvcc", arguments);
  if (is_ptx(wanted.input)) return write_cubin(text_of(wanted.input), wanted.output);
  const std::string tool = find_real("nvcc");
  if (tool.empty()) return do_without("nvcc", arguments);
  const int code = run(tool, for_ptx(arguments, wanted));
  return code != 0 ? code : write_cubin(text_of(wanted.output), wanted.output);
}

}  // namespace
}  // namespace harness::stand_ins

int main(int count, char** words) {
  const std::string path = words[0];
  const std::string name = path.substr(path.rfind('/') + 1);
  const harness::stand_ins::Arguments arguments(words + 1, words + count);
  if (name == "ptxas") return harness::stand_ins::ptxas(arguments);
  if (name == "nvcc") return harness::stand_ins::nvcc(arguments);
  fmt::print(stderr, "afterlife: {} stands in for nvcc and ptxas, by these names\n", name);
  return 3;
}
