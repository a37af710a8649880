// SPDX-License-Identifier: Apache-2.0
#include "harness/base/printable.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(Printable, OrdinaryTextIsLeftAlone) {
  EXPECT_EQ(printable("a name, 'quoted' \"twice\" ~ é ü 漢 🙂"),
            "a name, 'quoted' \"twice\" ~ é ü 漢 🙂");
}

TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(printable("\x1b[31mred\x07\n\t\r\x7f"), "\\x1b[31mred\\x07\\n\\t\\r\\x7f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u{9b}31m");  // CSI in one character.
}

TEST(Printable, InvisibleAndDirectionCharactersAreEscaped) {
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\u{202e}b");
  EXPECT_EQ(printable("a\xe2\x80\x8b"
                      "b"),
            "a\\u{200b}b");
}

TEST(Printable, InvalidUtf8IsEscaped) {
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // Longer than need be.
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // Half of a pair.
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // Beyond the last.
  EXPECT_EQ(utf8_bytes("ab\xc3\xa9"
                       "c\xff"
                       "d"),
            5u);
  EXPECT_EQ(utf8_bytes("ab\xe2\x82"), 2u);
}

TEST(Printable, LongNamesAreShortenedInTheMiddle) {
  const std::string name = "begin" + std::string(900'000, 'x') + "end";
  const std::string text = shown(name);
  EXPECT_LT(text.size(), 150u);
  EXPECT_TRUE(text.starts_with("begin") && text.ends_with("end")) << text;
  EXPECT_NE(text.find(" bytes)"), std::string::npos);
  EXPECT_EQ(shown("short"), "short");
}

TEST(Printable, NoCharacterIsSplit) {
  std::string name;
  for (int i = 0; i < 100; ++i) name += "é";
  for (std::size_t limit = 8; limit < 100; ++limit)
    EXPECT_EQ(shown(name, limit).find("\\x"), std::string::npos) << limit;
}

}  // namespace
}  // namespace harness
