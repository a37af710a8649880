// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/portable.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <vector>

#include "harness/base/process/tool.h"
#include "harness/client/border/nvcc_names.h"

namespace harness::client {
namespace {

namespace fs = std::filesystem;

/// Returns the folders to remove from names: the current one, and that of the script.
std::vector<std::string> folders_of(const Command& command) {
  std::error_code none;
  std::vector<std::string> folders{fs::current_path(none).string() + "/"};
  for (const std::string& word : command)
    if (const fs::path script = fs::absolute(word, none); script.extension() == ".py")
      folders.push_back(script.lexically_normal().parent_path().string() + "/");
  return folders;
}

void leave_out(std::string& text, std::string_view folder) {
  if (folder.size() < 2) return;
  for (std::size_t at = text.find(folder); at != text.npos; at = text.find(folder, at))
    text.erase(at, folder.size());
}

/// Removes the folder in which modules are installed.
void leave_out_prefix(std::string& file) {
  for (const char* folder : {"/site-packages/", "/dist-packages/", "/lib/python3"})
    if (const std::size_t at = file.find(folder); at != file.npos) {
      file.erase(0, at + 1);
      return;
    }
}

bool is_python(const fs::path& program) {
  return program.filename().string().starts_with("python");
}

class Portable {
 public:
  explicit Portable(const Command& command) : folders_(folders_of(command)) {}

  void text(std::string& words) const {
    for (const std::string& folder : folders_) leave_out(words, folder);
  }
  void place(Place& place) const {
    for (Frame& frame : place) {
      text(frame.file);
      leave_out_prefix(frame.file);
      if (frame.file.starts_with('/')) frame.file = std::string(frame.file_name());
    }
  }
  void fault(ToldFault& fault) const {
    for (std::string* words : {&fault.detail, &fault.ended, &fault.free_threads}) text(*words);
    for (const PartyInfo& info : kParties) place((fault.*info.party).place);
    place(fault.record.place);
    place(fault.wait.place);
    place(fault.again.place);
  }

 private:
  std::vector<std::string> folders_;
};

}  // namespace

Finding portable(Finding finding, const Command& command) {
  const Portable all(command);
  all.fault(finding.fault);
  for (ToldFault& face : finding.faces) all.fault(face);
  for (ToldDecision& told : finding.decisions) {
    all.text(told.who);
    all.text(told.answer);
    all.place(told.place);
  }
  for (WorldRead& read : finding.reads.places) all.text(read.file);
  for (std::string* words : {&finding.doubt, &finding.forced, &finding.fix}) all.text(*words);
  return finding;
}

Command portable(Command command) {
  std::error_code none;
  const std::string here = fs::current_path(none).string() + "/";
  std::string& program = command.front();
  const bool is_here = program.starts_with(here);
  for (std::string& word : command)
    if (word.starts_with(here)) word.erase(0, here.size());
  if (is_here && program.find('/') == program.npos) program.insert(0, "./");
  if (program.starts_with('/') && is_python(program)) program = fs::path(program).filename();
  return command;
}

Command startable(Command command) {
  if (command.empty()) return command;
  std::error_code none;
  std::string& program = command.front();
  const bool is_path = program.find('/') != program.npos;
  if (is_path && is_python(program) && !fs::exists(program, none))
    program = fs::path(program).filename();
  else if (!is_path && find_tool(program).empty() && fs::exists(program, none))
    program.insert(0, "./");
  return command;
}

std::string without_lines(std::string_view text) {
  std::string words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    words += text[i];
    const auto is_digit = [&](std::size_t at) {
      return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
    };
    if (text[i] != ':' || !is_digit(i + 1)) continue;
    words += '#';
    while (is_digit(i + 1)) ++i;
  }
  return words;
}

bool is_same_place(const Frame& left, const Frame& right) {
  if (without_random(left.file_name()) != without_random(right.file_name()) ||
      left.function != right.function)
    return false;
  if (left.is_library && right.is_library) return true;  // Patch releases move its lines.
  if (left.offset == 0 || right.offset == 0) return left.line == right.line;
  return left.offset == right.offset;
}

}  // namespace harness::client
