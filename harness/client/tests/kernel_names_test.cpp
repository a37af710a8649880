// SPDX-License-Identifier: Apache-2.0
#include "harness/client/views/kernel_names.h"

#include <gtest/gtest.h>

namespace harness::reports {
namespace {

TEST(KernelNames, AreThoseOfTheSource) {
  EXPECT_EQ(with_plain_names("_Z4fillPiii"), "fill");
  EXPECT_EQ(with_plain_names("_Z6reduceIfLi256EEvPT_"), "reduce<float, 256>");
  EXPECT_EQ(with_plain_names("_ZN3app4stepIPiEEvT_"), "app::step<int*>");
  EXPECT_EQ(with_plain_names("_ZN12_GLOBAL__N_13addEPf"), "add");
  EXPECT_EQ(with_plain_names("_Z4callPFviE"), "call");  // It takes a function.
  EXPECT_EQ(with_plain_names("_ZNK3BoxclEv"), "Box::operator()");
}

TEST(KernelNames, StandInSentences) {
  EXPECT_EQ(with_plain_names("have stream 2 wait, before _Z4fillPiii at a.cu:4, for (_Z3addPf)."),
            "have stream 2 wait, before fill at a.cu:4, for (add).");
  EXPECT_EQ(with_plain_names("no_Z4fillPiii and add_one"), "no_Z4fillPiii and add_one");
  EXPECT_EQ(with_plain_names("_Znot a name_Z"), "_Znot a name_Z");
  EXPECT_EQ(with_plain_names("_Z4fillPiii\n"), "fill\\n");
  EXPECT_EQ(with_plain_names(""), "");
}

TEST(KernelNames, ThatAreLongHaveNoTemplateArguments) {
  EXPECT_EQ(with_plain_names("_ZN3cub6detail6reduce18DeviceReduceKernelINS1_10policy_hubIijN4cuda3"
                             "std3__44plusIvEEE10Policy1000EPijS9_iNS6_8identityEEEvT0_PT3_T1_"),
            "cub::detail::reduce::DeviceReduceKernel<...>");
}

/// A short name of which each part refers to the one before twice would be longer than all memory.
TEST(KernelNames, ThatDoubleTheirPartsAreNotWrittenOut) {
  std::string name = "_Z1fI1aS_";
  for (char part = '0'; part < '0' + 60; ++part) name += "1bIS0_S0_E";
  EXPECT_EQ(with_plain_names(name + "Evv"), "f<...>");
}

}  // namespace
}  // namespace harness::reports
