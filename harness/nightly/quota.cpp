// SPDX-License-Identifier: Apache-2.0
// How it works. The size is that of history.sqlite and all files below findings/; a night in
// progress does not count. Files are dropped in the order of their modification times, when their
// finding was new; reproducers in the database by the last night that saw the finding.
#include "harness/nightly/quota.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "harness/base/files/fail.h"

namespace harness::nightly {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPageEnding = ".repro.html";
constexpr std::string_view kReproducerEnding = ".repro";

struct File {
  bool is_page = false;
  fs::file_time_type written;
  fs::path path;
  std::uint64_t bytes = 0;
};

bool goes_before(const File& a, const File& b) {
  return std::tuple(!a.is_page, a.written, a.path) < std::tuple(!b.is_page, b.written, b.path);
}

class Quota {
 public:
  Quota(History& history, const std::string& folder, std::uint64_t limit)
      : history_(history), folder_(folder), limit_(limit) {}

  Dropped run() {
    measure();
    if (is_over()) drop_files();
    if (is_over()) drop_reproducers();
    return dropped_;
  }

 private:
  bool is_over() const { return dropped_.bytes_left > limit_; }
  Database& database() { return history_.database(); }

  std::uint64_t database_bytes() {
    database().query("PRAGMA wal_checkpoint(TRUNCATE)");
    const Row row = database().query(
        "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")[0];
    return row.count("bytes");
  }

  void measure() {
    dropped_.bytes_left = database_bytes();
    files_.clear();
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "findings", none)) {
      if (!entry.is_regular_file(none)) continue;
      const std::string name = entry.path().filename().string();
      const File file{name.ends_with(kPageEnding), entry.last_write_time(none), entry.path(),
                      entry.file_size(none)};
      dropped_.bytes_left += file.bytes;
      if (file.is_page || name.ends_with(kReproducerEnding)) files_.push_back(file);
    }
    std::sort(files_.begin(), files_.end(), goes_before);
  }

  /// Returns the file names of the new findings of the last night.
  std::set<std::string> news() {
    std::set<std::string> names;
    const std::string last = history_.last_night();
    if (last.empty()) return names;
    for (const NightFinding& finding : history_.night(last).findings)
      if (finding.is_news()) names.insert({finding.file, finding.file + ".html"});
    return names;
  }

  void drop_files() {
    const std::set<std::string> wanted = news();
    for (const File& file : files_) {
      if (!is_over()) return;
      if (wanted.contains(file.path.filename().string())) continue;
      std::error_code failed;
      fs::remove(file.path, failed);
      if (failed) fail(file.path, "cannot remove it: " + failed.message());
      dropped_.bytes_left -= file.bytes;
      ++dropped_.files;
    }
  }

  // Deleted text leaves free space in the file, which only VACUUM returns.
  void drop_reproducers() {
    std::uint64_t gone = 0;
    {
      Transaction transaction(database());
      for (const ClosedFinding& finding : history_.closed_findings()) {
        if (dropped_.bytes_left <= limit_ + gone) break;
        history_.drop_reproducer(finding.cause);
        gone += finding.reproducer_bytes;
        ++dropped_.reproducers;
      }
      transaction.commit();
    }
    if (dropped_.reproducers == 0) return;
    const std::uint64_t before = database_bytes();
    database().run("VACUUM");
    dropped_.bytes_left -= before - std::min(before, database_bytes());
  }

  History& history_;
  fs::path folder_;
  std::uint64_t limit_;
  std::vector<File> files_;  ///< Files that may be dropped, in this order.
  Dropped dropped_;
};

}  // namespace

Dropped keep_within(History& history, const std::string& folder, std::uint64_t limit) {
  if (limit == 0) return {};
  return Quota(history, folder, limit).run();
}

}  // namespace harness::nightly
