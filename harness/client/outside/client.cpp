// SPDX-License-Identifier: Apache-2.0
// How it works. The orders and the reports of a run are in a temporary folder. LD_LIBRARY_PATH
// makes programs find our libcuda.so.1 first. LD_PRELOAD loads three more libraries at the start:
// libafterlife_threads.so, which must precede the C library, and libnvrtc.so.13 and
// libnvJitLink.so.13, because some clients search their own packages before that path.
// libcudart.so.13 and .12 are not preloaded: in the scope of every process, they would intercept
// the calls of modules that are linked with a static runtime. LD_AUDIT substitutes our libraries
// for those that are requested by path. The first folder of PATH has replacements for nvcc and
// ptxas.
#include "harness/client/outside/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <tuple>

#include "harness/base/files/read.h"
#include "harness/base/sanitizers/sanitizers.h"
#include "harness/client/border/call_mark.h"
#include "harness/client/border/hang_watch.h"
#include "harness/client/outside/broker/broker.h"
#include "harness/client/outside/framework_switches.h"
#include "harness/client/outside/party_functions.h"
#include "harness/client/outside/run_folder.h"
#include "harness/client/outside/search/failure.h"
#include "harness/client/outside/shim.h"
#include "harness/client/outside/source_places.h"

namespace harness::client {
namespace {

namespace fs = std::filesystem;

/// Libraries that are loaded before those of the program and of the user: the one that observes the
/// start and the waits of threads, our NVRTC and our nvJitLink.
constexpr std::array kPreloaded{"libafterlife_threads.so", "libnvrtc.so.13", "libnvJitLink.so.13"};
/// The folder of our replacements for nvcc and ptxas.
constexpr const char* kStandIns = "stand_ins/bin";
constexpr std::array kLibraries{"libcuda.so.1",          "libcudart.so.13",    "libcudart.so.12",
                                "libafterlife_audit.so", kPreloaded[0],        kPreloaded[1],
                                kPreloaded[2],           "stand_ins/bin/ptxas"};

/// Returns the assignment of a variable: its current value with `first` in front.
std::string with_first(const char* variable, const std::string& first) {
  const char* before = std::getenv(variable);
  const bool is_set = before != nullptr && *before != '\0';
  return fmt::format("{}={}{}{}", variable, first, is_set ? ":" : "", is_set ? before : "");
}

/// Returns whether the loader reads a path into our folder as one path: it splits at ' ' and ':'.
bool is_one_path(const Client& client) {
  return client.library_folder.find_first_of(" :") == std::string::npos;
}

/// Returns the value of LD_PRELOAD. If the loader would split our paths, it has only the names,
/// which LD_LIBRARY_PATH then resolves.
std::string preloaded(const Client& client) {
  const std::string& library_folder = client.library_folder;
  const bool is_one = is_one_path(client);
  std::string names;
  if (client.notes_reads && is_one) names = library_folder + "/world_reads/libafterlife_reads.so";
  for (const char* library : kPreloaded)
    names += fmt::format("{}{}{}", names.empty() ? "" : ":", is_one ? library_folder + "/" : "",
                         library);
  return names;
}

std::string audit(const Client& client) {
  constexpr const char* kAudit = "libafterlife_audit.so";
  return is_one_path(client) ? client.library_folder + "/" + kAudit : kAudit;
}

std::vector<std::string> environment_of(const Client& client, const std::string& folder) {
  const std::string stand_ins = fmt::format("{}/{}", client.library_folder, kStandIns);
  std::vector<std::string> wanted{fmt::format("{}={}", kFolderVariable, folder),
                                  with_first("LD_LIBRARY_PATH", client.library_folder),
                                  with_first("LD_PRELOAD", preloaded(client)),
                                  with_first("LD_AUDIT", audit(client)),
                                  with_first("PATH", stand_ins)};
  const bool has_python_path = std::ranges::any_of(
      client.environment, [](const std::string& one) { return one.starts_with("PYTHONPATH="); });
  if (!has_python_path)
    wanted.push_back(with_first("PYTHONPATH", client.library_folder + "/torch"));
  for (std::string& each : framework_switches(client.library_folder, stand_ins))
    wanted.push_back(std::move(each));
  // Without a fixed seed, the order of Python's sets of strings would differ between runs.
  if (std::getenv("PYTHONHASHSEED") == nullptr) wanted.emplace_back("PYTHONHASHSEED=0");
  wanted.insert(wanted.end(), client.environment.begin(), client.environment.end());
  return wanted;
}

/// Adds the last known call of a process that ended without a complete report.
void add_last_call(Report& report, const std::string& folder) {
  const LastCall last = read_last_call(folder, report.process);
  if (!last.is_in_function)
    report.called.clear();
  else if (report.called.empty())
    report.called.push_back({.site = kHostFunction});
  if (last.call_count < report.call_count) return;
  report.call_count = last.call_count;
  report.last_call = last.function;
}

/// Returns the folder of our libraries: `lib` beside this program in a build tree, ../lib/afterlife
/// in an installation.
fs::path find_library_folder() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path built = folder / "lib";
  const fs::path installed = folder.parent_path() / "lib" / "afterlife";
  return fs::exists(installed) && !fs::exists(built / kLibraries[0]) ? installed : built;
}

/// Returns the hash of the place of a use, without the frame of a kernel.
Name code_of_use(const ToldFault& fault) {
  const Place& place = fault.use.place;
  const bool has_kernel =
      !place.empty() && place.front().offset != 0 && place.front().function == fault.use.site;
  return hash_of(has_kernel ? Place(place.begin() + 1, place.end()) : place);
}

/// Looks up the source lines of machine code, and the functions that identify each fault.
void locate(ClientRun& run) {
  std::vector<ToldFault*> faults;
  std::vector<Place*> places;
  for (ToldFault& failure : run.failures) faults.push_back(&failure);
  for (Report& report : run.reports) {
    for (ToldFault& fault : report.faults) {
      faults.push_back(&fault);
      places.insert(places.end(), {&fault.record.place, &fault.wait.place, &fault.again.place});
    }
    for (ToldDecision& decision : report.decisions) places.push_back(&decision.place);
  }
  for (ToldFault* fault : faults)
    for (const PartyInfo& info : kParties)
      (fault->*info.party).code = hash_of((fault->*info.party).place);
  for (ToldFault* fault : faults) fault->use.code = code_of_use(*fault);
  add_lines(faults, places);
  for (ToldFault* fault : faults) {
    fault->at = functions_of(*fault);
    fault->former_at = former_functions_of(*fault);
    if (fault->former_at == fault->at) fault->former_at.clear();
  }
}

}  // namespace

