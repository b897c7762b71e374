"""`lab.sh`'s words: up, test, load, story, left, worker, record, start, stop, down, env, status."""

import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

from . import kubernetes, openstack, processes
from .places import DESCRIPTION, LAB, PIDS, PROJECT, RUN
from .say import Trouble, say

HALVES = {"kubernetes": kubernetes, "openstack": openstack}


def up(names):
    """Both halves at once; then `lab.json` tells the tests what there is."""
    RUN.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        waiting = {name: pool.submit(HALVES[name].up) for name in names}
        troubles = [(name, w.exception()) for name, w in waiting.items() if w.exception()]
    for name, trouble in troubles[1:]:
        say(name, str(trouble))
    if troubles:
        raise troubles[0][1]
    known = json.loads(DESCRIPTION.read_text()) if DESCRIPTION.exists() else {}
    known |= {name: HALVES[name].describe() for name in names}
    DESCRIPTION.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    say("lab", f"up; `{LAB.name}/lab.sh env` prints how to use it")


def test(arguments):
    """The end-to-end tests, which may not be skipped here."""
    up(list(HALVES))
    required = {**os.environ, "KUBECTL_MAGNUM_LAB_REQUIRED": "1", "KUBECTL_MAGNUM_LAB_JSON": str(DESCRIPTION)}
    command = ["cargo", "test", "--locked", "--test", "lab", *arguments]
    return subprocess.run(command, cwd=PROJECT, env=required).returncode


def load(arguments):
    """Puts the Kubernetes side of scenarios into an API server, which is emptied before."""
    server = None
    if arguments[:1] == ["--server"]:
        server, arguments = (arguments[1] if len(arguments) > 1 else ""), arguments[2:]
    if not arguments or server not in (None, *kubernetes.versions.CONTRACTS):
        return usage()
    print(kubernetes.load([os.path.abspath(folder) for folder in arguments], server=server))
    return 0


def story(folders):
    """Puts scenarios onto the servers of both halves; prints what was made, old ids and new."""
    if not folders:
        return usage()
    print(json.dumps(openstack.story(folders), indent=1))
    return 0


def down():
    """Stops every server that a lab of this cache folder started."""
    DESCRIPTION.unlink(missing_ok=True)
    processes.stop()
    say("lab", "down")


def env():
    """Shell lines for a person who wants to look around."""
    if not DESCRIPTION.exists():
        raise Trouble("the lab is not up", "run `tests/lab/lab.sh up` first")
    for half in json.loads(DESCRIPTION.read_text()).values():
        for name, value in half.get("env", {}).items():
            print(f"export {name}={shlex.quote(value)}")
        for folder in half.get("path", []):
            print(f'export PATH="{folder}:$PATH"')


def status():
    """Each server that was started here, and whether it still runs."""
    for pid in sorted(PIDS.iterdir()) if PIDS.is_dir() else []:
        print(f"{pid.name:<24}{'runs' if processes.alive(pid.name) else 'ended'}")


def main(argv):
    word, rest = (argv[0] if argv else ""), argv[1:]
    if word == "up" and set(rest) <= set(HALVES):
        up(rest or list(HALVES))
    elif word == "test":
        return test(rest)
    elif word == "load":
        return load(rest)
    elif word == "story":
        return story(rest)
    elif word == "left" and len(rest) == 1 and rest[0] in openstack.leftovers.KINDS:
        print(json.dumps(openstack.left(rest[0]), indent=1))
    elif word == "worker" and len(rest) in (1, 2) and rest[1:] in ([], ["--leave-ports"]):
        print(openstack.worker(*rest))
    elif word in ("start", "stop") and rest and set(rest) <= set(openstack.names()):
        {"start": openstack.start, "stop": openstack.stop}[word](*rest)
    elif word == "record" and not rest:
        openstack.record()
    elif word in ("down", "env", "status") and not rest:
        {"down": down, "env": env, "status": status}[word]()
    else:
        return usage()
    return 0


def usage():
    """Says how it is used."""
    print("usage: lab.sh up [kubernetes|openstack] | test [ARGUMENT…] | load [--server CONTRACT] FOLDER… | story"
          " FOLDER… | left KIND | worker PROJECT [--leave-ports] | record | stop SERVICE… | start SERVICE… | down | env"
          " | status", file=sys.stderr)
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Trouble as trouble:
        print(f"lab: {trouble}", file=sys.stderr)
        if trouble.hint:
            print(f"hint: {trouble.hint}", file=sys.stderr)
        sys.exit(1)
