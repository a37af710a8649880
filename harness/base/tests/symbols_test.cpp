// SPDX-License-Identifier: Apache-2.0
// Function names in the output of llvm-symbolizer.
#include "harness/base/process/symbols.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(Symbols, AreQualifiedNames) {
  EXPECT_EQ(name_in("a::f(int, b::g<int>)"), "a::f");
  EXPECT_EQ(name_in("void a::F<int, b<c> >::g<d::e()::f>(int) const"), "a::F::g");
  EXPECT_EQ(name_in("a::(anonymous namespace)::f(void (*)(int))"), "a::(anonymous namespace)::f");
  EXPECT_EQ(name_in("a::f(int)::$_0::operator()(int) const"), "a::f");
  EXPECT_EQ(name_in("a::F::operator()(int)"), "a::F::operator()");
  EXPECT_EQ(name_in("bool a::operator<<b>(b, b)"), "a::operator<");
  EXPECT_EQ(name_in("a::F::operator bool() const"), "a::F::operator bool");
}

}  // namespace
}  // namespace harness
