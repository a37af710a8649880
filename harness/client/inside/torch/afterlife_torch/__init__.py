# SPDX-License-Identifier: Apache-2.0
"""PyTorch's operators on CUDA tensors, carried out by their CPU kernels on the simulated driver.

PyTorch loads this by itself (entry point "torch.backends") at the end of `import torch`, if the folder is on
PYTHONPATH, as `afterlife run` has it. On any other driver it does nothing.
AFTERLIFE_TORCH: off leaves PyTorch as it is.
"""
import atexit
import ctypes
import os
import sys

from afterlife_torch import build

# The CUDA kernels of these only copy, or do not use the device: they are not replaced.
KEPT = """_copy_from_and_resize _cudnn_init_dropout_state _debug_has_internal_overlap _fused_sdp_choice
    _has_same_storage_numel _local_scalar_dense _nested_view_from_buffer _pin_memory _resize_output _resize_output_
    _reshape_alias _sparse_coo_tensor_unsafe _use_cudnn_ctc_loss _use_miopen_ctc_loss alias as_strided detach empty
    empty_strided is_pinned is_set_to lift record_stream resize resize_ resize_as_ set_ unfold view
    view_as_complex view_as_real""".split()

# These have no CUDA kernel, but their common one launches kernels, or selects a library by the device.
ADDED = ["aten::copy_", "aten::convolution", "aten::convolution_backward", "aten::native_dropout"]

OTHER_LIBRARIES = ("cudnn", "miopen", "cslt", "mkldnn")

library = None


def operators():
    """Returns the names of the operators to replace by their CPU kernels."""
    import torch
    names = torch._C._dispatch_get_registrations_for_dispatch_key("CUDA")
    chosen = []
    for name in names:
        base = name.partition("::")[2].partition(".")[0]
        if not name.startswith("aten::") or base in KEPT or any(word in base for word in OTHER_LIBRARIES):
            continue
        schema = torch._C._get_schema(*(name.split(".") + [""])[:2])
        if any(r.alias_info is not None and not r.alias_info.is_write for r in schema.returns):
            continue  # A view.
        chosen.append(name)
    return chosen + [name for name in ADDED if name not in chosen]


def is_simulated():
    """Returns whether the driver of this process is Afterlife's."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    found = ctypes.c_void_p()
    status = driver.cuGetProcAddress_v2(b"afterlifeLaunchHostWork", ctypes.byref(found), 13000, ctypes.c_uint64(0), None)
    return status == 0 and bool(found)


def load():
    """Called by PyTorch."""
    global library
    if os.environ.get("AFTERLIFE_TORCH") == "off" or not is_simulated():
        return
    import torch
    library = ctypes.PyDLL(build.library())
    library.afterlife_torch_register.restype = library.afterlife_torch_counts.restype = ctypes.c_char_p
    wrong = library.afterlife_torch_register("\n".join(operators()).encode())
    if wrong is not None:
        raise RuntimeError("afterlife: PyTorch's operators: " + wrong.decode())
    # The kernels of these libraries are GPU machine code. Without them PyTorch uses operators that can be replaced.
    torch.backends.cudnn.enabled = False
    torch.backends.cuda.enable_flash_sdp(False)
    torch.backends.cuda.enable_mem_efficient_sdp(False)
    torch.backends.cuda.enable_cudnn_sdp(False)
    torch.set_num_threads(1)
    warm_up(torch)
    torch.cuda._is_in_bad_fork = lambda: False  # Runs are forks of a process that has initialized CUDA.
    atexit.register(tell)


def warm_up(torch):
    """Makes PyTorch import the modules of its first operators now: runs are forks, and otherwise each of them would import them."""
    import torch._decomp
    import torch._meta_registrations
    import torch._refs
    for device in ("meta", "cpu"):  # No backward pass: it starts a thread, and a process with two threads cannot be forked.
        x = torch.ones(4, 4, device=device)
        torch.nn.functional.gelu((x @ x * 2).relu()).softmax(-1).sum()


def counts():
    """Returns the amount of launched work, the most that was queued at once, and {operator: (waits, whether a GPU waits, too)}."""
    lines = [line.split() for line in library.afterlife_torch_counts().decode().splitlines()]
    return {"launched": int(lines[0][1]), "most": int(lines[0][3]),
            "waits": {line[1]: (int(line[2]), line[3] == "1") for line in lines[1:]}}


def tell():
    """Prints the operators that waited although a GPU would not: they hide faults that a late operator would show."""
    waits = {name: count for name, (count, on_gpu) in counts()["waits"].items() if not on_gpu}
    if waits:
        names = ", ".join(f"{name} ({count})" for name, count in sorted(waits.items()))
        print(f"afterlife: operators that waited for their stream, as a GPU would not: {names}", file=sys.stderr)
