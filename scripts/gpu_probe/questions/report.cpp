// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <sys/stat.h>

#include <cstdio>

#include "page.h"

static std::string json(const std::string& s) {
  std::string o = "\"";
  for (unsigned char c : s) {
    if (c == '"' || c == '\\') {
      o += '\\';
      o += static_cast<char>(c);
    } else if (c < 32 || c > 126)
      o += text("\\u%04x", c);
    else
      o += static_cast<char>(c);
  }
  return o + '"';
}

Report::Report(Machine machine, const std::string& folder) : machine_(machine) {
  if (folder.empty()) return;
  mkdir(folder.c_str(), 0777);
  lines_ = fopen((folder + "/may.jsonl").c_str(), "w");
  table_ = fopen((folder + "/may.txt").c_str(), "w");
  can_write_ = lines_ && table_;
}

Report::~Report() {
  if (lines_) fclose(lines_);
  if (table_) fclose(table_);
}

void Report::tell(const Row& row, const std::string& answer, const std::string& detail, double ms) {
  told_.push_back({row.id, row.question, row.doc, answer, detail});
  const std::string line = "{\"row\":" + json(row.id) + ",\"question\":" + json(row.question) +
                           ",\"doc\":" + json(row.doc) + ",\"answer\":" + json(answer) +
                           ",\"detail\":" + json(detail) + ",\"milliseconds\":" + text("%.0f", ms) +
                           ",\"driver\":" + json(machine_.driver) +
                           ",\"device\":" + json(machine_.device) + "}\n";
  FILE* to = lines_ ? lines_ : stdout;
  fputs(line.c_str(), to);
  fflush(to);
}

void Report::print(FILE* to, const Told& one) const {
  fprintf(to, "\n%s  [%s]\n  %s\n", one.id.c_str(), one.doc.c_str(), one.question.c_str());
  size_t from = 0;
  for (size_t end; (end = one.answer.find("; ", from)) != std::string::npos; from = end + 2)
    fprintf(to, "    = %s\n", one.answer.substr(from, end - from).c_str());
  fprintf(to, "    = %s\n", one.answer.substr(from).c_str());
  if (!one.detail.empty()) fprintf(to, "      (%s)\n", one.detail.c_str());
}

void Report::end(const Counts& counts, double seconds) {
  for (FILE* to : {stdout, table_}) {
    if (!to) continue;
    fprintf(to, "\n%s, driver %s\n", machine_.device.c_str(), machine_.driver.c_str());
    for (const Told& one : told_) print(to, one);
    fprintf(to, "\n%zu rows, %d timed out, %d crashed, %d not asked; %.0f s\n", told_.size(),
            counts.timed_out, counts.crashed, counts.not_asked, seconds);
  }
}
