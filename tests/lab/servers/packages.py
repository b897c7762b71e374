"""What a fresh machine lacks, from package registries: Debian packages, and commands run with their output kept."""

import os
import shutil
import subprocess
import sys
import threading

from .places import CACHE
from .say import Trouble, step

_apt = threading.Lock()


def run(argv, what, env=None, cwd=None):
    """Runs a command; when it fails, the end of what it said becomes the trouble. Returns its stdout."""
    done = subprocess.run(
        [str(a) for a in argv], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", cwd=cwd,
        env={**os.environ, **(env or {})})
    if done.returncode:
        said = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise Trouble(f"{what} failed ({argv[0]} ended with {done.returncode}):\n{said}")
    return done.stdout


def debian(half, wanted):
    """Installs the Debian packages whose program is not there. `wanted`: program or path -> package."""
    missing = sorted({p for program, p in wanted.items() if not (shutil.which(program) or os.path.exists(program))})
    if not missing:
        return
    if not shutil.which("apt-get"):
        raise Trouble(f"missing: {', '.join(missing)}", "install these with the system's package manager")
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    with _apt, step(half, f"install {' '.join(missing)}"):
        quiet = {"DEBIAN_FRONTEND": "noninteractive"}
        run([*sudo, "apt-get", "update", "-qq"], "apt-get update")
        run([*sudo, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], "apt-get install", quiet)


def stamp(name, text, make, half="lab"):
    """Does `make` unless it was done for the same `text` before; the stamp lies in the cache."""
    mark = CACHE / "stamp" / name
    if mark.exists() and mark.read_text() == text:
        return
    with step(half, name):
        make()
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.write_text(text)


def venv(name, requirements):
    """A virtual environment of its own in the cache with the wheels of the requirements. Returns its folder."""
    folder = CACHE / f"venv-{name}"
    text = "\n".join(requirements)

    def make():
        run([sys.executable, "-m", "venv", "--clear", folder], f"making {folder}")
        run([folder / "bin" / "pip", "install", "-q", "--disable-pip-version-check", *requirements], "pip install")

    # The interpreter belongs to it: a venv does not outlive the Python that made it.
    stamp(f"venv-{name}", f"{sys.version}\n{text}", make)
    return folder
