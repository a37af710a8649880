// SPDX-License-Identifier: Apache-2.0
// Collections in a Python program pass over installed modules, and over nothing of the user's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/base/tests/child.h"
#include "harness/client/outside/client.h"

namespace harness::client {
namespace {

const std::atomic<bool> kGoOn{false};

class ClientLibraries : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kAsan || kTsan) GTEST_SKIP() << "other programs lack the run-time of a sanitizer";
    if (std::system("python3 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no python3 here";
  }

  /// Returns the output of a script of these lines; it calls the driver where it says CALL.
  std::string printed(std::string lines) const {
    const std::string call = "ctypes.CDLL('libcuda.so.1').cuInit(0)";
    lines.replace(lines.find("CALL"), 4, call);
    write_file(folder_ / "script.py", "import ctypes, gc, weakref\n" + lines);
    const ClientRun run =
        run_client({{"python3", folder_ / "script.py"}, library_folder()}, {}, kGoOn);
    return run.ended.out + run.ended.err;
  }

  Folder folder_;
};

TEST_F(ClientLibraries, ACollectionLooksAtFewOfTheirObjects) {
  EXPECT_EQ(printed("import asyncio, email.message, unittest, xml.dom.minidom\n"
                    "before = len(gc.get_objects())\n"
                    "CALL\n"
                    "print(len(gc.get_objects()) * 3 < before, before > 10000)\n"),
            "True True\n");
}

TEST_F(ClientLibraries, ACycleOfTheUsersFromBeforeTheFirstCallIsCollected) {
  EXPECT_EQ(printed("class Thing: pass\n"
                    "def closure(thing):\n"
                    "    def use(): return thing, use\n"
                    "    thing.use = use\n"
                    "things = [Thing() for _ in range(4)]\n"
                    "ends = [weakref.ref(thing) for thing in things]\n"
                    "things[0].me = things[0]\n"
                    "loop = [things[1]]; loop.append(loop)\n"
                    "closure(things[2])\n"
                    "table = {'thing': things[3]}; table['me'] = table\n"
                    "CALL\n"
                    "del things, loop, table\n"
                    "gc.collect()\n"
                    "print([end() is None for end in ends])\n"),
            "[True, True, True, True]\n");
}

TEST_F(ClientLibraries, ACollectionLooksAtNothingThroughWhichNothingIsReached) {
  EXPECT_EQ(printed("class Thing: pass\n"
                    "things = [Thing() for _ in range(3000)]\n"
                    "kept = [(weakref.ref(thing), (str(thing), print)) for thing in things]\n"
                    "def count(): return sum(type(each) in (tuple, weakref.ref) for each in "
                    "gc.get_objects())\n"
                    "before = count()\n"
                    "CALL\n"
                    "print(before > 9000, count() < 500)\n"),
            "True True\n");
}

TEST_F(ClientLibraries, ATupleThatLeadsToWhatCanChangeIsLookedAt) {
  EXPECT_EQ(printed("class Thing: pass\n"
                    "things = [Thing() for _ in range(4)]\n"
                    "ends = [weakref.ref(thing) for thing in things]\n"
                    "pair = ({}, 'empty yet'); rows = ((1, []), frozenset())\n"
                    "table = {id(thing): end for thing, end in zip(things, ends)}\n"
                    "bound = (things[3].__str__,)\n"
                    "CALL\n"
                    "pair[0]['thing'] = things[0]; things[0].pair = pair\n"
                    "rows[0][1].append(things[1]); things[1].rows = rows\n"
                    "table['thing'] = things[2]; things[2].table = table\n"
                    "things[3].bound = bound\n"
                    "del pair, rows, table, bound, things\n"
                    "gc.collect()\n"
                    "print([end() is None for end in ends])\n"),
            "[True, True, True, True]\n");
}

TEST_F(ClientLibraries, AWeakReferenceThatEndsWithItsObjectCallsNobodyBack) {
  EXPECT_EQ(printed("class Thing: pass\n"
                    "called = []\n"
                    "thing = Thing(); thing.end = weakref.ref(thing, called.append)\n"
                    "thing.me = thing; end = weakref.ref(thing)\n"
                    "CALL\n"
                    "del thing\n"
                    "gc.collect()\n"
                    "print(end() is None, called)\n"),
            "True []\n");
}

TEST_F(ClientLibraries, FunctionsThatLeadToConstantsAloneAreHeldForGood) {
  EXPECT_EQ(printed("import copy, email, sys\n"
                    "def mine(): pass\n"
                    "email.default = eval('lambda x=[]: x', email.__dict__)\n"
                    "email.watched = eval('lambda: 0', email.__dict__)\n"
                    "end = weakref.ref(email.watched)\n"
                    "def counts(): return [sys.getrefcount(each) for each in (copy.copy, mine, "
                    "email.default, email.watched)]\n"
                    "before = counts()\n"
                    "CALL\n"
                    "print([now - then for then, now in zip(before, counts())])\n"),
            "[1, 0, 0, 0]\n");
}

TEST_F(ClientLibraries, WhatALibraryHoldsOfTheUsersIsCollectedOnceItLetsThatGo) {
  EXPECT_EQ(printed("import email\n"
                    "class Thing: pass\n"
                    "thing = Thing(); thing.me = thing; end = weakref.ref(thing)\n"
                    "class Kind: pass\n"
                    "kind = weakref.ref(Kind)\n"
                    "email.things = {1: thing, 2: Kind}\n"
                    "CALL\n"
                    "del thing, Kind\n"
                    "gc.collect(); print(end() is None, kind() is None)\n"
                    "email.things.clear()\n"
                    "gc.collect(); print(end() is None, kind() is None)\n"),
            "False False\nTrue True\n");
}

}  // namespace
}  // namespace harness::client
