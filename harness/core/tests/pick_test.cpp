// SPDX-License-Identifier: Apache-2.0
#include "harness/core/pick/pick.h"

#include <gtest/gtest.h>

#include "harness/core/pick/replay.h"
#include "harness/core/tests/run_tasks.h"

namespace harness {
namespace {

constexpr Decision decide(Name activation, Site site, std::uint16_t nth, std::uint32_t value) {
  return {activation, site_tag(site), nth, value};
}

/// Options that are things: named 10, 20, 30 ...
class Tens : public Options {
 public:
  std::uint32_t value(std::uint32_t index) const override { return index * 10; }
};

TEST(Pick, EverySiteIsFoundByItsTag) {
  for (std::size_t i = 0; i < kSiteCount; ++i)
    EXPECT_EQ(site_of_tag(site_tag(static_cast<Site>(i))), static_cast<int>(i));
  EXPECT_EQ(site_of_tag(0), -1);
}

TEST(Pick, DerivedNamesNeverCollideWithOpSlots) {
  for (std::uint32_t nth = 0; nth < 1000; ++nth)
    EXPECT_EQ(derive_name(slot_name(3, 4), Label("thing").hash(), nth) >> 62, 2u);
  EXPECT_LT(slot_name(0xfffe, 0xffff), Name{1} << 33);
}

TEST(Pick, OnlyAnswersOtherThanTheDefaultReachTheTape) {
  testing::Plain plain;
  testing::Contrary contrary;
  Picker picker;
  picker.begin(plain);
  EXPECT_EQ(picker.pick(Site::collect, 3), 0u);
  EXPECT_TRUE(picker.tape().empty());
  picker.begin(contrary);
  EXPECT_EQ(picker.pick(Site::collect, 3), 2u);
  EXPECT_EQ(picker.tape(), Tape{decide(0, Site::collect, 0, 2)});
}

TEST(Pick, AQuestionWithOneOptionIsCountedButNotAsked) {
  testing::Contrary contrary;
  Picker picker;
  picker.begin(contrary);
  EXPECT_EQ(picker.pick(Site::reuse, 1), 0u);
  EXPECT_EQ(picker.pick(Site::reuse, 2), 1u);
  EXPECT_EQ(picker.tape(), Tape{decide(0, Site::reuse, 1, 1)});
  EXPECT_EQ(picker.question_count(), 1u);
}

TEST(Pick, ATapeHasOneDecisionPerQuestionName) {
  testing::Contrary contrary;
  Picker picker;
  picker.begin(contrary);
  constexpr std::uint32_t kMore = 3;
  for (std::uint32_t i = 0; i < Activation::kQuestionLimit; ++i)
    EXPECT_EQ(picker.pick(Site::lag, 2), 1u);
  for (std::uint32_t i = 0; i < kMore; ++i) EXPECT_EQ(picker.pick(Site::lag, 2), 0u);
  EXPECT_EQ(picker.tape().size(), Activation::kQuestionLimit);
  EXPECT_EQ(canonical(picker.tape()).size(), Activation::kQuestionLimit);
  EXPECT_EQ(picker.question_count(), Activation::kQuestionLimit + kMore);
}

TEST(Pick, AStrategyThatObservesAllQuestionsChangesNothing) {
  class Listener final : public testing::Contrary {
   public:
    bool hears_all() const override { return true; }
    std::uint32_t answer(const Question& question) override {
      lone_count += question.option_count == 1;
      return Contrary::answer(question);
    }
    int lone_count = 0;
  } listener;
  Picker picker;
  picker.begin(listener);
  EXPECT_EQ(picker.pick(Site::reuse, 1), 0u);
  EXPECT_EQ(picker.pick(Site::reuse, 2), 1u);
  EXPECT_EQ(listener.lone_count, 1);
  EXPECT_EQ(picker.tape(), Tape{decide(0, Site::reuse, 1, 1)});
  EXPECT_EQ(picker.question_count(), 1u);
}

TEST(Pick, ATapeRecordsTheNameOfAnOptionNotItsIndex) {
  testing::Contrary contrary;
  Picker picker;
  Tens tens;
  picker.begin(contrary);
  picker.pick(Site::schedule, 4, &tens);
  EXPECT_EQ(picker.tape(), Tape{decide(0, Site::schedule, 0, 30)});
}

TEST(Pick, AnAnswerOutOfRangeIsTheDefault) {
  Tens tens;
  EXPECT_EQ((Question{0, Site::schedule, 0, 4, &tens}.index(20)), 2u);
  EXPECT_EQ((Question{0, Site::schedule, 0, 2, &tens}.index(20)), 0u);
  EXPECT_EQ((Question{0, Site::argument, 0, 4, nullptr}.index(3)), 3u);
  EXPECT_EQ((Question{0, Site::argument, 0, 4, nullptr}.index(4)), 0u);
}

TEST(Replay, AnswersFromTheTapeAndElseWithTheDefault) {
  Replay replay({decide(7, Site::lag, 2, 3)});
  replay.begin();
  EXPECT_EQ(replay.answer({7, Site::lag, 2, 4, nullptr}), 3u);
  EXPECT_EQ(replay.answer({7, Site::lag, 1, 4, nullptr}), 0u);
  EXPECT_EQ(replay.answer({7, Site::reuse, 2, 4, nullptr}), 0u);
  EXPECT_EQ(replay.answer({8, Site::lag, 2, 4, nullptr}), 0u);
}

TEST(Replay, CountsEachMatchedDecisionOnce) {
  Replay replay({decide(7, Site::lag, 0, 3), decide(8, Site::lag, 0, 1)});
  replay.begin();
  replay.answer({7, Site::lag, 0, 2, nullptr});
  replay.answer({7, Site::lag, 0, 2, nullptr});
  EXPECT_EQ(replay.met_count(), 1u);
  replay.begin();
  EXPECT_EQ(replay.met_count(), 0u);
}

TEST(Replay, TakesTapesOfAnyLengthAndDropsThePreviousOne) {
  Tape tape;
  for (std::uint32_t i = 0; i < 5000; ++i)
    tape.push_back(
        decide(derive_name(i, 1, 0), Site::argument, static_cast<std::uint16_t>(i), i + 1));
  Replay replay(tape);
  for (const Decision& d : tape)
    ASSERT_EQ(replay.answer({d.activation, Site::argument, d.nth, 100'000, nullptr}), d.value);
  replay.assign({tape[0]});
  EXPECT_EQ(replay.answer({tape[0].activation, Site::argument, 0, 9, nullptr}), 1u);
  EXPECT_EQ(replay.answer({tape[1].activation, Site::argument, 1, 9, nullptr}), 0u);
}

TEST(Canonical, SortsAndDropsDecisionsWithoutEffect) {
  const Decision a = decide(1, Site::lag, 0, 1);
  const Decision b = decide(2, Site::lag, 0, 5);
  const Decision plain = decide(1, Site::reuse, 0, 0);
  const Decision unknown{1, 0, 0, 1};
  EXPECT_EQ(canonical({b, plain, a, unknown}), (Tape{a, b}));
}

TEST(Canonical, TheFirstOfTwoDecisionsOnOneQuestionCounts) {
  const Tape tape{decide(1, Site::lag, 0, 0), decide(1, Site::lag, 0, 2),
                  decide(1, Site::lag, 0, 3)};
  EXPECT_EQ(canonical(tape), Tape{tape[1]});
  Replay replay(tape);
  EXPECT_EQ(replay.answer({1, Site::lag, 0, 9, nullptr}), 2u);
}

}  // namespace
}  // namespace harness
