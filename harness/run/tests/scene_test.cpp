// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "harness/core/pick/replay.h"
#include "harness/core/pick/theme_options.h"
#include "harness/run/scenario/chooser.h"
#include "harness/run/scenario/scenario.h"
#include "harness/run/tests/toy_scenario.h"

namespace harness {
namespace {

struct Model {
  int answer = 0;
};
struct AnotherModel {};

/// A scene of the toy path, begun.
class Scenes : public ::testing::Test {
 protected:
  Scenes() { begin(); }
  void begin() { scene_.begin(testing::toy::scenario, 0, {}); }

  World world_;
  Scene scene_{world_};
};

TEST_F(Scenes, PassesTheDriversStateToJudges) {
  Model model;
  scene_.set_state(model);
  scene_.state<Model>().answer = 42;
  EXPECT_EQ(model.answer, 42);
}

TEST_F(Scenes, StopsAJudgeThatRequestsAnotherType) {
  Model model;
  scene_.set_state(model);
  EXPECT_DEATH(scene_.state<AnotherModel>(), "the state that it has set");
}

TEST_F(Scenes, BeginsWithoutTheStateOfAnEarlierRun) {
  Model model;
  scene_.set_state(model);
  scene_.exercised();
  scene_.mark_vacuous();
  scene_.reach(3);
  scene_.count_op(2);
  scene_.mark_quiescent();
  begin();
  EXPECT_FALSE(scene_.has_state());
  EXPECT_TRUE(scene_.observed().vacuous()) << "nothing ran";
  EXPECT_FALSE(scene_.observed().shows_nothing);
  EXPECT_EQ(scene_.observed().reached, 0u);
  EXPECT_EQ(scene_.observed().ops, 0u);
  EXPECT_FALSE(scene_.observed().quiescent);
}

TEST_F(Scenes, IsVacuousIfAnOracleSaysSo) {
  scene_.exercised();
  EXPECT_FALSE(scene_.observed().vacuous());
  scene_.mark_vacuous();
  EXPECT_TRUE(scene_.observed().vacuous());
}

/// Answers a question for a theme with 2, and every other one by default.
class ThemeAnswer final : public Strategy {
 public:
  std::uint32_t answer(const Question& question) override {
    const bool is_theme = dynamic_cast<const ThemeOptions*>(question.options) != nullptr;
    return is_theme ? 2 : 0;
  }
};

TEST_F(Scenes, ChooseTheThemeByAKnownQuestion) {
  constexpr std::array kThemes{10, 11, 12};
  ThemeAnswer strategy;
  world_.begin(strategy, 1);
  begin();
  EXPECT_EQ(scene_.pick(Site::argument, 3), 0u);
  EXPECT_EQ(choose_theme(scene_, std::span<const int>(kThemes)), 12);
  const Tape tape = world_.picker.tape();
  ASSERT_EQ(tape.size(), 1u);
  EXPECT_EQ(tape[0].value, 2u) << "a tape has the place of the theme";
  EXPECT_EQ(tape[0].nth, 1u);
}

}  // namespace
}  // namespace harness
