# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest's for the suite numba-cuda: the one fixture of its tests that their wheel leaves out."""
import pytest


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    """Turns off reproducer files for failed assembly checks."""
    request.cls._dump_failed_filechecks = False
