"""Moves the times in a captured text, so that what was captured then looks as if it were captured now.

A real server's clock cannot be set back. Ages, and how far back a log is read, are reckoned from it, so
without this a stuck create of two minutes would be one of two months.
"""

import datetime
import re

_RFC3339 = re.compile(r"\b(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d:\d\d)(?=\.\d|Z|[+-]\d\d:?\d\d|\b)")
_KLOG = re.compile(r"^([IWEF])(\d\d\d\d) (\d\d:\d\d:\d\d)(?=\.\d)", re.MULTILINE)


def times(text, by, year):
    """The text with each time moved by the timedelta `by`, which has whole seconds. `year` is that of
    the capture: klog writes none."""

    def full(found):
        return _moved(f"{found[1]} {found[3]}", by, f"%Y-%m-%d{found[2]}%H:%M:%S") or found[0]

    def klog(found):
        moved = _moved(f"{year}-{found[2][:2]}-{found[2][2:]} {found[3]}", by, "%m%d %H:%M:%S")
        return found[1] + moved if moved else found[0]

    return _KLOG.sub(klog, _RFC3339.sub(full, text))


def _moved(text, by, form):
    try:
        return (datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S") + by).strftime(form)
    except (ValueError, OverflowError):
        return None
