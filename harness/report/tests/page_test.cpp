// SPDX-License-Identifier: Apache-2.0
// The page of a run, in the browser of a reader who has nothing else: text of files is escaped, the
// drawing has the missing edge, and the same case gives the same bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "harness/cli/tests/toys_child.h"
#include "harness/devices/tests/cuda_stage.h"
#include "harness/report/html.h"
#include "harness/report/page.h"
#include "harness/report/palette.h"
#include "harness/report/timeline/choice.h"
#include "harness/report/timeline/drawing.h"
#include "harness/report/timeline/timeline.h"

namespace harness::reports {
namespace {

using harness::testing::failing_tape;
using harness::testing::toy_case;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace toy = harness::testing::toy;

// ---- text -------------------------------------------------------------------------------------

TEST(Html, TextIsEscaped) {
  EXPECT_EQ(escaped("<a b='c' d=\"e\">&amp;\n"),
            "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;amp;\n");
  EXPECT_EQ(shown_text("a\x1b[31m\n<\xff").text(), "a\\x1b[31m\\n&lt;\\xff");
}

TEST(Html, NamesMayBreakAfterSeparators) {
  EXPECT_EQ(shown_name("argpack/mark_at_set born:new-pack").text(),
            "argpack/<wbr>mark_<wbr>at_<wbr>set born:<wbr>new-<wbr>pack");
  EXPECT_EQ(shown_name("<a_\x1b").text(), "&lt;a_<wbr>\\x1b");
}

TEST(Html, TerminalColorsBecomeSpansAndOtherTextIsEscaped) {
  const Terminal screen{.colour = true};
  EXPECT_EQ(coloured("a " + screen.paint(Colour::red, "<b>") + " c").text(),
            "a <span class=\"t31\">&lt;b&gt;</span> c");
  EXPECT_EQ(coloured("\x1b[\"><script>").text(), "&quot;&gt;&lt;script&gt;");
}

TEST(Html, ShellWordsAreQuotedIfNecessary) {
  EXPECT_EQ(shell_word("corpus/argpack/claim_race.repro"), "corpus/argpack/claim_race.repro");
  EXPECT_EQ(shell_word("my file"), "'my file'");
  EXPECT_EQ(shell_word("it's; rm -rf $HOME"), "'it'\\''s; rm -rf $HOME'");
  EXPECT_EQ(shell_word(""), "''");
}

// ---- a run to report --------------------------------------------------------------------------

/// A run of the toy path, and the page about it.
class Subject {
 public:
  explicit Subject(Case of) : the_case_(std::move(of)), outcome_(runner_.run(the_case_)) {
    recorded_ = describe(runner_, outcome_, the_case_);
  }

  Timeline timeline() const { return reports::timeline(telling()); }
  std::string page(std::string_view file = "found.repro", std::string_view difference = {}) const {
    return page_of(recorded_, file, difference);
  }
  /// Returns the page of the run as `recorded` says it was.
  std::string page_of(const Reproducer& recorded, std::string_view file,
                      std::string_view difference) const {
    const std::string signature = recorded.faults.empty() ? "" : recorded.faults.front();
    return reports::page(telling(), {recorded, file, signature, difference, ""});
  }
  std::string story() const { return reports::story(telling(), Terminal{}); }
  const Outcome& outcome() const { return outcome_; }
  const Reproducer& recorded() const { return recorded_; }

 private:
  Telling telling() const { return {the_case_, outcome_, runner_.world(), 0}; }

