#!/usr/bin/env python3
"""Mutants: breaks rules of the simulated driver, one at a time, and expects its tests to go red.

Usage: scripts/mutants.py [--few N | --all | --check | --only TEXT | --self-test] [--build DIR]

Each rule below is a name and a change of one place in the sources that breaks it. Thirty are taken,
by the hash of their names, so that nobody chooses them; --few takes the first N of those. --check
only sees whether every change still fits its place. What is changed and built is a copy of the
sources, in DIR/tree and DIR/build (build/mutants); the tree itself is only read. --self-test is
stopped in the middle of a mutant by each signal that stops it, and compares the tree; and looks for
each place in sources that are laid out otherwise.

Prints one line per mutant. Exit: 0 every mutant went red, 1 one did not, 2 a change does not fit or
does not build, 3 usage.
"""
import argparse
import contextlib
import hashlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from tree_copy import copy_tree

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIM = "harness/devices/sim/"
CHOSEN = 30
FILTER = "*Cuda*:*Graph*:*UserObject*:*Ipc*"
LIMIT_SECONDS = 180

# name, file, what is there, what takes its place
RULES = [
    # -- default streams, events, host functions
    ("legacy work waits for blocking streams", "streams/work_queues.cpp",
     "if (other->blocking && !other->idle()) work.after.push_back",
     "if (false) work.after.push_back"),
    ("blocking streams wait for legacy work", "streams/work_queues.cpp",
     "if (!legacy.idle()) work.after.push_back", "if (false) work.after.push_back"),
    ("a wait holds up the stream until the event is reached", "calls/stream.cpp",
     "work.after.push_back(event->point);", ""),
    ("an event is done when the work before it is", "calls/stream.cpp",
     "event->point = {&*stream, stream->submitted + 1};", "event->point = {&*stream, 0};"),
    ("an event is recorded in its own context", "calls/stream.cpp",
     "if (event == nullptr || event->context != stream->context) return",
     "if (event == nullptr) return"),
    ("events without timing have no elapsed time", "calls/stream.cpp",
     "if (((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0)", "if (false)"),
    ("a query of a busy stream is not ready", "calls/stream.cpp",
     "if (!sim.queues().idle(*stream)) return not_ready(sim);", ""),
    ("stream flags are checked", "calls/stream.cpp",
     "if (created == nullptr || (flags & ~unsigned{CU_STREAM_NON_BLOCKING}) != 0)",
     "if (created == nullptr)"),
    ("non-blocking streams do not block", "calls/stream.cpp",
     "stream.blocking = (flags & CU_STREAM_NON_BLOCKING) == 0;", "stream.blocking = true;"),
    ("priorities are clamped", "calls/stream.cpp",
     "std::clamp(priority, kGreatestPriority, kLeastPriority)", "priority"),
    ("host functions may not call CUDA", "sim.cpp",
     'sim.faults().misuse("host function", "called CUDA");', ";"),
    ("a stream destroyed twice is a double free", "calls/stream.cpp",
     "sim.ledger().double_free(stream->birth);", ""),
    ("a callback's flags are zero", "calls/stream.cpp",
     "if (callback == nullptr || flags != 0) return",
     "if (callback == nullptr || flags == 99) return"),
    # -- memory and pools
    ("a queued free takes effect when the stream gets there", "streams/work_steps.cpp",
     "      sim_.pools().release(work.block);\n      return true;", "      return true;"),
    ("pool memory is counted while it is in use", "calls/pool.cpp",
     "pool.used += block.granules * Memory::kGranule;", ""),
    ("another stream reuses a pending free only with a dependency", "calls/pool.cpp",
     "return pool.internal_dependencies ? Reuse::after_free : Reuse::no;", "return Reuse::yes;"),
    ("opportunistic reuse can be turned off", "calls/pool.cpp",
     "if (block.dead) return pool.opportunistic ? Reuse::yes : Reuse::no;",
     "if (block.dead) return Reuse::yes;"),
    ("reuse follows events", "calls/pool.cpp",
     "if (pool.follow_events && stream.clock.includes(block.freed_order)) return Reuse::yes;", ""),
    ("a limit of a pool is kept", "calls/pool.cpp",
     "if (pool.limit != 0 && bytes > pool.limit - std::min(pool.limit, pool.used))", "if (false)"),
    ("the end of the current pool makes the default one current", "calls/pool_settings.cpp",
     "sim.pools().ended(*pool);", ""),
    ("a high-water mark can only be set to zero", "calls/pool_settings.cpp",
     "if (value != 0) return CUDA_ERROR_INVALID_VALUE;\n      pool.used_high",
     "pool.used_high"),
    ("pinned memory is not freed by cuMemFree", "calls/memory.cpp",
     "if ((block.origin == Origin::pinned) != host) {", "if (host && false) {"),
    ("sets are aligned", "calls/set.cpp", "if (address % width != 0) return false;", ""),
    ("rows that are set are no longer than their pitch", "calls/set.cpp",
     "&& pitch >= row_bytes()", ""),
    ("a prefetch uses the memory", "streams/work_steps.cpp",
     "if (!met(work, work.target) || !sim_.data_races().on()) return;", "if (true) return;"),
    ("a reset of the primary context is no release", "calls/context.cpp",
     "process.primary_owed = process.primary->reference_count;", ""),
    ("a copy to pageable memory returns when it is done", "calls/copy.cpp",
     "const bool waits = to_host ||", "const bool waits = (to_host && false) ||"),
    # -- order
    ("a use that was submitted before a staged copy races with it as ever", "streams/data_race.cpp",
     "return other.staged != 0 && other.staged <= by.returned;", "return other.staged != 0;"),
    ("a race with a staged copy hides no other", "streams/data_race.cpp",
     "std::exchange(today ? uses.raced_with_staged : uses.raced, true)",
     "std::exchange(uses.raced, true)"),
    ("a staged copy hides no other use of its stream", "streams/data_race.cpp",
     "use.at.line == by.at.line && (use.staged != 0) == (by.staged != 0)",
     "use.at.line == by.at.line"),
    ("asynchronous copies are not staged ones", "calls/copy.cpp",
     "if (is_sync && is_pageable(source) && !to_host)", "if (is_pageable(source) && !to_host)"),
    ("no size of copy is late today", "streams/data_race.h", "bytes < kLateBytes ? ++count_ : 0", "bytes != 0 ? ++count_ : 0"),
    ("a free comes after every use", "streams/data_race.cpp",
     "    if (comes_before(last.at, by)) continue;", "    if (last.at.tick != ~0u) continue;"),
    ("uses that conflict are ordered", "streams/data_race.cpp",
     "if (!ordered && conflict(old.mode, range.mode))",
     "if (ordered && conflict(old.mode, range.mode))"),
    ("reads do not conflict", "streams/data_race.cpp",
     "return a != b || a == AccessMode::write;", "return true;"),
    ("what the program has not waited for it may not read", "streams/host_uses.cpp",
     "const bool conflicts = mode == AccessMode::write ||", "const bool conflicts ="),
    ("what the program has waited for it may use", "streams/host_uses.cpp",
     "|| races_.comes_before(access.at, by)) continue;", ") continue;"),
    ("a word that the stream wrote is a sign", "streams/host_uses.cpp",
     "if (overlap(sign.range, range)) races_.host_saw(sign.done);", ""),
    ("an event carries what came before it", "calls/stream.cpp",
     "event->clock = stream->clock;", ""),
    ("a free need not wait", "calls/memory.cpp",
     'sim.processes().leeway().pick("wait of a free", 2) != 0)', "false)"),
    ("a condition without a default has no value", "graphs/launches/run.cpp",
     "conditional->is_set = conditional->assigns_default;", "conditional->is_set = true;"),
    ("new memory of the default stream orders no others", "calls/pool.cpp",
     "stream.clock = before;", "stream.clock.join(before);"),
    ("a launch outlives its module", "streams/work_steps.cpp", "work.module->unload <= work.unloads &&", ""),
    ("variables last as long as what was launched", "streams/work_queues.cpp",
     "if (busy_.empty()) return release(block);", "return release(block);"),
    ("a wait on memory orders its stream alone", "streams/data_race.cpp",
     "return follows && wait.done.includes(point);",
     "return (follows || true) && wait.done.includes(point);"),
    ("atomics may order blocks", "streams/block_uses.cpp", "judged_ &= !has_atomics;",
     "judged_ &= !has_atomics || true;"),
    ("work that wrote the bytes is not the host", "streams/work_steps.cpp",
     "if (block.dead || block.use_count != held.use_count) return;", "if (block.dead) return;"),
    ("packed records hold pointers", "kernels/provenance.cpp",
     "else if (offset < kPackedBytes)", "else if (offset > kPackedBytes)"),
    ("more exit nodes are another topology", "calls/graph/update.cpp",
     "if (exits <= had) return nullptr;", "if (exits <= had || true) return nullptr;"),
    ("a use comes after its allocation", "streams/data_race.cpp",
     'report_race(block, uses, by, allocation_at(uses.allocated), "nothing orders it after the allocation");',
     "static_cast<void>(block);"),
    ("what the host has waited for is done", "streams/data_race.cpp",
     "if (knowledge_.saw(clock)) host_.join(clock);", "host_.join(clock);"),
    ("a launch behind a queued free keeps its memory", "memory/memory.cpp",
     "if (block.graph == nullptr) block.freed = true;", "block.freed = true;"),
    ("a graph's kernels run in the process that launched it", "graphs/launches/run.cpp",
     "run.work->launch.process = process_;", "(void)process_;"),
    ("an executable takes lines of its own", "graphs/executables.cpp",
     "graph->lines_run = 0;", ""),
    # -- stream memory operations
    ("a wait without condition is cyclic", "memory/ops.cpp",
     "return ((found - wanted) & sign) == 0;  // Cyclic.", "return found >= wanted;"),
    ("NOR looks at the bits of both", "memory/ops.cpp",
     "return (~(found | wanted) & all) != 0;", "return (~found & all) != 0;"),
    ("managed memory cannot be waited for", "memory/ops.cpp",
     "if (block.origin == Origin::managed) return CUDA_ERROR_INVALID_VALUE;", ""),
    ("values are aligned", "memory/ops.cpp",
     "if (address % op.bytes != 0) return CUDA_ERROR_INVALID_VALUE;", ""),
    ("a batch has fewer than 256 operations", "memory/ops.cpp",
     "if (count >= kCountLimit ||", "if (count > kCountLimit ||"),
    ("a wait is over when the value is there", "streams/work_steps.cpp",
     "if (wait_is_over(op.condition, op.bytes, found, op.value)) return false;", "return false;"),
    # -- capture
    ("a capture is invalidated by what it does not allow", "graphs/capture.cpp",
     "  capture.invalidated = true;\n  return error;", "  return error;"),
    ("forks are joined", "graphs/capture.cpp", ": is_joined(capture)", ": true"),
    ("a capture ends where it began", "graphs/capture.cpp",
     "if (capture.branches.front().stream != &stream)", "if (false)"),
    ("the thread that began a strict capture ends it", "graphs/capture.cpp",
     "capture.thread != calling_thread(sim_.world()))", "false)"),
    ("two captures do not merge", "graphs/capture.cpp",
     "} else if (stream.capture != from) {", "} else if (false) {"),
    ("a thread can relax its own mode", "graphs/capture.cpp",
     "if (mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;", ""),
    ("a global capture forbids others what it cannot see", "graphs/capture.cpp",
     "if (capture.ended || (!mine && !of_all)) continue;",
     "if (capture.ended || !(mine || (of_all && false))) continue;"),
    ("captured events cannot be waited for on the host", "graphs/capture.cpp",
     "return CUDA_ERROR_CAPTURED_EVENT;\n}", "return CUDA_SUCCESS;\n}"),
    ("a captured allocation belongs to the graph", "calls/pool.cpp",
     "if (stream.capture != nullptr) return capture_allocation", "if (false) return capture_allocation"),
    ("only a graph's memory is freed in a capture", "calls/pool.cpp",
     "if (stream->capture != nullptr) return capture_free", "if (false) return capture_free"),
    ("captured memory operations are not done", "calls/memory_ops.cpp",
     "if (stream->capture != nullptr) return capture_memory_ops", "if (false) return capture_memory_ops"),
    ("no graph is launched into a capture", "calls/graph/exec.cpp",
     "CUresult Calls::cuGraphLaunch(CUgraphExec handle, CUstream on) {\n"
     "  const Found<Stream> stream = find_uncaptured_stream(sim, on);",
     "CUresult Calls::cuGraphLaunch(CUgraphExec handle, CUstream on) {\n"
     "  const Found<Stream> stream = find_work_stream(sim, on);"),
    ("no executable is destroyed under a global capture", "calls/graph/exec.cpp",
     "if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;", ""),
    ("a conditional body holds what it may, captured too", "graphs/capture.cpp",
     "if (calls::check_type(*capture.graph, type) != CUDA_SUCCESS)",
     "if (calls::check_type(*capture.graph, type) == CUDA_ERROR_UNKNOWN)"),
    ("what another graph has freed its owner cannot free", "graphs/params_memory.cpp",
     "memory->graph == &graph ? memory->is_left", "memory->graph == &graph ? false"),
    ("a graph that was instantiated without freeing cannot free any more", "graphs/executables.cpp",
     "memory->is_left |= node->params->memory->freed_in != &graph;", "memory->is_left |= false;"),
    ("the body of a condition is no child", "calls/graph/node.cpp",
     " ||\n      body->is_conditional_body())", ")"),
    ("a condition that lost its node is still there", "calls/graph/node.cpp",
     " || has_unused_conditions(sim, *body)", " || (false && has_unused_conditions(sim, *body))"),
    ("a query of a capture does not lose edge data", "calls/capture.cpp",
     "if (dependencies != nullptr && data == nullptr && lossy)",
     "if (dependencies != nullptr && data != nullptr && lossy)"),
    ("an overlap is a programmatic edge", "calls/launch.cpp", "sim.captures().overlap(stream);", "(void)stream;"),
    ("a captured kernel has its stream's priority", "calls/launch.cpp",
     "made.values[CU_LAUNCH_ATTRIBUTE_PRIORITY].priority = stream.priority;", ";"),
    # -- attributes and instantiation
    ("a cooperative kernel is on the device as a whole", "kernels/attributes.cpp",
     "return blocks <= kResidentThreads / threads ? CUDA_SUCCESS",
     "return blocks / 4 <= kResidentThreads / threads ? CUDA_SUCCESS"),
    ("parameters come in one way", "calls/launch.cpp",
     "if (parameters != nullptr) return CUDA_ERROR_INVALID_VALUE;", ""),
    ("a kernel has no more parameters than it has", "calls/launch.cpp",
     "return bytes > entry.parameter_bytes ?", "return bytes > entry.parameter_bytes + 99 ?"),
    ("an event of a launch has no times", "calls/launch.cpp",
     "return shared || timed ? CUDA_ERROR_NOT_SUPPORTED", "return shared && !timed ? CUDA_ERROR_NOT_SUPPORTED"),
    ("an event of a launch is not shared", "calls/launch.cpp",
     "return shared || timed ? CUDA_ERROR_NOT_SUPPORTED", "return timed && !shared ? CUDA_ERROR_NOT_SUPPORTED"),
    ("attributes are copied within a context", "calls/graph/kernel.cpp",
     "if (!is_kernel(source) || source->params->context != call.node()->params->context)",
     "if (!is_kernel(source))"),
    ("a clone has the attributes", "graphs/definitions.cpp", "copy.attributes = node->attributes;", ""),
    ("cooperative nodes stay so in an update", "calls/graph/update.cpp",
     "return old.cooperative() == now.cooperative() &&", "return true &&"),
    ("values in memory of graphs are not launched", "graphs/executables.cpp",
     "if (operates_on_graph_memory(sim_, *exec.root)) return false;", ""),
    ("a graph for the device copies memory that it reaches", "calls/graph/instantiate.cpp",
     "if (!is_in_device_reach(params.target) || !is_in_device_reach(params.source))",
     "if (!is_in_device_reach(params.target) && !is_in_device_reach(params.source))"),
    ("a graph for the device has one context", "calls/graph/instantiate.cpp",
     "if (context != nullptr && context != params.context)", "if (false)"),
    ("a cooperative kernel gets its parameters by pointer", "graphs/params.h",
     "return !attributes.cooperative() || params.kernel.extra == nullptr;",
     "return !attributes.cooperative() || params.kernel.gridDimX != 0;"),
    ("an update does not change the number of bodies", "calls/graph/update.cpp",
     "if (may_become(sim, old, now) && body_count == node.bodies.size()) return {};",
     "if (may_become(sim, old, now) && body_count <= node.bodies.size()) return {};"),
    ("an update does not change a conditional node's type", "graphs/params_change.cpp",
     "return from.condition_type == to.condition_type;", "return true;"),
    ("nothing is taken from a graph that a capture fills", "calls/graph.cpp",
     "if (!sim.captures().fills(graph.root())) return false;", "if (true) return false;"),
    ("programmatic edges lead to kernels", "calls/graph/edges.cpp",
     "(to == nullptr || is_kernel(*to));", "(to == nullptr || is_kernel(from));"),
    # -- arrays, textures and surfaces
    ("an array destroyed twice is a double free", "calls/array/array.cpp",
     "sim.ledger().double_free(array->birth);", ""),
    ("an array's extents are within the attributes", "calls/array/array_shape.cpp",
     "return extent > 0 && extent <= static_cast<std::size_t>(attribute_value(limit));", "return extent > 0;"),
    ("surfaces have extents of their own", "calls/array/array_shape.cpp",
     "are_within(wanted, kSurfaceLimits[shape]);", "are_within(wanted, kTextureLimits[shape]) || kSurfaceLimits[shape].depth == kNone;"),
    ("formats that are not simulated are told from none", "calls/array/array_shape.cpp",
     "return is_other ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;",
     "return is_other ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_VALUE;"),
    ("an array ends with its context", "calls/context.cpp",
     "if (arrays[i].context == &context) arrays[i].alive = false;", "static_cast<void>(context);"),
    ("a texture ends with its context", "calls/context.cpp",
     "end_all(sim.ledger(), sim.handles().textures, context);", ""),
    ("an array that is not so wide may be deeper", "calls/array/array_shape.cpp",
     "!(is_solid && are_within(wanted, kAlternateLimits)))", "!(is_solid || are_within(wanted, kAlternateLimits)))"),
    ("a cube has six faces", "calls/array/array_shape.cpp",
     "return wanted.Width == wanted.Height && wanted.Depth % 6 == 0 &&", "return wanted.Width == wanted.Height &&"),
    ("each level has bytes of its own", "calls/array/mipmapped_array.cpp", "texels.address = bytes;", "texels.address = 0;"),
    ("levels end with the whole", "calls/array/mipmapped_array.cpp",
     "for (Array* level : whole->levels) level->alive = false;", ""),
    ("a level is not destroyed by itself", "calls/array/array.cpp",
     "if (array->is_level) {", "if (array->is_level && handle == nullptr) {"),
    ("an unload waits for what is in flight", "calls/module.cpp", "may_wait(sim, *module->context);", "(void)module;"),
    ("the end of a registration waits for what is in flight", "calls/memory.cpp",
     "may_wait(sim, *sim.memory().block(index).context);", ""),
    ("memory is mapped whole", "calls/virtual_memory.cpp",
     "if (bytes != sim.memory().block(allocation->block).bytes)", "if (bytes == 4096)"),
    ("a copy stays within an array's rows", "calls/array/copy_shape.cpp",
     "!fits(side.y, copy.Height, texels.height)", "false"),
    ("a copy stays within an array's slices", "calls/array/copy_shape.cpp",
     "!fits(side.z, copy.Depth, texels.depth)", "false"),
    ("a pitch is no larger than the largest", "calls/array/copies.cpp",
     "pitch <= static_cast<std::size_t>(attribute_value(CU_DEVICE_ATTRIBUTE_MAX_PITCH));", "pitch + 1 > pitch;"),
    ("a copy is of level 0", "calls/array/copies.cpp", "given.srcLOD != 0 || given.dstLOD != 0 ||", ""),
    ("rows that are staged keep their pointers", "calls/copy.cpp",
     "work.words[i].offset += static_cast<std::uint32_t>(begin);", "work.words[i].offset += 0;"),
    ("a node copies by the rows of its array", "graphs/launches/node_work.cpp",
     "work.rows = params.rows;", ""),
    ("memory that a texture reads is aligned", "calls/array/texture.cpp",
     "if (address % limit(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT) != 0) return CUDA_ERROR_INVALID_VALUE;", ""),
    ("only numbers are filtered", "calls/array/texture.cpp",
     "if (filters && !texture.reads_numbers()) return", "if (filters && texture.sampling.flags > 99) return"),
    ("a view has the size of its array's texels", "calls/array/texture.cpp",
     "if (format.bytes() != texels.format.bytes() || ", "if ("),
    ("a destroyed texture is dead to kernels", "kernels/provenance.cpp",
     "if (is_known && (object.alive || ledger_.serves(object.id, use()))) {", "if (is_known) {"),
    ("a texture leads to the life that it was made for", "kernels/provenance.cpp",
     "    add_authority(object.memory);\n", ""),
    ("coordinates wrap only where they are normalized", "textures/axis.cpp",
     "const bool repeats = is_normalized && mode != CU_TR_ADDRESS_MODE_CLAMP;",
     "const bool repeats = mode != CU_TR_ADDRESS_MODE_CLAMP;"),
    ("a mirror turns round", "textures/axis.cpp",
     "return within < count ? within : period - 1 - within;", "return within < count ? within : within - count;"),
    ("a weight is rounded to the nearest", "textures/axis.cpp",
     "std::floor((place - low) * 256 + 0.5)", "std::floor((place - low) * 256)"),
    ("linear memory is 0 beyond its end", "textures/axis.cpp",
     "const std::int64_t texel = is_inside ? index : AxisTexels::kOutside;",
     "const std::int64_t texel = is_inside ? index : 0;"),
    ("a texel that counts for nothing is not read", "textures/fetched.cpp",
     "if (weight != 0)", "if (weight >= 0)"),
    ("an access outside of a surface is a trap", "textures/texture_unit.cpp",
     "if (!is_inside && asked.boundary == KernelBoundary::trap)", "if (false)"),
    ("texels are noted as used", "kernels/access.cpp",
     "void check_load(std::uint64_t address, std::uint64_t size, std::uintptr_t code) {\n  on_load(address, size, code);",
     "void check_load(std::uint64_t address, std::uint64_t size, std::uintptr_t code) {\n  static_cast<void>(address + size + code);"),
]


