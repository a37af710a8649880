# SPDX-License-Identifier: Apache-2.0
"""The suites: libraries, the tests of theirs that are run, and how."""
import dataclasses


@dataclasses.dataclass
class Suite:
    name: str
    source: str  # The repository and tag of which FOLDER must be a checkout.
    tests: str  # The folder of tests in it.
    wheels: tuple
    in_wheels: bool = False  # The tests come with the wheels, so that no FOLDER is needed.
    programs: tuple = ()  # Used in place of tests: names of programs that the user has built.
    options: tuple = ()  # Additional options for pytest.
    quick: tuple = ()  # Files of the part that takes less than ten minutes.
    only: tuple = ()  # Files and folders to run; all if empty.
    left_out: dict = dataclasses.field(default_factory=dict)  # Files and folders, with the reasons.
    environment: dict = dataclasses.field(default_factory=dict)
    seconds: int = 240  # Limit for one test.

    def has(self, file):
        return not file.startswith(tuple(self.left_out)) and (not self.only or file.startswith(self.only))


PYTEST = "pytest==9.2.0"

SUITES = {suite.name: suite for suite in (
    Suite("taichi", "github.com/taichi-dev/taichi, v1.7.4", "tests/python",
          ("taichi==1.7.4", "numpy==2.1.3", "scipy==1.15.3", "psutil==7.2.2", PYTEST, "pytest-rerunfailures==16.7"),
          quick=("test_abs.py", "test_ad_if.py", "test_arg_load.py", "test_argpack.py", "test_assert.py", "test_assign.py",
                 "test_bool_op.py", "test_cast.py", "test_copy_from.py", "test_dynamic_append_length.py", "test_if.py",
                 "test_local_atomics.py", "test_memory.py", "test_return.py", "test_shared_array.py", "test_sparse_activate.py",
                 "test_sparse_multi_tree.py", "test_struct_for_dynamic.py", "test_tuple_assign.py", "test_while.py"),
          left_out={"test_ggui.py": "graphics", "test_gui.py": "graphics", "test_texture.py": "graphics",
                    "test_torch_io.py": "PyTorch", "test_torch_ad.py": "PyTorch", "test_paddle_io.py": "PaddlePaddle",
                    "test_aot.py": "Vulkan"},
          environment={"TI_WANTED_ARCHS": "cuda", "TI_OFFLINE_CACHE": "0"}),
    Suite("cuda-core", "github.com/NVIDIA/cuda-python, cuda-core-v0.7.0", "cuda_core/tests",
          ("cuda-core==0.7.0", "cuda-bindings==13.0.3", "numpy==2.2.6", "pytest==8.4.2"),
          left_out={"system/": "NVML", "test_graphics.py": "graphics", "cython/": "a compiler of Cython",
                    "example_tests/": "examples, which need PyTorch and CuPy"},
          quick=("graph/test_graphdef.py", "graph/test_graphdef_lifetime.py", "test_event.py", "test_launcher.py", "test_memory.py")),
    Suite("cuda-bindings", "github.com/NVIDIA/cuda-python, v13.0.3", "cuda_bindings/tests",
          ("cuda-bindings==13.0.3", "numpy==2.2.6", "pytest==8.4.2", "pytest-benchmark==5.1.0"),
          quick=("test_cuda.py", "test_kernelParams.py", "test_utils.py"),
          only=("test_cuda.py", "test_kernelParams.py", "test_interoperability.py", "test_utils.py", "test_nvrtc.py"),
          left_out={"test_cudart.py": "the CUDA runtime, which is linked in"}),
    Suite("numba-cuda", "the wheel numba-cuda 0.30.4", "numba_cuda/numba/cuda/tests/cudadrv",
          ("numba-cuda==0.30.4", "numba==0.62.1", "numpy==2.2.6", "cuda-core==1.2.2", "cuda-bindings==13.0.3", "nvidia-nvvm==13.0.88",
           "nvidia-cuda-runtime==13.0.96", "nvidia-cuda-cccl==13.0.85", "cffi==2.0.0", "filecheck==1.0.3", "ml-dtypes==0.5.4",
           "psutil==7.2.2", "pytest==8.4.2"),
          in_wheels=True,
          quick=("test_context_stack.py", "test_cuda_driver.py", "test_cuda_memory.py", "test_cuda_ndarray.py", "test_events.py",
                 "test_linker.py", "test_reset_device.py", "test_streams.py"),
          # Its files are in the package numba, into which another package of the same project puts them.
          options=("-o", "consider_namespace_packages=true", "-p", "numba_cuda_fixture")),
    Suite("cuda-samples", "the driver's programs of github.com/NVIDIA/cuda-samples, v13.0, built", ".", (),
          quick=("clock_nvrtc", "deviceQueryDrv", "inlinePTX_nvrtc", "matrixMulDrv", "matrixMulDynlinkJIT", "memMapIPCDrv",
                 "simpleAssert_nvrtc", "simpleAtomicIntrinsics_nvrtc", "simpleTextureDrv", "threadMigration", "vectorAddDrv",
                 "vectorAddMMAP", "vectorAdd_nvrtc"),
          programs=("BlackScholes_nvrtc", "binomialOptions_nvrtc", "clock_nvrtc", "deviceQueryDrv", "inlinePTX_nvrtc", "matrixMulDrv",
                    "matrixMulDynlinkJIT", "matrixMul_nvrtc", "memMapIPCDrv", "quasirandomGenerator_nvrtc", "simpleAssert_nvrtc",
                    "simpleAtomicIntrinsics_nvrtc", "simpleTextureDrv", "threadMigration", "vectorAddDrv", "vectorAddMMAP",
                    "vectorAdd_nvrtc")),
)}
