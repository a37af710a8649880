// The driver's offers, and when it makes them.
#include <gtest/gtest.h>

#include "scenarios/alltoallv/plan.h"

namespace scenarios::alltoallv::testing {
namespace {

TEST(AlltoallvDriver, ThePlainThemeOffersEverything) {
  EXPECT_EQ(theme(0).offered, ~Ops{0});
  EXPECT_FALSE(theme(0).renews);
}

TEST(AlltoallvDriver, EveryThemeHasACollective) {
  for (std::uint32_t index = 0; index < kThemeCount; ++index)
    EXPECT_NE(theme(index).offered & ops(Op::alltoallv), 0u) << index;
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
