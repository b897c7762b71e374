"""What the lab says to the person who waits for it."""

import sys
import threading
import time

_start = time.monotonic()
_lock = threading.Lock()


class Trouble(Exception):
    """Something that stops the lab, with what helps against it."""

    def __init__(self, what, hint=None):
        super().__init__(what)
        self.hint = hint


def say(half, what):
    """One line: seconds since the start, which half of the lab, what it does."""
    with _lock:
        print(f"lab {time.monotonic() - _start:6.1f} s  {half:<11}{what}", file=sys.stderr, flush=True)


class step:
    """Says what begins, and how long it took once it is done: `with step("kubernetes", "etcd"):`."""

    def __init__(self, half, what):
        self.half, self.what = half, what

    def __enter__(self):
        self.began = time.monotonic()
        return self

    def __exit__(self, kind, *_):
        took = time.monotonic() - self.began
        say(self.half, f"{self.what}: {'failed after' if kind else 'done in'} {took:.1f} s")
