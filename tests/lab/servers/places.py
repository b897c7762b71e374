"""Where the lab keeps its things and on which ports its servers listen."""

import os
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
LAB = HERE.parent
PROJECT = LAB.parent.parent

_cache = os.environ.get("XDG_CACHE_HOME") or str(pathlib.Path.home() / ".cache")
#: Outlives the clone: what is installed and built, by version.
CACHE = pathlib.Path(os.environ.get("KUBECTL_MAGNUM_LAB") or f"{_cache}/kubectl-magnum/lab")
BIN = CACHE / "bin"
VENV = CACHE / "venv"
#: One run of the lab: databases, keys, logs, pids. `lab.sh down` leaves it, `up` reuses it.
RUN = CACHE / "run"
LOG = RUN / "log"
PIDS = RUN / "pid"
#: There while the lab is up; what the tests read. See `servers.__main__.describe`.
DESCRIPTION = RUN / "lab.json"

_offset = int(os.environ.get("LAB_PORT_OFFSET", "0"))


def port(number):
    """The port that stands for `number` in this lab."""
    return number + _offset
