// SPDX-License-Identifier: Apache-2.0
#include "harness/client/command/triage_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "harness/base/printable.h"
#include "harness/client/command/replay_finding.h"
#include "harness/client/views/finding_words.h"
#include "harness/command/exit_code.h"
#include "harness/report/json_text.h"
#include "harness/report/terminal.h"

namespace harness::entries {
namespace {

using client::Finding;
using Json = nlohmann::ordered_json;

struct Cause {
  Finding least;  ///< The finding with the fewest choices.
  std::string least_file;
  std::string fix;  ///< A repair of one of its findings; empty if none is recorded.
  std::vector<std::string> files;
};

class FindingTriage {
 public:
  explicit FindingTriage(const std::vector<std::string>& files) {
    std::map<std::pair<std::string, std::string>, Cause> groups;
    for (const std::string& file : files) {
      try {
        const Finding finding = read_finding(file).recorded.finding;
        add(groups[{finding.fault.signature, finding.fault.at}], finding, file);
      } catch (const std::runtime_error& error) {
        errors_.emplace_back(error.what());
      }
    }
    for (auto& [key, cause] : groups) causes_.push_back(std::move(cause));
    std::ranges::sort(causes_, [](const Cause& left, const Cause& right) {
      if (left.files.size() != right.files.size()) return left.files.size() > right.files.size();
      return left.files.front() < right.files.front();
    });
  }

  int code() const {
    const auto is_open = [](const Cause& cause) { return cause.fix.empty(); };
    if (std::ranges::any_of(causes_, is_open)) return kNotAsClaimed;
    return errors_.empty() ? kAsClaimed : kWorld;
  }

  void print() const {
    for (const std::string& error : errors_) fmt::print(stderr, "afterlife: {}\n", error);
    std::size_t count = 0;
    for (const Cause& cause : causes_) {
      count += cause.files.size();
      fmt::print("{}: {}\n", reports::counted(cause.files.size(), "finding"),
                 reports::sentence_of(cause.least));
      fmt::print("  fix       {}\n",
                 cause.fix.empty() ? "unexplained: none is recorded" : printable(cause.fix));
      fmt::print("  smallest  {}\n", printable(cause.least_file));
    }
    fmt::print("{}, {}\n", reports::counted(count, "finding"),
               reports::counted(causes_.size(), "cause"));
  }

  Json to_json() const {
    Json rows = Json::array();
    for (const Cause& cause : causes_)
      rows.push_back({{"signature", cause.least.fault.signature},
                      {"at", cause.least.fault.at},
                      {"fix", cause.fix},
                      {"smallest", cause.least_file},
                      {"files", cause.files}});
    return {{"schema", 1}, {"causes", std::move(rows)}, {"errors", errors_}};
  }

 private:
  static void add(Cause& cause, const Finding& finding, const std::string& file) {
    const bool is_less =
        cause.files.empty() || finding.decisions.size() < cause.least.decisions.size();
    if (is_less) {
      cause.least = finding;
      cause.least_file = file;
    }
    if (cause.fix.empty()) cause.fix = finding.fix;
    cause.files.push_back(file);
  }

  std::vector<Cause> causes_;
  std::vector<std::string> errors_;
};

}  // namespace

int triage_findings(const std::vector<std::string>& files, bool json) {
  const FindingTriage found(files);
  json ? fmt::print("{}\n", reports::to_text(found.to_json())) : found.print();
  return found.code();
}

}  // namespace harness::entries
