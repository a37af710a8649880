// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/night_folder.h"

#include "harness/base/files/fail.h"
#include "harness/base/files/foreign_file.h"
#include "harness/base/files/make_folder.h"
#include "harness/base/files/whole_file.h"
#include "harness/command/lookup.h"
#include "harness/nightly/shard/shard.h"

namespace harness::entries {

namespace fs = std::filesystem;
using nightly::Plan;

NightFolder::NightFolder(const std::string& history)
    : folder_(fs::path(history) / "night"), cleared_(fs::path(history) / "night.over") {
  require_no_link(name());
}

std::string NightFolder::shard(std::size_t index, std::size_t count) const {
  return (folder_ / nightly::shard_name(index, count)).string();
}

bool NightFolder::has_plan() const { return fs::exists(plan_file()); }

bool NightFolder::is_under_way(nightly::History& history) const {
  remove_what_was_cleared();
  if (!has_plan()) return false;
  const Plan plan = plan_as_written();
  const std::string night = nightly::id_of(plan);
  if (!history.has_all(night, plan.terms.shards) || lacks_notice(night)) return true;
  clear();
  return false;
}

Plan NightFolder::plan_as_written() const {
  const fs::path file = plan_file();
  return nightly::parse_plan(
      ForeignFile::in_folder(name(), file.filename().string(), "plan").text(), file.string());
}

Plan NightFolder::plan() const {
  Plan plan = plan_as_written();
  if (nightly::is_of_programs(plan)) return plan;  // The search checks the list.
  if (plan !=
      nightly::make_plan(plan.terms, tables::scenarios(), plan.known, plan.tapes, plan.inputs))
    throw std::runtime_error(
        fmt::format("{}: was created by a program with different paths or variants; finish the "
                    "night with that program, or remove {}",
                    printable(plan_file().string()), printable(name())));
  return plan;
}

void NightFolder::write(const Plan& plan) const {
  make_folder(name());
  write_whole_file(plan_file().string(), nightly::to_text(plan));
}

std::string NightFolder::id() const { return nightly::id_of(plan_as_written()); }

bool NightFolder::lacks_notice(const std::string& night) const {
  return has_plan() && id() == night && !fs::exists(notice_file());
}

void NightFolder::record_notice(const std::string& night) const {
  if (lacks_notice(night)) write_whole_file(notice_file().string(), night + "\n");
}

void NightFolder::clear() const {
  remove_what_was_cleared();
  std::error_code failed;
  fs::rename(folder_, cleared_, failed);
  if (failed && failed != std::errc::no_such_file_or_directory)
    fail(name(), fmt::format("cannot remove it: {}", failed.message()));
  remove_what_was_cleared();
}

void NightFolder::remove_what_was_cleared() const {
  std::error_code failed;
  fs::remove_all(cleared_, failed);
  if (failed) fail(cleared_.string(), fmt::format("cannot remove it: {}", failed.message()));
}

}  // namespace harness::entries
