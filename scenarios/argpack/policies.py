# SPDX-License-Identifier: Apache-2.0
"""What this path's sound claims rest on, for scripts/mutation/mutate_policies.py: the policy, and where the rest of the
path keeps, gives up, checks, waits or locks."""

# Source in targets/argpack/ | its functions to mutate; ... means all.
SOURCES = {
    "own.h": ...,
    "own.cpp": ...,
    "context.h": ...,
    "core.h": ...,
    "memory.h": ["Memory::free", "Memory::reset"],
    "host_pool.h": ["HostPool::release", "HostPool::reset"],
    "program_local.h": ...,
    "device.cpp": ["LlvmDevice::deallocate", "LlvmDevice::finalize", "GfxDevice::deallocate", "GfxDevice::retain", "GfxDevice::release"],
    "program.h": ["Holders::any", "Holders::add", "Holders::remove", "Holders::doom", "ArgPack::~ArgPack",
                  "Ndarray::~Ndarray"],
    "program.cpp": ["find", "Program::end", "Program::remove", "Program::delete_argpack", "Program::delete_ndarray",
                    "Program::erase", "Program::write", "Program::synchronize", "Program::finished", "Program::flush",
                    "Program::finalize", "Program::destroy"],
    "launcher.cpp": ["submit", "Temporary::free", "Temporary::~Temporary", "LlvmLaunch::run",
                     "LlvmLaunch::use_arguments", "LlvmLaunch::store", "LlvmLaunch::resolve_array", "LlvmLaunch::copy_back",
                     "LlvmLaunch::finish"],
    "gfx_runtime.cpp": ...,
    "script/programs.cpp": ["ScriptPrograms::reset_now"],
    "script/arrays.cpp": ["ScriptArrays::finalize"],
    "script/externals.cpp": ["ExternalArrays::free", "ExternalArrays::resize_now", "ExternalArrays::deallocate",
                             "ExternalArrays::copy_from_host"],
    "script/binder.cpp": ["Binder::make_launch_context", "Binder::bind", "Binder::place_of", "Binder::bind_one", "Binder::bind_array",
                          "Binder::bind_external", "Binder::bind_storage", "Binder::unbind", "Binder::unbind_external", "Binder::unbind_packs", "Binder::deallocate"],
    "script/launches.cpp": ["Launches::compile", "Launches::launch_now", "Launches::wait_for_result", "Launches::call_back"],
    "script/packs.cpp": ["ScriptPacks::finalize"],
}

# Statements that only report to the judges (also faults of the target itself, through the ledger) or offer a turn.
SCENERY = r"facts|observer|tell_|objects_?\.pass|^step\(|ledger_?\.(double_free|wrong_owner|used)|scheduler\.die|" \
          r"^&argument == &context\.array$"

# Mutants that no rule of the script makes: name, file, expression or statement, replacement.
BY_HAND = [
    ("launches hold without bound", "own.cpp", "launch_count_ < kLaunchLimit", "launch_count_ < 1000 * kLaunchLimit"),
]

# A mutant that must be refuted; if it is not, the search itself is at fault.
PLANTED = "own.cpp Own::bound drop: argument.pack->holders().add()"
