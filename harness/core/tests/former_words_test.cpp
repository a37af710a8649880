// SPDX-License-Identifier: Apache-2.0
// Files of older versions use other names for three kinds of fault. They are read as if they were
// new.
#include "harness/core/fault/former_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/client/outside/finding_file.h"
#include "harness/client/outside/suppressions.h"
#include "harness/nightly/cause.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness {
namespace {

using ::testing::ElementsAre;

TEST(FormerWords, AreReplacedAtTheStartOfASignatureOnly) {
  EXPECT_EQ(in_current_words("order device memory born:a"), "data_race device memory born:a");
  EXPECT_EQ(in_current_words("retention"), "leak");
  EXPECT_EQ(in_current_words("use_after_death stream"), "use_after_free stream");
  EXPECT_EQ(in_current_words("ordered"), "ordered");
  EXPECT_EQ(in_current_words("crash order"), "crash order");
  EXPECT_EQ(in_current_words(""), "");
  for (const char* signature : {"order device memory", "retention slot", "double_free region"})
    EXPECT_EQ(in_former_words(in_current_words(signature)), signature);
}

TEST(FormerWords, AreAcceptedInAReproducer) {
  const Reproducer read = parse_reproducer(
      "afterlife reproducer 1\npath argpack\nvariant borrow\n"
      "config backend=gfx gil=off collector=allocation\ndevice sim\ntasks script\n"
      "script:0 op new_argpack\n"
      "fault order device memory used:a\nfault retention slot\nend\n",
      "old.repro");
  EXPECT_THAT(read.faults, ElementsAre("data_race device memory used:a", "leak slot"));
}

TEST(FormerWords, AreAcceptedInASuppression) {
  const auto read = client::Suppressions::parse("order */x.py a reason\n* f another\n", "old");
  EXPECT_EQ(read.all()[0].kind, "data_race");
  EXPECT_EQ(read.all()[1].kind, "*");
}

TEST(FormerWords, AreAcceptedInAFindingWhichKeepsItsName) {
  client::Finding finding;
  finding.fault.kind = "data_race";
  finding.fault.signature = "data_race bytes of device memory used:cuMemcpy";
  std::string text = client::to_text(finding, {"python3", "x.py"});
  for (std::size_t at = text.find("data_race"); at != text.npos; at = text.find("data_race"))
    text.replace(at, 9, "order");
  const client::Finding read = client::parse_finding(text).finding;
  EXPECT_EQ(read.fault.kind, "data_race");
  EXPECT_EQ(read.fault.signature, finding.fault.signature);
  finding.fault.kind = "order";
  finding.fault.signature = "order bytes of device memory used:cuMemcpy";
  EXPECT_EQ(client::finding_name(finding, "x").substr(8),
            client::finding_name(read, "x").substr(12))
      << "the number in the name";
}

TEST(FormerWords, DoNotChangeTheCause) {
  nightly::Cell cell;
  cell.path = "path";
  cell.variant = "variant";
  EXPECT_EQ(nightly::cause_of(cell, {"fault", "retention", "retention slot"}),
            nightly::cause_of(cell, {"fault", "leak", "leak slot"}));
  EXPECT_NE(nightly::cause_of(cell, {"fault", "leak", "leak slot"}),
            nightly::cause_of(cell, {"fault", "leak", "leak Box"}));
}

}  // namespace
}  // namespace harness
