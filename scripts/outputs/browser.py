# SPDX-License-Identifier: Apache-2.0
"""Browser: the Chromium of this machine. It needs no wheel."""
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome")
ABSENT = "no Chromium is installed (apt-get install chromium)"


def browser():
    """Returns the path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)
