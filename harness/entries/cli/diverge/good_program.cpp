#include "harness/entries/cli/diverge/good_program.h"

#include "harness/entries/cli/bisect/asked.h"
#include "harness/entries/cli/diverge/steps.h"
#include "harness/files/fail.h"
#include "harness/files/read.h"
#include "harness/reproducer.h"

namespace harness::entries {

Followed GoodProgram::follow(const Case& the_case) const {
  const std::string file = scratch_.name() + "/case.repro";
  const std::string steps = scratch_.name() + "/steps.json";
  Reproducer asked;
  asked.the_case = the_case;
  write_reproducer(file, asked);
  const Answer answer = ask({program_, "replay", file, "--steps", steps, "--json"}, stop_);
  if (!answer.said) fail(program_, "cannot replay a case: " + answer.why);
  const std::set<std::string> faults = signatures_in(*answer.said);
  return {parse_steps(read_whole_file(steps), steps), {faults.begin(), faults.end()}};
}

}  // namespace harness::entries
