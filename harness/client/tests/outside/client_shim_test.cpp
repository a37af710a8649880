// SPDX-License-Identifier: Apache-2.0
// Shims of pyenv: `afterlife run` starts the interpreter that `pyenv which` names, not the shim.
#include <fmt/format.h>

#include <cstdlib>

#include "harness/client/outside/shim.h"
#include "harness/client/tests/run_stage.h"

namespace harness::client {
namespace {

using ::testing::IsEmpty;
namespace fs = std::filesystem;

/// A shim that counts its starts, and a pyenv that counts how often it is asked.
class ClientShim : public testing::RunStage {
 protected:
  void SetUp() override {
    RunStage::SetUp();
    if (IsSkipped()) return;
    write_program("shims/python3", R"(exec "/pyenv/libexec/pyenv" exec "$program" "$@")");
    write_program("bin/pyenv", "[ \"$1\" = which ] && echo /usr/bin/python3");
    ::setenv("PATH", fmt::format("{}:{}", folder_ / "shims", path_).c_str(), 1);
  }
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }

  /// Writes a program that adds a line to a file beside it, and then does what the line says.
  void write_program(const std::string& name, const std::string& line) const {
    const fs::path file = folder_ / name;
    fs::create_directories(file.parent_path());
    write_file(file, fmt::format("#!/bin/sh\necho >> {}.starts\n{}\n", file.string(), line));
    fs::permissions(file, fs::perms::owner_all);
  }

  std::string starts_of(const std::string& name) const {
    const fs::path file = folder_ / (name + ".starts");
    return fs::exists(file) ? read_file(file) : "";
  }

  const std::string path_ = std::getenv("PATH");
};

TEST_F(ClientShim, ARunStartsTheInterpreterBehindIt) {
  const nlohmann::json result =
      found({"--runs", "30"}, {"python3", testing::script("collected.py")}, 1);
  EXPECT_EQ(result["findings"].size(), 1u);
  EXPECT_THAT(starts_of("shims/python3"), IsEmpty());
  EXPECT_EQ(starts_of("bin/pyenv"), "\n");
}

TEST_F(ClientShim, AProgramThatPyenvDoesNotHaveIsStartedAsItIs) {
  write_program("bin/pyenv", "exit 127");
  EXPECT_THAT(program_behind_shim("python3"), IsEmpty());
  write_program("bin/pyenv", "echo /no/such/python3");
  EXPECT_THAT(program_behind_shim("python3"), IsEmpty());
}

TEST_F(ClientShim, AVariableThatChangesTheChoiceKeepsTheShim) {
  const Command command{"python3", "mine.py"};
  EXPECT_EQ(without_shim(command, {"PYENV_VERSION=3.12"}), command);
  EXPECT_EQ(without_shim(command, {"PATH=/usr/bin"}), command);
}

TEST_F(ClientShim, AnotherScriptInAFolderOfThatNameIsNone) {
  write_program("shims/python3", "exec /usr/bin/python3 \"$@\"");
  EXPECT_THAT(program_behind_shim("python3"), IsEmpty());
}

}  // namespace
}  // namespace harness::client
