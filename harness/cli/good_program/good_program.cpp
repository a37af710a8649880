// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/good_program/good_program.h"

#include "harness/base/files/fail.h"
#include "harness/base/files/read.h"
#include "harness/cli/good_program/asked.h"
#include "harness/cli/good_program/steps.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness::entries {

Followed GoodProgram::follow(const Case& the_case, std::optional<std::size_t> step) const {
  const std::string file = scratch_.name() + "/case.repro";
  const std::string steps = scratch_.name() + "/steps.json";
  Reproducer asked;
  asked.the_case = the_case;
  write_reproducer(file, asked);
  Command command{program_, "replay", file, "--steps", steps, "--json"};
  if (step) command.insert(command.end(), {"--step", std::to_string(*step)});
  const Answer answer = ask(command, stop_);
  if (!answer.said) fail(program_, "cannot replay a case: " + answer.why);
  const std::set<std::string> faults = signatures_in(*answer.said);
  Followed followed = parse_steps(read_whole_file(steps), steps);
  followed.signatures.assign(faults.begin(), faults.end());
  return followed;
}

}  // namespace harness::entries