def place(rule, root=ROOT):
    return root / SIM / rule[1]


def chosen(count):
    by_hash = sorted(RULES, key=lambda rule: hashlib.sha256(rule[0].encode()).hexdigest())
    return by_hash[:count]


def where(rule):
    """Matches what the rule changes, token by token: how the code is laid out is no matter."""
    return re.compile(r"\s*".join(map(re.escape, re.findall(r"\w+|[^\w\s]", rule[2]))))


def misfits(lay_out=lambda text: text):
    return [rule[0] for rule in RULES if len(where(rule).findall(lay_out(place(rule).read_text()))) != 1]


# ---- the copy ----

def build(folder):
    """The tests of the copy. Returns whether that worked."""
    if not (folder / "build" / "build.ninja").exists():
        subprocess.run(["cmake", "-S", folder / "tree", "-B", folder / "build", "-G", "Ninja",
                        "-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_CXX_COMPILER=clang++-19",
                        "-DAFTERLIFE_FLAGS=-O1;-g1"], check=True, stdout=subprocess.DEVNULL)
    return subprocess.run(["ninja", "-C", folder / "build", "afterlife_tests"],
                          capture_output=True).returncode == 0


def passes(folder):
    """Whether the tests of the driver do. What hangs does not."""
    try:
        return subprocess.run([folder / "build" / "afterlife_tests", f"--gtest_filter={FILTER}", "--gtest_brief=1"],
                              cwd=folder / "tree", capture_output=True, timeout=LIMIT_SECONDS).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def verdict(rule, folder):
    """What became of the mutant: red, green or unbuilt."""
    file = place(rule, folder / "tree")
    before = file.read_text()
    file.write_text(where(rule).sub(lambda _: rule[3], before))
    try:
        if not build(folder):
            return "unbuilt"
        return "green" if passes(folder) else "red"
    finally:
        file.write_text(before)
        os.utime(file)


