#include <gtest/gtest.h>

#include "harness/pick/replay.h"
#include "harness/scenario.h"
#include "harness/tests/toy_scenario.h"

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

TEST_F(Scenes, GivesJudgesTheStateThatTheDriverSet) {
  Model model;
  scene_.set_state(model);
  scene_.state<Model>().answer = 42;
  EXPECT_EQ(model.answer, 42);
}

TEST_F(Scenes, StopsAJudgeThatAsksForAnotherType) {
  Model model;
  scene_.set_state(model);
  EXPECT_DEATH(scene_.state<AnotherModel>(), "the state that it has set");
}

TEST_F(Scenes, BeginsWithoutWhatAnEarlierRunLeft) {
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

TEST_F(Scenes, IsVacuousWhereAnOracleSaysSoAlthoughThePathRan) {
  scene_.exercised();
  EXPECT_FALSE(scene_.observed().vacuous());
  scene_.mark_vacuous();
  EXPECT_TRUE(scene_.observed().vacuous());
}

}  // namespace
}  // namespace harness