std::vector<Report> read_reports(const std::string& folder) {
  std::vector<Report> reports;
  for (unsigned number = 1; fs::exists(report_file(folder, number)); ++number) {
    const std::string text = read_whole_file(report_file(folder, number));
    if (text.empty())
      reports.push_back({.process = number});
    else
      reports.push_back(parse_report(text));
    if (!reports.back().is_whole) add_last_call(reports.back(), folder);
  }
  // Process numbers may depend on the system's scheduling; paths do not.
  std::ranges::sort(reports, {}, [](const Report& report) {
    return std::tuple(report.path.empty(), report.path.size(), report.path, report.process);
  });
  return reports;
}

std::string library_folder() {
  if (kAsan || kTsan)
    throw std::runtime_error(
        "this build's libcuda.so.1 is built with a sanitizer, which other programs do not load: "
        "use the build dev or release");
  const fs::path folder = find_library_folder();
  for (const char* library : kLibraries)
    if (!fs::exists(folder / library))
      throw std::runtime_error(
          fmt::format("{}/{} is missing: in a clone, build it with ./scripts/build.sh PRESET "
                      "cuda_sim; otherwise install Afterlife again",
                      folder.string(), library));
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
  ToldFault wanted;
  wanted.signature = signature;
  return find(wanted);
}

const ToldFault* ClientRun::find(const ToldFault& wanted) const {
  for (const Report& report : reports)
    for (const ToldFault& fault : report.faults)
      if (fault.is_same(wanted)) return &fault;
  for (const ToldFault& failure : failures)
    if (failure.is_same(wanted)) return &failure;
  return nullptr;
}

const ToldDecision* ClientRun::failure() const {
  const ToldDecision* last = nullptr;
  for (const Report& report : reports)
    for (const ToldDecision& told : report.decisions)
      if (told.is_failure()) last = &told;
  return last;
}

bool ClientRun::has_passed_limit() const {
  return std::ranges::any_of(reports, [](const Report& report) {
    return std::ranges::any_of(report.decisions, &ToldDecision::is_time_limit);
  });
}

std::string ClientRun::last_call() const {
  for (const Report& report : reports)
    if (!report.last_call.empty())
      return fmt::format("its last CUDA call, of {}, was {}{}", report.call_count, report.last_call,
                         report.called.empty() ? "" : ", and a host function had not returned");
  return {};
}

std::string ClientRun::own_failure(double timeout_seconds) const {
  for (const Report& report : reports)
    if (std::ranges::any_of(report.faults,
                            [](const ToldFault& fault) { return fault.pedantic.empty(); }))
      return {};
  const std::string complaint = ended.complaint(timeout_seconds);
  const ToldDecision* failed = failure();
  if (is_giving_up_in_time(*this)) return {};
  if (complaint.empty() || failed == nullptr) return complaint;
  if (ended.code > 0) return {};
  return fmt::format("{}, when an error was injected into {}", complaint, failed->who);
}

double limit_of(const Client& client, const Orders& orders) {
  return orders.limit_seconds == 0 ? client.timeout_seconds : orders.limit_seconds;
}

ProcessOptions process_options(const Client& client, const std::string& folder,
                               const Orders& orders, ProcessWatch* watch) {
  constexpr std::size_t kErrLimit = std::size_t{1} << 20;
  return {limit_of(client, orders), environment_of(client, folder), kErrLimit, true, watch};
}

void judge_end(ClientRun& run, const Client& client, const Orders& orders) {
  const auto hung =
      std::ranges::find_if(run.reports, [](const Report& one) { return !one.stuck.empty(); });
  const bool has_hung = hung != run.reports.end();
  if (has_hung && hung->is_deadlock)
    run.ended.hang = "deadlocks: each of its threads waits for another";
  else if (has_hung || run.ended.timed_out)
    run.ended.hang = fmt::format("did not end within {:g} s{}", limit_of(client, orders),
                                 orders.limit_seconds == 0 ? " (--timeout)" : "");
  if (has_hung) run.ended.timed_out = run.ended.outlived = false;
  run.failures = failures_of(run);
}

ClientRun run_client(const Client& client, const Orders& orders, const std::atomic<bool>& stop) {
  const RunFolder folder;
  write_orders(folder.name(), orders);
  ClientRun run;
  const Broker broker(folder.name());
  HangWatch watch;
  run.ended = run_process(without_shim(client.command, client.environment),
                          process_options(client, folder.name(), orders, &watch), stop);
  run.reports = read_reports(folder.name());
  judge_end(run, client, orders);
  if (orders.locates) locate(run);
  return run;
}

}  // namespace harness::client