# ---- the self-test ----

# Stand-ins: ninja "builds" tests that pass, and once a mutant is in place it is never done.
STAND_INS = {
    "cmake": "mkdir -p \"$4\" && touch \"$4/build.ninja\"",
    "ninja": "if [ -e \"$2/afterlife_tests\" ]; then touch \"$2/mutated\"; sleep 60 & wait; fi\n"
             "printf '#!/bin/sh\\n' > \"$2/afterlife_tests\" && chmod +x \"$2/afterlife_tests\"",
}


def fingerprint():
    """Of the sources that mutants change: names, contents and times."""
    return {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in sorted((ROOT / SIM).rglob("*"))
            if file.is_file()}


ENDS = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGKILL)
END_SECONDS = 20


def take_signals():
    """Undoes in the child what it inherits: under nohup its parent ignores SIGHUP, in the background SIGINT."""
    for number in ENDS:
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)


def ends_by(child, number):
    """Whether the signal ends the child. What it leaves running is killed."""
    os.killpg(child.pid, number)
    try:
        ended = child.wait(END_SECONDS) == -number
    except subprocess.TimeoutExpired:
        ended = False
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    return ended


def leaves_the_tree_alone(number):
    """Whether the tree is what it was once a mutant was in place and the signal had ended it all."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name, script in STAND_INS.items():
            (folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (folder / name).chmod(0o755)
        before = fingerprint()
        child = subprocess.Popen([sys.executable, __file__, "--few", "1", "--build", folder / "mutants"],
                                 env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"},
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                 preexec_fn=take_signals)
        deadline = time.monotonic() + 60
        while not (folder / "mutants/build/mutated").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        rule = chosen(1)[0]
        in_place = rule[2] not in place(rule, folder / "mutants/tree").read_text()
        ended = ends_by(child, number)
        return ended and in_place and fingerprint() == before


def self_test():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # As under nohup.
    held = [number for number in ENDS if leaves_the_tree_alone(number)]
    print(f"mutants: the tree is left alone by {len(held)} of {len(ENDS)} ends in the middle of a mutant")
    lost = misfits(lambda text: re.sub(r"\s+", "\n  ", text))
    print(f"mutants: {len(RULES) - len(lost)} of {len(RULES)} changes fit sources with a word on each line")
    return 1 if lost or len(held) < len(ENDS) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--few", type=int, default=CHOSEN, metavar="N", help="only the first N")
    parser.add_argument("--all", action="store_true", help="every rule, not thirty")
    parser.add_argument("--check", action="store_true", help="only whether the changes fit")
    parser.add_argument("--self-test", action="store_true", help="be stopped in the middle, and compare the tree")
    parser.add_argument("--only", metavar="TEXT", help="rules whose name contains this")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "mutants", metavar="DIR")
    try:
        options = parser.parse_args()
    except SystemExit as ended:
        sys.exit(3 if ended.code else 0)
    if wrong := misfits():
        print("mutants: these changes do not fit one place any more: " + "; ".join(wrong))
        sys.exit(2)
    if options.check:
        print(f"mutants: {len(RULES)} changes fit")
        return
    if options.self_test:
        sys.exit(self_test())
    rules = RULES if options.all else chosen(options.few)
    if options.only:
        rules = [rule for rule in RULES if options.only in rule[0]]
    folder = options.build.resolve()
    copy_tree(folder / "tree")
    if not build(folder) or not passes(folder):
        print("mutants: the sources as they are do not build or do not pass")
        sys.exit(2)
    results = {}
    for number, rule in enumerate(rules, 1):
        began = time.monotonic()
        results[rule[0]] = verdict(rule, folder)
        print(f"{number:3}/{len(rules)}  {results[rule[0]]:7}  {time.monotonic() - began:5.0f} s  {rule[0]}",
              flush=True)
    build(folder)
    red = list(results.values()).count("red")
    print(f"mutants: {red} of {len(rules)} red")
    sys.exit(2 if "unbuilt" in results.values() else 0 if red == len(rules) else 1)


if __name__ == "__main__":
    main()
