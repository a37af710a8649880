// SPDX-License-Identifier: Apache-2.0
#include "children.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "driver.h"

Page* new_page() {
  void* m = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (m == MAP_FAILED) {
    perror("mmap");
    exit(1);
  }
  return new (m) Page{};
}

[[noreturn]] static void in_child(const Row& row) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  try {
    row.run();
  } catch (Stop& s) {
    page->failed = true;
    const bool was_asked = s.why.rfind("no kernel", 0) != 0 && s.why.rfind("not asked", 0) != 0;
    answer("%s%s", was_asked ? "could not go on: " : "", s.why.c_str());
  }
  _exit(0);  // Not exit(): the driver's own clean-up would wait for what still runs.
}

bool Children::fits(const Row& row) const {
  return running_.empty() || (!is_alone(row) && running_.begin()->second.row->beside &&
                              static_cast<int>(running_.size()) < jobs_);
}

void Children::begin(const Row& row) {
  page = new_page();
  const pid_t child = fork();
  if (child < 0) {
    perror("fork");
    exit(1);
  }
  if (!child) in_child(row);
  setpgid(child, child);
  running_[child] = {&row, page, Clock::now(), Clock::now() + std::chrono::seconds(row.seconds)};
}

void Children::begin_some(const std::vector<Row>& wanted, size_t& next) {
  while (next < wanted.size() && fits(wanted[next])) {
    const Row& row = wanted[next++];
    if (ms(from_) > budget_ * 1000) {
      ++counts_.not_asked;
      report_.tell(row, "not asked: out of time", "", 0);
      continue;
    }
    begin(row);
    if (is_alone(row)) return;
  }
}

std::string Children::answer_of(const Running& one, bool is_late, int status) {
  std::string said = one.page->answer;
  const std::string between = said.empty() ? "" : "; ";
  const char* step = one.page->step;
  if (is_late) {
    ++counts_.timed_out;
    said += between + "timed out in " + (step[0] ? step : "no call");
  } else if (WIFSIGNALED(status)) {
    ++counts_.crashed;
    said += between + text("signal %d in %s", WTERMSIG(status), step);
  } else if (WEXITSTATUS(status))
    said += between + text("left with %d in %s", WEXITSTATUS(status), step);
  return said.empty() ? "no answer" : said;
}

void Children::end_some() {
  for (auto i = running_.begin(); i != running_.end();) {
    const auto [child, one] = *i;
    int status = 0;
    const bool runs = waitpid(child, &status, WNOHANG) == 0;
    const bool is_late = runs && Clock::now() > one.until;
    if (runs && !is_late) {
      ++i;
      continue;
    }
    kill(-child, SIGKILL);
    while (is_late && waitpid(child, &status, WNOHANG) == 0 &&
           Clock::now() < one.until + std::chrono::seconds(2))
      usleep(1000);
    report_.tell(*one.row, answer_of(one, is_late, status), one.page->detail, ms(one.from));
    munmap(one.page, sizeof(Page));
    i = running_.erase(i);
  }
}

/// Tells whether the name holds one of the parts, which commas separate; no part is in every name.
static bool is_among(const std::string& name, const std::string& parts) {
  for (size_t begin = 0; begin <= parts.size();) {
    const size_t end = std::min(parts.find(',', begin), parts.size());
    if (name.find(parts.substr(begin, end - begin)) != std::string::npos) return true;
    begin = end + 1;
  }
  return false;
}

void Children::ask(const std::vector<Row>& all, const std::string& only) {
  std::vector<Row> wanted;
  std::copy_if(all.begin(), all.end(), std::back_inserter(wanted),
               [&](const Row& row) { return is_among(row.id, only); });
  for (size_t next = 0; next < wanted.size() || !running_.empty(); usleep(500)) {
    begin_some(wanted, next);
    end_some();
  }
}
