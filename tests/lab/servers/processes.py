"""Servers as processes: started once, found again by pid and start time, stopped by group."""

import os
import signal
import subprocess
import time
import urllib.error
import urllib.request

from .places import LOG, PIDS
from .say import Trouble


def _started(pid):
    """The kernel's start time of a living process, or None. A pid alone may have been given anew."""
    try:
        fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]


def _recorded(name):
    try:
        pid, started = (PIDS / name).read_text().split()
    except (OSError, ValueError):
        return None
    return int(pid) if _started(pid) == started else None


def alive(name):
    """Whether the server that `spawn` started under this name still runs."""
    return _recorded(name) is not None


def spawn(name, argv, env=None, cwd=None):
    """Starts a server in a session of its own, unless it runs. Its output goes to the log folder."""
    if alive(name):
        return
    PIDS.mkdir(parents=True, exist_ok=True)
    LOG.mkdir(parents=True, exist_ok=True)
    with open(LOG / f"{name}.log", "ab") as log:
        child = subprocess.Popen(
            [str(a) for a in argv], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=cwd,
            env={**os.environ, **(env or {})}, start_new_session=True)
    (PIDS / name).write_text(f"{child.pid} {_started(child.pid)}\n")


def stop(*names, grace=5.0):
    """Ends servers (all when none is named): TERM at once, KILL to the groups still there after `grace` seconds."""
    if not names:
        names = sorted(f.name for f in PIDS.iterdir()) if PIDS.is_dir() else []
    left = {n: pid for n in names if (pid := _recorded(n))}
    for pid in left.values():
        os.killpg(pid, signal.SIGTERM)
    end = time.monotonic() + grace
    while left and time.monotonic() < end:
        time.sleep(0.1)
        left = {n: pid for n, pid in left.items() if _recorded(n)}
    for pid in left.values():
        os.killpg(pid, signal.SIGKILL)
    for n in names:
        (PIDS / n).unlink(missing_ok=True)


def tail(name, lines=15):
    """The end of a server's log, to show why it did not start."""
    try:
        return "\n".join((LOG / f"{name}.log").read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""


def wait_until(name, ready, seconds):
    """Waits for `ready()` to be true; says the end of the log when the server ends or time runs out."""
    end = time.monotonic() + seconds
    while not ready():
        if not alive(name):
            raise Trouble(f"{name} ended while it started:\n{tail(name)}", f"its log is {LOG / name}.log")
        if time.monotonic() > end:
            raise Trouble(f"{name} did not answer within {seconds} s:\n{tail(name)}", f"its log is {LOG / name}.log")
        time.sleep(0.1)


def answers(url, context=None):
    """Whether anything but a server's own trouble comes back from `url`."""
    try:
        urllib.request.urlopen(url, timeout=5, context=context).read()
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False
    return True
