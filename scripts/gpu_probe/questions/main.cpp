// SPDX-License-Identifier: Apache-2.0
// What CUDA's documentation leaves open, asked of the driver: one row per question. Built without a
// driver (libcuda.so.1 is opened at run time); CUDA 13's cuda.h, documented calls only.
//
// Usage: may [--only PART,...] [--list] [--kernels FILE] [--conditional FILE] [--out FOLDER]
//            [--budget SECONDS] [--jobs N] [--self-test]
// Exit: 0 asked, also where rows timed out; 1 usage, or a folder that cannot be written; 2 no
// driver or no device.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "children.h"
#include "device.h"

struct Options {
  std::string only, out, kernels, conditional;
  double budget = 160;
  int jobs = 1;
  bool list = false, self = false;
  std::string unknown;
};

static Options parse(int argc, char** argv) {
  const std::string program = argv[0];
  const size_t slash = program.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : program.substr(0, slash);
  Options o;
  o.kernels = folder + "/may.fatbin", o.conditional = folder + "/may_conditional.fatbin";
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    auto next = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (a == "--only")
      o.only = next();
    else if (a == "--kernels")
      o.kernels = next();
    else if (a == "--conditional")
      o.conditional = next();
    else if (a == "--out")
      o.out = next();
    else if (a == "--budget")
      o.budget = atof(next());
    else if (a == "--jobs")
      o.jobs = atoi(next());
    else if (a == "--list")
      o.list = true;
    else if (a == "--self-test")
      o.self = true;
    else
      o.unknown = a;
  }
  return o;
}

[[noreturn]] static void hang() {
  for (;;) pause();
}

/// Rows that end in every way in which a row can end.
static void plant_rows() {
  rows().clear();
  Add("self.answer", "quotes \" and \\ and control characters", "-",
      [] { answer("one \"two\" \\ three\n\x01"); });
  Add(
      "self.hang", "hangs, with a child of its own that hangs", "-",
      [] {
        answer("began");
        fork();
        hang();
      },
      1);
  Add("self.crash", "signal", "-", [] { raise(SIGSEGV); });
  Add("self.leave", "leaves a child behind", "-", [] {
    if (!fork()) hang();
    answer("left");
  });
  Add("self.exit", "exits", "-", [] { _exit(3); });
  Add("self.stop", "a failing call", "-", [] { CU(cuMemFree(1)); });
}

/// What is asked of few calls comes first.
static void sort_rows() {
  auto rank = [](const Row& r) {
    return r.id.rfind("capture.", 0) == 0 ? 1 : r.id.rfind("busy.", 0) == 0 ? 2 : 0;
  };
  std::stable_sort(rows().begin(), rows().end(),
                   [&](const Row& a, const Row& b) { return rank(a) < rank(b); });
}

static std::string file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// A child that has the device open all the while: it says which device it is, and keeps each row's
/// start short.
class Keeper {
 public:
  Keeper() {
    page = page_ = new_page();
    child_ = fork();
    if (!child_) keep();
    const auto began = Clock::now();
    int status = 0;
    while (!is_up() && ms(began) < 30000 && waitpid(child_, &status, WNOHANG) == 0) usleep(1000);
  }
  ~Keeper() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  bool is_up() const { return page_->stage == 1; }
  const char* why_not() const {
    return page_->answer[0] ? page_->answer : "the driver did not come up";
  }
  Machine machine() const {
    const int version = static_cast<int>(page_->words[0]);
    std::string driver = text("CUDA %d.%d", version / 1000, version % 1000 / 10), module;
    if (std::ifstream("/sys/module/nvidia/version") >> module) driver += " / " + module;
    return {page_->detail, driver};
  }

 private:
  [[noreturn]] static void keep() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      init();
      int version = 0;
      CU(cuDriverGetVersion(&version));
      page->words[0] = static_cast<unsigned long long>(version);
      CU(cuDeviceGetName(page->detail, 200, device));
      page->stage = 1;
    } catch (Stop& s) {
      answer("%s", s.why.c_str());
      _exit(2);
    }
    hang();
  }

  Page* page_ = nullptr;
  pid_t child_ = 0;
};

static int ask(const Options& options) {
  const auto began = Clock::now();
  const Keeper keeper;
  if (!keeper.is_up()) {
    fprintf(stderr, "no device: %s\n", keeper.why_not());
    return 2;
  }
  const Machine machine = keeper.machine();
  printf("%s, driver %s; kernels: %s\n", machine.device.c_str(), machine.driver.c_str(),
         kernels_image.empty() ? "none" : options.kernels.c_str());
  fflush(stdout);
  Report report(machine, options.out);
  if (!report.can_write()) {
    perror(options.out.c_str());
    return 1;
  }
  Children children(report, options.jobs, options.budget);
  children.ask(rows(), options.only);
  report.end(children.counts(), ms(began) / 1000);
  return 0;
}

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!options.unknown.empty()) {
    fprintf(stderr, "unknown: %s\n", options.unknown.c_str());
    return 1;
  }
  if (options.self) plant_rows();
  sort_rows();
  if (options.list) {
    for (auto& r : rows()) printf("%-48s %s\n", r.id.c_str(), r.question.c_str());
    return 0;
  }
  if (!open_driver()) {
    fprintf(stderr, "no driver\n");
    return 2;
  }
  // Loading must not wait for a gate; streams must not share a queue.
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  kernels_image = file(options.kernels);
  conditional_image = file(options.conditional);
  if (!kernels_image.empty()) kernels_image += '\0';
  return ask(options);
}
