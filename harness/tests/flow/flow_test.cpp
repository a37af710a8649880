// SPDX-License-Identifier: Apache-2.0
// Flows: noted, written down, read back, and compared.
#include "harness/flow/flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/flow/divergence.h"
#include "harness/flow/recorder.h"
#include "harness/flow/symbols.h"
#include "harness/tests/flow/targets/turns.h"

namespace harness {
namespace {

using ::testing::EndsWith;
using testing::Turn;

Flow flow_of(Turn turn) {
  const FlowRecorder recorder;
  testing::top(turn);
  return recorder.flow();
}

std::string decided(Turn turn) {
  const auto divergence = divergence_of(flow_of(Turn::none), flow_of(turn));
  return divergence ? divergence->decided.function : "";
}

TEST(Flow, HasTheEdgesOfAPathInOrderAndNoOthers) {
  ASSERT_TRUE(flow_hooks.are_called);
  const Flow flow = flow_of(Turn::none);
  ASSERT_FALSE(flow.path.empty());
  const FlowPoint& first = flow.points[flow.path.front()];
  EXPECT_TRUE(first.is_entry);
  EXPECT_EQ(first.place.function, "harness::testing::top");
  EXPECT_EQ(first.place.file, "targets/turns.cpp");
  EXPECT_EQ(first.caller, CodePlace{});
  const FlowPoint& last = flow.points[flow.path.back()];
  EXPECT_THAT(last.place.function, EndsWith("::last"));
  std::size_t calls = 0;
  for (const std::uint32_t index : flow.path) {
    const FlowPoint& point = flow.points[index];
    EXPECT_EQ(point.place.file, "targets/turns.cpp");
    if (!point.is_entry || point.place.function == "harness::testing::top") continue;
    ++calls;
    EXPECT_EQ(point.caller.function, "harness::testing::top");
    EXPECT_GT(point.caller.down, 0);
  }
  EXPECT_EQ(calls, 6u) << "three rounds, two visits, and the last";
}

TEST(Flow, OfOneWayIsOneAndIsNotedByNobodyAfterwards) {
  const Flow flow = flow_of(Turn::none);
  testing::top(Turn::none);
  EXPECT_EQ(flow, flow_of(Turn::none));
  EXPECT_EQ(divergence_of(flow, flow), std::nullopt);
}

TEST(Flow, IsReadBackAsItWas) {
  const Flow flow = flow_of(Turn::none);
  EXPECT_EQ(parse_flow(to_text(flow), "file"), flow);
}

TEST(Flow, IsRefusedWhereItIsNone) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      parse_flow(text, "file");
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("{"), "file: is not a flow as written by `afterlife replay --flow`");
  EXPECT_EQ(refusal(R"({"schema": 1, "points": [], "path": "no"})"), refusal("{"));
  EXPECT_EQ(refusal(R"({"schema": 2, "points": [], "path": []})"),
            "file: is of another version of afterlife");
  EXPECT_EQ(refusal(R"({"schema": 1, "points": [], "path": [0]})"),
            "file: names a point that it does not contain");
}

TEST(Divergence, IsInTheFunctionThatTurns) {
  EXPECT_EQ(decided(Turn::call_left_out), "harness::testing::top");
  EXPECT_EQ(decided(Turn::other_call), "harness::testing::top");
  EXPECT_THAT(decided(Turn::early_return), EndsWith("::inner"));
  EXPECT_EQ(decided(Turn::longer), "harness::testing::top");
}

TEST(Divergence, ByAValueIsInTheFirstFunctionThatActsOnItUponAnAnswer) {
  const auto divergence = divergence_of(flow_of(Turn::none), flow_of(Turn::value));
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->decided.function, "harness::testing::top");
  ASSERT_FALSE(divergence->upon.empty());
  EXPECT_THAT(divergence->upon[0].function, EndsWith("::inner"));
  const auto other = divergence_of(flow_of(Turn::none), flow_of(Turn::early_return));
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->upon.empty()) << "inner() had called no one";
}

TEST(FlowSymbols, AreQualifiedNames) {
  EXPECT_EQ(name_in("a::f(int, b::g<int>)"), "a::f");
  EXPECT_EQ(name_in("void a::F<int, b<c> >::g<d::e()::f>(int) const"), "a::F::g");
  EXPECT_EQ(name_in("a::(anonymous namespace)::f(void (*)(int))"), "a::(anonymous namespace)::f");
  EXPECT_EQ(name_in("a::f(int)::$_0::operator()(int) const"), "a::f");
  EXPECT_EQ(name_in("a::F::operator()(int)"), "a::F::operator()");
  EXPECT_EQ(name_in("bool a::operator<<b>(b, b)"), "a::operator<");
  EXPECT_EQ(name_in("a::F::operator bool() const"), "a::F::operator bool");
}

// ---- flows by hand
// -------------------------------------------------------------------------------

CodePlace place(const std::string& function, std::int64_t down, std::int64_t line = 0) {
  return {function, "targets/a.cpp", line, down, 1};
}
FlowPoint entry(const std::string& function, const CodePlace& caller = {}) {
  return {place(function, 0), true, caller};
}
FlowPoint edge(const std::string& function, std::int64_t down, std::int64_t line = 0) {
  return {place(function, down, line), false, {}};
}
Flow straight(std::vector<FlowPoint> points) {
  Flow flow{std::move(points), {}};
  for (std::size_t i = 0; i < flow.points.size(); ++i)
    flow.path.push_back(static_cast<std::uint32_t>(i));
  return flow;
}

