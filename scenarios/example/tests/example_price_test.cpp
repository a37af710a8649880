// SPDX-License-Identifier: Apache-2.0
// Prices: a cost planted in a policy changes its own row by exactly that amount, and no other row.
#include <gtest/gtest.h>

#include <utility>

#include "harness/run/tests/scenario_cases.h"
#include "harness/search/price/price.h"
#include "scenarios/example/programs.h"
#include "scenarios/example/variants.h"

namespace scenarios::example {

extern const harness::Scenario scenario;

namespace testing {
namespace {

using harness::Case;
using harness::Claim;
using harness::ClaimKind;
using harness::Price;
using harness::PriceTable;
using harness::Tick;
using targets::example::Buffer;
using targets::example::Policy;
using targets::example::Request;
using targets::example::Server;
using targets::example::Setup;

/// Size of a planted object. Its death has no preemption point, so that nothing else changes.
constexpr std::uint64_t kTicketBytes = 40;

/// Sum of the tickets' bytes times their turns, over all runs so far, by the policy's own account.
std::uint64_t ticket_byte_turns = 0;

/// Retains buffers like `retain`. Each derived policy adds one cost.
class Retaining : public Policy {
 public:
  explicit Retaining(harness::Runtime& the_runtime) : runtime(the_runtime) {}
  void prepared(const Request& request) override { ++request.buffer->holder_count; }
  void finished(const Request& request) override { --request.buffer->holder_count; }
  bool may_free(const Buffer& buffer) const override { return buffer.holder_count == 0; }

 protected:
  harness::Runtime& runtime;
};

/// Holds a ticket from the preparation of a request until one has finished.
class WithTicket final : public Retaining {
 public:
  using Retaining::Retaining;
  void prepared(const Request& request) override {
    Retaining::prepared(request);
    if (ticket_ != harness::BirthId::none) return;
    ticket_ = ledger().born("ticket", 0, kTicketBytes);
    since_ = runtime.scheduler.now();
  }
  void finished(const Request& request) override {
    Retaining::finished(request);
    if (ticket_ == harness::BirthId::none) return;
    ledger().died(std::exchange(ticket_, harness::BirthId::none));
    ticket_byte_turns += kTicketBytes * (runtime.scheduler.now() - since_);
  }

 private:
  static harness::Ledger& ledger() { return harness::World::current()->ledger; }

