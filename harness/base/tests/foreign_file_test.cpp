// SPDX-License-Identifier: Apache-2.0
// Files from untrusted sources: which of them are read, up to which size, and which names are
// accepted.
#include "harness/base/files/foreign_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <stdexcept>

#include "harness/base/files/plain_name.h"
#include "harness/base/tests/folder.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::size_t kLimit = ForeignFile::kByteLimit;

class ForeignFiles : public ::testing::Test {
 protected:
  ForeignFiles() {
    fs::create_directories(folder_ / "sent/cell");
    write_file(folder_ / "secret", "a secret");
    write_file(folder_ / "sent/cell/a.repro", "a reproducer");
  }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string inside(const std::string& name) const {
    return said_of([&] { return ForeignFile::in_folder(path("sent"), name, "note").text(); });
  }
  std::string named(const std::string& name) const {
    return said_of([&] { return ForeignFile::named_by_user(path(name), "note").text(); });
  }

  /// Returns what was read, or why it was not.
  template <class Read>
  static std::string said_of(Read read) {
    try {
      return read();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  void make(const std::string& name, std::uintmax_t bytes) const {
    write_file(path(name), "");
    fs::resize_file(path(name), bytes);
  }

 private:
  Folder folder_;
};

TEST_F(ForeignFiles, AreReadByPlainNamesAlone) {
  EXPECT_EQ(inside("cell/a.repro"), "a reproducer");
  for (const char* name : {"", ".", "..", "/", "../secret", "cell/../../secret", "cell/./a.repro",
                           "cell//a.repro", "cell/a.repro/", "/etc/passwd", "cell/a.repro/..",
                           "a/b/c", "a\nb", "-a", ".a", "cell/.a", "a b", "\x1b[31m", "a\\b"})
    EXPECT_THAT(inside(name), HasSubstr("which is not a plain name of a file in it")) << name;
  EXPECT_THAT(inside(std::string("cell\0/a", 7)), HasSubstr("not a plain name"));
  EXPECT_THAT(inside(std::string(5000, 'a')), HasSubstr("not a plain name"));
}

TEST_F(ForeignFiles, AreNeverReachedThroughALinkInTheFolder) {
  fs::create_symlink(path("secret"), path("sent/cell/link"));
  fs::create_symlink("/dev/zero", path("sent/cell/endless"));
  fs::create_directory_symlink(path("."), path("sent/out"));
  for (const char* name : {"cell/link", "cell/endless", "out/secret", "out"})
    EXPECT_THAT(inside(name), HasSubstr("is a symbolic link")) << name;
}

TEST_F(ForeignFiles, ALinkNamedByTheUserIsFollowed) {
  fs::create_symlink(path("secret"), path("mine"));
  fs::create_directory_symlink(path("sent"), path("theirs"));
  EXPECT_EQ(named("mine"), "a secret");
  EXPECT_EQ(ForeignFile::in_folder(path("theirs"), "cell/a.repro", "note").text(), "a reproducer");
  fs::create_symlink("/dev/zero", path("endless"));
  EXPECT_THAT(named("endless"), HasSubstr("endless: is a device, not a regular file"));
}

TEST_F(ForeignFiles, PipesFoldersAndMissingFilesAreRefused) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(path("sent/pipe").c_str(), 0600), 0);
  EXPECT_THAT(named("pipe"), HasSubstr("pipe: is a pipe, not a regular file"));
  EXPECT_THAT(inside("pipe"), HasSubstr("pipe: is a pipe, not a regular file"));
  EXPECT_THAT(named("sent"), HasSubstr("sent: is a folder, not a regular file"));
  EXPECT_THAT(inside("cell"), HasSubstr("cell: is a folder, not a regular file"));
  EXPECT_THAT(named("none"), HasSubstr("none: cannot open: No such file"));
  EXPECT_THAT(inside("none/a"), HasSubstr("none/a: cannot open: No such file"));
  EXPECT_THROW(require_regular_file(path("pipe")), std::runtime_error);
  EXPECT_NO_THROW(require_no_link(path("none")));
}

TEST_F(ForeignFiles, AreLimitedTo16MebibytesAndSoAreTheirLines) {
  make("most", kLimit);
  make("more", kLimit + 1);
  EXPECT_EQ(named("most").size(), kLimit);
  EXPECT_THAT(named("more"), HasSubstr("more: is over 16 MiB, which no note is"));
  std::string line;
  EXPECT_TRUE(ForeignFile::named_by_user(path("most"), "note").next_line(line));
  EXPECT_EQ(line.size(), kLimit);
  make("endless", std::uintmax_t{1} << 40);
  ForeignFile endless = ForeignFile::named_by_user(path("endless"), "note");
  EXPECT_THAT(said_of([&] { return endless.next_line(line) ? "a line" : "none"; }),
              HasSubstr("endless: has a line over 16 MiB, which no note has"));
}

TEST_F(ForeignFiles, AreReadLineByLineToTheirEnd) {
  const std::string many = std::string(100'000, 'x') + "\n\nlast";
  for (const auto& [text, expected] :
       {std::pair<std::string, std::vector<std::size_t>>{many, {100'000, 0, 4}},
        {many + "\n", {100'000, 0, 4}},
        {"", {}},
        {"\n", {0}}}) {
    write_file(path("lines"), text);
    ForeignFile file = ForeignFile::named_by_user(path("lines"), "note");
    std::vector<std::size_t> sizes;
    for (std::string line; file.next_line(line);) sizes.push_back(line.size());
    EXPECT_EQ(sizes, expected) << text.size();
  }
}

TEST(PlainNames, HoldNoPathAndNoTerminalControl) {
  for (const char* name : {"a", "argpack-borrow-stale-0123abcd.repro", "_", "7", "a+b=c,d@e"})
    EXPECT_TRUE(is_plain_name(name)) << name;
  for (const char* name : {"", ".", "..", "a/b", "-a", "a b", "a\n", "\xc3\xa9", "a:b", "~", "$x"})
    EXPECT_FALSE(is_plain_name(name)) << name;
  EXPECT_TRUE(is_hexadecimal_id("0123456789abcdef"));
  for (const char* id :
       {"", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "../../../../../x"})
    EXPECT_FALSE(is_hexadecimal_id(id)) << id;
  EXPECT_THROW(hexadecimal_digits("0x", "a tape"), NotAName);
}

TEST(Reproducers, AFindingOfAfterlifeRunIsRefusedByName) {
  for (const char* text : {"{\"afterlife\": \"run 1\"}", " \n{}", "{"}) try {
      parse_reproducer(text, "a.repro");
      ADD_FAILURE() << text;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("a.repro: is a finding of `afterlife run`, not a"));
    }
}

}  // namespace
}  // namespace harness
