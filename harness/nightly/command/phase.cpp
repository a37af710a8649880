// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/phase.h"

#include <sys/prctl.h>

#include <string>

namespace harness::entries {

void show_phase(nightly::Phase phase) {
  const std::string name = "night: " + std::string(nightly::to_text(phase));
  ::prctl(PR_SET_NAME, name.c_str());
}

}  // namespace harness::entries
