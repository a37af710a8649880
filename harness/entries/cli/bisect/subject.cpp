// SPDX-License-Identifier: Apache-2.0
#include "harness/entries/cli/bisect/subject.h"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

#include "harness/reproducer.h"

namespace harness::entries {
namespace {

constexpr std::string_view kFirstWords = "afterlife reproducer ";
constexpr std::string_view kOp = " op ";

/// Returns the rest of a line after the word with which it begins, or "".
std::string after(const std::string& line, std::string_view word) {
  return line.starts_with(word) ? line.substr(word.size()) : "";
}

/// Returns the position of an op's name in a line such as "script:3 op set_arg", or npos.
std::size_t op_of(const std::string& line) {
  const std::size_t at = line.find(kOp);
  const bool is_first = at != std::string::npos && line.find(' ') == at;
  return is_first ? at + kOp.size() : std::string::npos;
}

std::string word_at(const std::string& line, std::size_t at) {
  return line.substr(at, line.find_first_of(" #", at) - at);
}

}  // namespace

Subject read_subject(const std::string& file) {
  Subject subject;
  subject.text = read_reproducer_text(file);
  if (is_finding_of_run(subject.text)) parse_reproducer(subject.text, file);  // Explains the error.
  if (!subject.text.starts_with(kFirstWords))
    throw std::runtime_error(file +
                             ": not a reproducer: its first line is not 'afterlife reproducer'");
  std::istringstream lines(subject.text);
  std::string line;
  while (std::getline(lines, line)) {
    if (const std::string path = after(line, "path "); !path.empty()) subject.path = path;
    if (const std::string name = after(line, "variant "); !name.empty()) subject.variant = name;
    if (const std::string fault = after(line, "fault ");
        !fault.empty() && subject.signature.empty())
      subject.signature = fault;
    if (const std::size_t at = op_of(line); at != std::string::npos)
      subject.ops.insert(word_at(line, at));
  }
  if (subject.signature.empty())
    throw std::runtime_error(file + ": names no fault, so there is nothing to look for");
  return subject;
}

std::string with_ops(const Subject& subject, const std::map<std::string, std::string>& names) {
  std::istringstream lines(subject.text);
  std::string text, line;
  while (std::getline(lines, line)) {
    if (const std::size_t at = op_of(line); at != std::string::npos) {
      const std::string op = word_at(line, at);
      if (const auto other = names.find(op); other != names.end())
        line.replace(at, op.size(), other->second);
    }
    text += line + '\n';
  }
  return text;
}

}  // namespace harness::entries