  Runner runner_;
  Case the_case_;
  const Outcome& outcome_;
  Reproducer recorded_;
};

Case failing() { return toy_case("borrow", failing_tape()); }
Case held() { return toy_case("retain", toy::small_program()); }

/// Every tag of `html` by name, closing ones with their slash. A quote that is left open, or a
/// bracket where text should be, makes it fail.
std::vector<std::string> tags(const std::string& html) {
  static const std::regex tag("<(/?[a-z0-9]+|!doctype)((?: [a-zA-Z-]+(?:=\"[^\"<>]*\")?)*)(/?)>");
  std::vector<std::string> names;
  std::string rest = html;
  if (const std::size_t style = rest.find("<style>"); style != rest.npos)
    rest.erase(style + 7, rest.find("</style>") - style - 7);
  std::string text;
  auto last = rest.cbegin();
  for (std::sregex_iterator at(rest.begin(), rest.end(), tag), end; at != end; ++at) {
    text.append(last, (*at)[0].first);
    last = (*at)[0].second;
    if ((*at)[3].length() == 0) names.push_back((*at)[1]);
  }
  text.append(last, rest.cend());
  EXPECT_EQ(text.find('<'), text.npos) << text.substr(text.find('<'), 80);
  EXPECT_EQ(text.find('>'), text.npos);
  return names;
}

void expect_well_formed(const std::string& html) {
  std::vector<std::string> open;
  for (const std::string& name : tags(html)) {
    if (name == "!doctype" || name == "meta") continue;
    if (name.front() != '/') {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << name;
    ASSERT_EQ("/" + open.back(), name);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

// ---- the drawing ------------------------------------------------------------------------------

std::size_t lane_of(const Timeline& timeline, LaneKind kind, std::string_view name) {
  const auto found =
      std::find(timeline.lanes.begin(), timeline.lanes.end(), Lane{kind, std::string(name)});
  EXPECT_NE(found, timeline.lanes.end()) << name;
  return static_cast<std::size_t>(found - timeline.lanes.begin());
}

bool marked(const Timeline& timeline, const Point& point, MarkKind kind) {
  const std::vector<Mark>& marks = timeline.rows.at(point.row).marks;
  return std::find(marks.begin(), marks.end(), Mark{point.lane, kind}) != marks.end();
}

TEST(Timeline, TheMissingEdgeGoesFromTheEndToTheLaterUse) {
  const Subject subject(failing());
  const Timeline timeline = subject.timeline();
  const Fault& fault = subject.outcome().faults.front();
  const std::size_t box = timeline.lanes.size() - 1;
  EXPECT_EQ(timeline.lanes[box].kind, LaneKind::object);
  const Edge* missing = timeline.find(EdgeKind::missing);
  ASSERT_NE(missing, nullptr);
  EXPECT_EQ(missing->from.lane, box);
  EXPECT_EQ(missing->to.lane, lane_of(timeline, LaneKind::task, "user"));
  EXPECT_TRUE(marked(timeline, missing->from, MarkKind::death));
  EXPECT_TRUE(marked(timeline, missing->to, MarkKind::fault));
  EXPECT_EQ(timeline.rows[missing->to.row].turn, fault.tick);
  EXPECT_EQ(timeline.rows[missing->to.row].weight, Weight::fault);
  EXPECT_LT(missing->from.row, missing->to.row);
  EXPECT_EQ(std::count_if(timeline.edges.begin(), timeline.edges.end(),
                          [](const Edge& edge) { return edge.kind == EdgeKind::missing; }),
            1);
}

TEST(Timeline, TheRowOfTheEndIsMarked) {
  const Timeline timeline = Subject(failing()).timeline();
  const Edge* missing = timeline.find(EdgeKind::missing);
  ASSERT_NE(missing, nullptr);
  const Row& death = timeline.rows[missing->from.row];
  EXPECT_EQ(death.marks.front().lane, lane_of(timeline, LaneKind::task, "mutator"));
  EXPECT_THAT(death.text, HasSubstr("dies"));
}

TEST(Timeline, AnObjectIsShownLiveThenDeadUntilItsLastUse) {
  const Timeline timeline = Subject(failing()).timeline();
  const Edge* missing = timeline.find(EdgeKind::missing);
  ASSERT_NE(missing, nullptr);
  const std::size_t box = missing->from.lane;
  const auto span = [&](SpanKind kind) {
    const auto found =
        std::find_if(timeline.spans.begin(), timeline.spans.end(),
                     [&](const Span& one) { return one.kind == kind && one.lane == box; });
    return found == timeline.spans.end() ? Span{kind, 0, 0, 0} : *found;
  };
  EXPECT_EQ(span(SpanKind::life).last, missing->from.row);
  EXPECT_EQ(span(SpanKind::afterlife),
            (Span{SpanKind::afterlife, box, missing->from.row, missing->to.row}));
}

TEST(Timeline, RowsAreOrderedAndShowHowManyAreOmitted) {
  const Subject subject(failing());
  const Timeline timeline = subject.timeline();
  ASSERT_LE(timeline.rows.size(), kRowLimit);
  for (std::size_t i = 1; i < timeline.rows.size(); ++i)
    EXPECT_LE(timeline.rows[i - 1].turn, timeline.rows[i].turn);
  for (const Row& row : timeline.rows) {
    EXPECT_FALSE(row.marks.empty());
    EXPECT_FALSE(row.text.empty());
  }
}

TEST(Timeline, ARunWithoutAFaultHasNoMissingEdge) {
  const Timeline timeline = Subject(held()).timeline();
  EXPECT_EQ(timeline.find(EdgeKind::missing), nullptr);
  EXPECT_FALSE(timeline.rows.empty());
  for (const Lane& lane : timeline.lanes) EXPECT_NE(lane.kind, LaneKind::object);
}

TEST(Timeline, AnEmptyRunIsDrawnToo) {
  const Subject subject(toy_case("borrow", {}));
  expect_well_formed(subject.page());
}

class TimelineOfStreams : public harness::testing::UnderStrategy {
 protected:
  /// Sets memory on one stream, then on another that waits for it.
  Timeline of_two_streams() {
    run(harness::testing::Plain(), [] {
      const CUdeviceptr address = harness::testing::allocate(64);
      const CUstream producer = harness::testing::make_stream();
      const CUstream consumer = harness::testing::make_stream();
      const CUevent event = harness::testing::make_event();
      CUDA_OK(cuMemsetD32Async(address, 1, 1, producer));
      CUDA_OK(cuEventRecord(event, producer));
      CUDA_OK(cuStreamWaitEvent(consumer, event, 0));
      CUDA_OK(cuMemsetD32Async(address, 2, 1, consumer));
    });
    const Case the_case = held();
    return timeline(Telling{the_case, Outcome{}, stage.world, 0});
  }
};

TEST_F(TimelineOfStreams, AnEventIsDrawnAsAnEdge) {
  const Timeline timeline = of_two_streams();
  const Edge* ordered = timeline.find(EdgeKind::ordered);
  ASSERT_NE(ordered, nullptr);
  EXPECT_EQ(ordered->from.lane, lane_of(timeline, LaneKind::stream, "stream #1"));
  EXPECT_EQ(ordered->to.lane, lane_of(timeline, LaneKind::stream, "stream #2"));
  EXPECT_THAT(timeline.rows[ordered->from.row].text, HasSubstr("cuEventRecord"));
  EXPECT_THAT(timeline.rows[ordered->to.row].text, HasSubstr("cuStreamWaitEvent"));
}

TEST_F(TimelineOfStreams, WorkIsQueuedByATaskAndRunsInItsStream) {
  const Timeline timeline = of_two_streams();
  const std::size_t task = lane_of(timeline, LaneKind::task, "main");
  for (const char* name : {"stream #1", "stream #2"}) {
    const std::size_t stream = lane_of(timeline, LaneKind::stream, name);
    const auto queued =
        std::find_if(timeline.edges.begin(), timeline.edges.end(), [&](const Edge& edge) {
          return edge.kind == EdgeKind::submitted && edge.to.lane == stream;
        });
    ASSERT_NE(queued, timeline.edges.end());
    EXPECT_EQ(queued->from.lane, task);
    EXPECT_EQ(timeline.rows[queued->to.row].text, "set runs");
    const Span work{SpanKind::work, stream, queued->to.row, queued->to.row};
    EXPECT_NE(std::find(timeline.spans.begin(), timeline.spans.end(), work), timeline.spans.end());
  }
}

TEST_F(TimelineOfStreams, ALongRunIsCutToTheMostImportantRows) {
  run(harness::testing::Plain(), [] {
    const CUdeviceptr address = harness::testing::allocate(64);
    const CUstream stream = harness::testing::make_stream();
    for (unsigned i = 0; i < 60; ++i) CUDA_OK(cuMemsetD32Async(address, i, 1, stream));
  });
  const Case the_case = held();
  const Timeline timeline = reports::timeline(Telling{the_case, Outcome{}, stage.world, 0});
  EXPECT_LE(timeline.rows.size(), kRowLimit);
  EXPECT_GT(timeline.rows.size(), kRowLimit / 4);
  std::size_t left_out = 0;
  for (const Row& row : timeline.rows) left_out += row.left_out;
  EXPECT_GT(left_out, 0u);
}

TEST(TimelineDrawing, HasAnAccessibleNameAndALegend) {
  const Timeline timeline = Subject(failing()).timeline();
  const std::string svg = draw(timeline, "A <box> dies.").text();
  EXPECT_THAT(svg, AllOf(HasSubstr("role=\"img\""), HasSubstr("<title id=\"timeline-title\">"),
                         HasSubstr("<desc id=\"timeline-desc\">A &lt;box&gt; dies.</desc>"),
                         HasSubstr("aria-labelledby=\"timeline-title timeline-desc\"")));
  EXPECT_THAT(svg, HasSubstr("class=\"edge missing\""));
  EXPECT_THAT(legend(timeline).text(), HasSubstr("the order that is missing"));
  EXPECT_THAT(legend(Subject(held()).timeline()).text(), Not(HasSubstr("missing")));
}

TEST(TimelineDrawing, RowsDoNotOverlapAndStayInsideTheDrawing) {
  const std::string svg = draw(Subject(failing()).timeline(), "").text();
  std::smatch size;
  ASSERT_TRUE(std::regex_search(svg, size, std::regex("width=\"(\\d+)\" height=\"(\\d+)\"")));
  const std::regex turn("class=\"turn\" x=\"\\d+\" y=\"(\\d+)\"");
  int last = 0, rows = 0;
  for (std::sregex_iterator at(svg.begin(), svg.end(), turn), end; at != end; ++at, ++rows) {
    EXPECT_GE(std::stoi((*at)[1]), last + 17);
    last = std::stoi((*at)[1]);
  }
  EXPECT_GT(rows, 3);
  EXPECT_LT(last, std::stoi(size[2]));
}

// ---- the page ---------------------------------------------------------------------------------

TEST(Page, NamesItsCaseAndWhetherItReplayedAsRecorded) {
  const Subject subject(failing());
  const std::string page = subject.page();
  EXPECT_THAT(page,
              AllOf(HasSubstr("toy/borrow"), HasSubstr(escaped(subject.recorded().faults.front())),
                    HasSubstr(escaped(to_string(toy::scenario, failing().config))),
                    HasSubstr("<span class=\"badge good\">as recorded</span>")));
  EXPECT_THAT(page, HasSubstr("<pre class=\"command\">afterlife replay found.repro</pre>"));
  EXPECT_THAT(subject.page("f", "the events differ"),
              HasSubstr("not as recorded: the events differ"));
}

TEST(Page, ShowsTheStoryAndEachDecision) {
  const Subject subject(failing());
  const std::string page = subject.page();
  const std::string plain = std::regex_replace(page, std::regex("</?span[^>]*>"), "");
  EXPECT_THAT(plain, HasSubstr(escaped(subject.story())));
  for (const Decision& decision : subject.recorded().the_case.tape)
    EXPECT_THAT(page,
                HasSubstr("<code>" + escaped(to_string(subject.recorded(), decision)) + "</code>"));
  EXPECT_THAT(page, HasSubstr("the operation is store"));
}

TEST(Page, ACaseWithoutAFaultIsMarkedSo) {
  const std::string page = Subject(held()).page();
  EXPECT_THAT(page, AllOf(HasSubstr("no fault"), HasSubstr("<svg class=\"timeline\""),
                          Not(HasSubstr("class=\"card"))));
  expect_well_formed(page);
}

TEST(Page, TheSameCaseGivesTheSameBytes) {
  EXPECT_EQ(Subject(failing()).page(), Subject(failing()).page());
  EXPECT_EQ(Subject(held()).page(), Subject(held()).page());
}

TEST(Page, NeedsNoNetworkAndRunsNothing) {
  const std::string page = Subject(failing()).page();
  for (const char* word :
       {"<script", "javascript:", "src=", "href=", "url(", "@import", "http:", "https:"})
    EXPECT_THAT(page, Not(HasSubstr(word)));
  EXPECT_FALSE(std::regex_search(page, std::regex("<[^>]* on[a-z]+=")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  expect_well_formed(page);
}

TEST(Page, TextOfFilesIsEscaped) {
  const Subject subject(failing());
  Reproducer edited = subject.recorded();
  const std::string evil = "\"><script>alert(1)</script>\x1b]0;\xff<!--'";
  edited.faults = {evil, "also " + evil};
  edited.tasks = {evil, evil, evil};
  edited.the_case.tape.push_back(
      {derive_name(slot_name(0, 0), 7, 0), site_tag(Site::schedule), 0, 0x12345679});
  edited.causes.push_back({derive_name(slot_name(0, 0), 7, 0), slot_name(0, 0), evil, 0});
  const std::string page = subject.page_of(edited, evil, "the file has a fault: " + evil);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  EXPECT_EQ(page.find('\x1b'), page.npos);
  EXPECT_EQ(page.find('\xff'), page.npos);
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
  expect_well_formed(page);
}

// ---- colours ----------------------------------------------------------------------------------

/// Relative luminance of "#rrggbb" (WCAG 2).
double luminance(std::string_view colour) {
  const auto part = [&](std::size_t at) {
    const double value = std::stoi(std::string(colour.substr(at, 2)), nullptr, 16) / 255.0;
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

double contrast(std::string_view a, std::string_view b) {
  const double first = luminance(a), second = luminance(b);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

TEST(Page, TextContrastsWithEveryBackgroundInBothSchemes) {
  EXPECT_NEAR(contrast("#000000", "#ffffff"), 21, 0.01);
  for (const Paint& text : kPalette)
    for (const Paint& ground : kPalette) {
      if (text.use != Use::text || ground.use != Use::ground) continue;
      EXPECT_GE(contrast(text.light, ground.light), 4.5)
          << text.name << " on " << ground.name << ", light";
      EXPECT_GE(contrast(text.dark, ground.dark), 4.5)
          << text.name << " on " << ground.name << ", dark";
    }
}

TEST(Page, HasBothColorSchemesAndScrollsOnlyInsideBoxes) {
  const std::string page = Subject(failing()).page();
  EXPECT_THAT(page, HasSubstr("@media (prefers-color-scheme:dark)"));
  for (const Paint& paint : kPalette)
    EXPECT_THAT(page,
                AllOf(HasSubstr(std::string(paint.light)), HasSubstr(std::string(paint.dark))));
  for (const char* wide : {"<svg class=\"timeline\"", "<pre", "<table"}) {
    for (std::size_t at = 0; (at = page.find(wide, at)) != page.npos; ++at) {
      const std::size_t box = page.rfind("<div class=\"scroll", at);
      ASSERT_NE(box, page.npos) << wide;
      EXPECT_EQ(page.substr(box, at - box).find("</div>"), std::string::npos) << wide;
    }
  }
}

}  // namespace
}  // namespace harness::reports