  harness::BirthId ticket_ = harness::BirthId::none;
  Tick since_ = 0;
};

/// Waits for the device before each launch.
class Waiting final : public Retaining {
 public:
  using Retaining::Retaining;
  void prepared(const Request& request) override {
    Retaining::prepared(request);
    cuCtxSynchronize();
  }
};

template <class Planted>
Server* make_planted(harness::Runtime& runtime, const Setup& setup) {
  harness::Arena& arena = runtime.scheduler.arena();
  return arena.make<Server>(runtime, setup, *arena.make<Planted>(runtime));
}

enum : std::size_t { kBorrow, kRetain, kTicket, kWait };
constexpr Claim kSound{ClaimKind::sound, {}, false, ""};
constexpr harness::VariantInfo kPlanted[] = {
    {"borrow", kSound}, {"retain", kSound}, {"retain_ticket", kSound}, {"retain_wait", kSound}};

void drive_planted(harness::Scene& scene) {
  const Maker makers[] = {maker_of(0), maker_of(1), make_planted<WithTicket>,
                          make_planted<Waiting>};
  drive_server(scene, {}, makers[scene.variant()]);
}

const harness::Scenario& planted_scenario() {
  static const harness::Scenario planted = [] {
    harness::Scenario copy = scenario;
    copy.variants = kPlanted;
    copy.drive = drive_planted;
    return copy;
  }();
  return planted;
}

Case case_of(const Program& program) {
  return {&planted_scenario(), 0, {}, &harness::testing::sim(), program.tape()};
}

/// Returns the program in which `borrow` frees a buffer that a request uses.
Case losing_case() {
  harness::Runner runner;
  const harness::DeviceInfo& device = harness::testing::sim();
  const auto walk = harness::find(harness::tables::strategies(), "random_walk")->make(1);
  for (;;) {
    const harness::Outcome& outcome = runner.run(planted_scenario(), kBorrow, {}, device, *walk);
    if (!outcome.failed()) continue;
    Case losing{&planted_scenario(), kBorrow, {}, &device, outcome.tape};
    losing.variant = kRetain;
    const harness::Outcome& retained = runner.run(losing);
    if (!retained.failed() && !retained.vacuous) return losing;
  }
}

PriceTable priced(const std::vector<Case>& programs) {
  harness::Runner runner;
  return price(runner, programs);
}

Case plain() { return case_of(plain_program()); }
Case three_requests() {
  return case_of(Program().then(0, Op::ask).then(0, Op::query).then(0, Op::query));
}

// A precondition of the tests below: the other rows are unchanged.
TEST(Price, ARowIsIndependentOfOtherRows) {
  const PriceTable table = priced({plain()});
  EXPECT_EQ(table.variants[kRetain].price.calls, table.variants[kTicket].price.calls);
  EXPECT_GT(table.variants[kRetain].price.calls, 0u);
  EXPECT_EQ(table.variants[kRetain].price.launches, 1u);
  EXPECT_EQ(table.variants[kRetain].survived, 1u);
}

TEST(Price, OneMoreRetainChangesItsRowByExactlyOne) {
  for (const auto& programs : {std::vector{plain()}, std::vector{plain(), three_requests()}}) {
    ticket_byte_turns = 0;
    const PriceTable table = priced(programs);
    ASSERT_EQ(table.compared.size(), programs.size());
    ASSERT_GT(ticket_byte_turns, 0u);
    Price expected = table.variants[kRetain].price;
    const Price& with_ticket = table.variants[kTicket].price;
    EXPECT_GT(with_ticket.allocations, expected.allocations);
    expected.allocations += programs.size() == 1 ? 1 : 3;
    expected.byte_turns += ticket_byte_turns;
    expected.peak_bytes += programs.size() * kTicketBytes;
    EXPECT_EQ(with_ticket, expected);
  }
}

TEST(Price, AWaitBeforeEachLaunchIsACallAWaitAndADelay) {
  const PriceTable table = priced({plain(), three_requests()});
  const Price& retain = table.variants[kRetain].price;
  const Price& wait = table.variants[kWait].price;
  ASSERT_EQ(retain.launches, 4u);
  EXPECT_EQ(wait.launches, 4u);
  EXPECT_EQ(wait.calls, retain.calls + 4);
  EXPECT_EQ(wait.host_waits, retain.host_waits + 4);
  EXPECT_EQ(wait.allocations, retain.allocations);
  EXPECT_EQ(wait.delayed, 4u);
  EXPECT_GE(wait.delay_turns, retain.delay_turns + 4);
  const Price& cheapest = table.variants[kBorrow].price;
  EXPECT_EQ(cheapest.delayed, 0u);
  EXPECT_EQ(cheapest.delay_turns, 0u);
}

TEST(Price, AProgramThatFailsOneVariantIsExcludedForAll) {
  const PriceTable alone = priced({plain()});
  const PriceTable both = priced({plain(), losing_case()});
  EXPECT_EQ(both.compared, std::vector<std::size_t>{0});
  EXPECT_EQ(both.variants[kBorrow].survived, 1u);
  EXPECT_EQ(both.variants[kRetain].survived, 2u);
  for (std::size_t i = 0; i < std::size(kPlanted); ++i) {
    EXPECT_TRUE(both.variants[i].compared);
    EXPECT_EQ(both.variants[i].price, alone.variants[i].price);
  }
}

TEST(Price, AVariantThatAlwaysFailsHasAReasonInsteadOfAPrice) {
  const PriceTable table = priced({losing_case()});
  EXPECT_EQ(table.compared.size(), 1u);
  EXPECT_FALSE(table.variants[kBorrow].compared);
  EXPECT_EQ(table.variants[kBorrow].failures.size(), 1u);
  EXPECT_EQ(table.variants[kBorrow].price, Price());
  EXPECT_TRUE(table.variants[kRetain].compared);
}

// If not, only programs that hardly use the path would be left.
TEST(Price, AVariantThatFailsOnMostProgramsIsExcluded) {
  const std::vector<Case> programs{plain(), losing_case(), losing_case(), losing_case(),
                                   losing_case()};
  const PriceTable table = priced(programs);
  EXPECT_EQ(table.compared.size(), 5u);
  EXPECT_FALSE(table.variants[kBorrow].compared);
  EXPECT_EQ(table.variants[kBorrow].survived, 1u);
}

TEST(Price, VacuousProgramsCompareNothing) {
  const PriceTable table = priced({case_of(Program())});
  EXPECT_TRUE(table.compared.empty());
  for (const auto& row : table.variants) {
    EXPECT_FALSE(row.compared);
    EXPECT_EQ(row.failures.count("vacuous"), 1u);
  }
}

TEST(Price, HostTimeCoversComparedProgramsOnly) {
  harness::Runner runner;
  const std::vector<Case> programs{losing_case()};
  const PriceTable table = price(runner, programs);
  const std::vector<double> seconds = host_seconds(runner, programs, table, 2);
  EXPECT_EQ(seconds[kBorrow], 0);
  EXPECT_GT(seconds[kRetain], 0);
}

}  // namespace
}  // namespace testing
}  // namespace scenarios::example
