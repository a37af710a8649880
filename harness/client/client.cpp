// How it works. The orders and the reports of a run are in a folder of its own, which goes with it.
// LD_LIBRARY_PATH has programs find our libcuda.so.1 first.
#include "harness/client/client.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "harness/client/source_places.h"
#include "harness/files/read.h"
#include "harness/sanitizers.h"

namespace harness::client {
namespace {

namespace fs = std::filesystem;

/// A new folder, removed in the end with what is in it.
class Folder {
 public:
  Folder() : name_((fs::temp_directory_path() / "afterlife-run-XXXXXX").string()) {
    if (::mkdtemp(name_.data()) == nullptr)
      throw std::runtime_error(fmt::format("{}: cannot make this folder", name_));
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(name_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

std::vector<std::string> environment_of(const Client& client, const std::string& folder) {
  std::string search = "LD_LIBRARY_PATH=" + client.library_folder;
  if (const char* before = std::getenv("LD_LIBRARY_PATH"); before != nullptr && *before != '\0')
    search += fmt::format(":{}", before);
  std::vector<std::string> wanted{fmt::format("{}={}", kFolderVariable, folder), search};
  // Python's sets and dictionaries of texts then have one order in all runs.
  if (std::getenv("PYTHONHASHSEED") == nullptr) wanted.emplace_back("PYTHONHASHSEED=0");
  return wanted;
}

/// Reads the reports that there are. A process that was killed early may have left an empty one.
std::vector<Report> read_reports(const std::string& folder) {
  std::vector<Report> reports;
  for (unsigned number = 1; fs::exists(report_file(folder, number)); ++number) {
    const std::string text = read_whole_file(report_file(folder, number));
    if (text.empty())
      reports.push_back({.process = number});
    else
      reports.push_back(parse_report(text));
  }
  return reports;
}

}  // namespace

std::string library_folder() {
  if (kAsan || kTsan)
    throw std::runtime_error(
        "this build's libcuda.so.1 has a sanitizer, whose run-time other programs lack: use the "
        "build dev or release");
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path() / "lib";
  if (!fs::exists(folder / "libcuda.so.1"))
    throw std::runtime_error(
        fmt::format("{}/libcuda.so.1 is not there: build the target cuda_sim", folder.string()));
  return folder.string();
}

std::uint64_t ClientRun::call_count() const {
  std::uint64_t count = 0;
  for (const Report& report : reports) count += report.call_count;
  return count;
}

std::vector<ToldDecision> ClientRun::decisions() const {
  std::vector<ToldDecision> all;
  for (const Report& report : reports)
    all.insert(all.end(), report.decisions.begin(), report.decisions.end());
  return all;
}

const ToldFault* ClientRun::find(std::string_view signature) const {
  for (const Report& report : reports)
    for (const ToldFault& fault : report.faults)
      if (fault.signature == signature) return &fault;
  return nullptr;
}

std::string ClientRun::own_failure(double timeout_seconds) const {
  for (const Report& report : reports)
    if (!report.faults.empty()) return {};
  return ended.complaint(timeout_seconds);
}

ClientRun run_client(const Client& client, const Orders& orders, const std::atomic<bool>& stop) {
  const Folder folder;
  write_orders(folder.name(), orders);
  constexpr std::size_t kErrLimit = std::size_t{1} << 20;
  ClientRun run;
  run.ended =
      run_process(client.command,
                  {client.timeout_seconds, environment_of(client, folder.name()), kErrLimit}, stop);
  run.reports = read_reports(folder.name());
  if (orders.locates)
    for (Report& report : run.reports)
      for (ToldFault& fault : report.faults) add_lines(fault);
  return run;
}

}  // namespace harness::client