TEST(Divergence, DoesNotMindWhereAFunctionStandsInItsFile) {
  const Flow good = straight({entry("f"), edge("f", 2, 12), edge("f", 5, 15)});
  const Flow bad = straight({entry("f"), edge("f", 2, 32), edge("f", 6, 36)});
  const auto divergence = divergence_of(good, bad);
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->in_common, 2u);
  EXPECT_EQ(divergence->decided, place("f", 6, 36));
  EXPECT_EQ(divergence->good, good.points[2]);
  EXPECT_EQ(divergence->bad, bad.points[2]);
}

TEST(Divergence, IsOfTheFunctionThatReturnedInOneOfTheRuns) {
  const std::vector<FlowPoint> both{entry("f"), edge("f", 1), entry("g", place("f", 1))};
  std::vector<FlowPoint> stays = both, returns = both;
  stays.push_back(edge("g", 3));
  returns.push_back(edge("f", 2));
  for (const auto& divergence : {divergence_of(straight(stays), straight(returns)),
                                 divergence_of(straight(returns), straight(stays))}) {
    ASSERT_TRUE(divergence);
    EXPECT_EQ(divergence->decided.function, "g");
    EXPECT_EQ(divergence->callers, std::vector<CodePlace>{place("f", 1)});
  }
}

TEST(Divergence, IsUponWhatWasCalledLastWhateverTheCallerDidSince) {
  const std::vector<FlowPoint> both{entry("f"), entry("g", place("f", 1)), edge("g", 3),
                                    edge("f", 2)};
  std::vector<FlowPoint> these = both, those = both;
  these.push_back(edge("f", 3));
  those.push_back(edge("f", 4));
  const auto divergence = divergence_of(straight(these), straight(those));
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->decided.function, "f");
  EXPECT_EQ(divergence->upon, std::vector{place("g", 3)});
}

/// Functions that call each other in turn, of which the innermost is left first.
std::vector<FlowPoint> nested(std::initializer_list<const char*> functions) {
  std::vector<FlowPoint> points;
  for (const char* function : functions)
    points.push_back(points.empty() ? entry(function)
                                    : entry(function, place(points.back().place.function, 1)));
  return points;
}

TEST(Divergence, IsUponWhateverPassedTheAnswerOn) {
  std::vector<FlowPoint> both = nested({"f", "g", "h", "i", "j", "k"});
  const auto upon = [&] {
    std::vector<FlowPoint> these = both, those = both;
    these.push_back(edge("f", 3));
    those.push_back(edge("f", 4));
    std::string names;
    const auto divergence = divergence_of(straight(these), straight(those));
    for (const CodePlace& one : divergence.value().upon) names += one.function;
    return names;
  };
  EXPECT_EQ(upon(), "ghij") << "four, with no one back in between";
  both.push_back(edge("h", 2));
  both.push_back(edge("g", 2));
  EXPECT_EQ(upon(), "ghij") << "each was back by itself";
  both.push_back(entry("l", place("g", 3)));
  EXPECT_EQ(upon(), "gl") << "it had called another one last";
  both.push_back(edge("f", 2));
  EXPECT_EQ(upon(), "gl");
}

TEST(Divergence, IsUponTheAnswerThatItsCallerHandedOver) {
  std::vector<FlowPoint> both{entry("f"), entry("g", place("f", 1)), entry("h", place("g", 1)),
                              edge("f", 2), entry("act", place("f", 2))};
  const auto part = [&] {
    std::vector<FlowPoint> these = both, those = both;
    these.push_back(edge("act", 1));
    those.push_back(edge("act", 2));
    return divergence_of(straight(these), straight(those)).value();
  };
  const Divergence handed = part();
  EXPECT_EQ(handed.decided.function, "act");
  EXPECT_TRUE(handed.is_handed_over);
  EXPECT_EQ(handed.upon, (std::vector{place("g", 1), place("h", 0)}));
  both.push_back(entry("own", place("act", 0)));
  const Divergence own = part();
  EXPECT_FALSE(own.is_handed_over);
  EXPECT_EQ(own.upon, std::vector{place("own", 0)}) << "it asked for itself";
}

TEST(Divergence, OfACallIsOfWhoeverCallsNotOfTheCalled) {
  const FlowPoint begin = entry("f");
  const auto divergence = divergence_of(straight({begin, entry("g", place("f", 1))}),
                                        straight({begin, entry("h", place("f", 2))}));
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->decided, place("f", 2));
}

TEST(Divergence, OfARunThatEndsIsOfWhoeverGoesOnInTheOther) {
  const auto divergence = divergence_of(straight({entry("f"), edge("f", 1), edge("f", 4)}),
                                        straight({entry("f"), edge("f", 1)}));
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->decided.function, "f");
  EXPECT_EQ(divergence->bad, std::nullopt);
}

TEST(Divergence, OutsideOfThePathIsOfNobody) {
  const auto divergence = divergence_of(straight({entry("f")}), straight({entry("g")}));
  ASSERT_TRUE(divergence);
  EXPECT_EQ(divergence->decided.function, "");
}

}  // namespace
}  // namespace harness
