"""The OpenStack half: Keystone, Neutron, Octavia and Magnum as their API servers, on SQLite; Nova if it is wanted."""

import concurrent.futures
import hashlib
import json
import pathlib
import shutil

from ..places import LAB, VENV
from ..say import step
from . import bus, compute, config, install, layout, seed, services
from . import left as leftovers
from . import record as recorder
from . import states
from . import story as told

_HERE = pathlib.Path(__file__).parent
#: What is done to databases that are there.
_LATER = {"__init__.py", "api.py", "bus.py", "clear.py", "left.py", "record.py", "services.py", "states.py", "story.py",
          "story_servers.py"}


def up():
    """Installs and starts it; makes and fills the databases the first time."""
    install.install()
    made = layout.DATA / "made"
    if not (made.exists() and made.read_text() == _recipe()):
        services.stop()
        shutil.rmtree(layout.DATA, ignore_errors=True)
        config.write()
        with step("openstack", "databases"), concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda name: services.inside("schemas", name), layout.services()))
        for service in layout.SERVICES:
            states.readers_do_not_wait(service)
        _start()
        with step("openstack", "seed"):
            seed.seed()
        if layout.nova():
            compute.start()
            with step("openstack", "seed of Nova"):
                compute.seed()
        made.write_text(_recipe())
    _start()
    if layout.nova():
        compute.start()


def _start():
    if layout.nova():
        bus.start()
    services.start()


def _recipe():
    """Changes when what the databases are made of changes."""
    sources = sorted(f for f in _HERE.rglob("*") if f.is_file() and f.suffix != ".pyc" and f.name not in _LATER)
    # The configuration holds paths and ports.
    text = "".join(f.read_text() for f in sources) + str(VENV) + json.dumps(layout.services())
    return hashlib.sha256(text.encode()).hexdigest()


def describe():
    """What the tests need to know of it."""
    return {
        "profile": layout.PROFILE,
        "env": {"OS_CLIENT_CONFIG_FILE": str(layout.CLOUDS), "OS_CLOUD": "demo"},
        "path": [str(layout.BIN)],
        "clouds": str(layout.CLOUDS),
        "access": {name: str(services.access_log(name)) for name in layout.services()},
        "urls": {name: layout.url(name) for name in layout.services()},
        "lab": str(LAB / "lab.sh"),
        "seeded": json.loads(layout.SEEDED.read_text()),
    }


def story(folders):
    """Loads scenarios (see `story.tell`)."""
    return told.tell(folders)


def left(kind):
    """Makes leftovers (see `left.make`)."""
    return leftovers.make(kind)


def worker(project, *how):
    """Plays Octavia's worker for half a minute, or just once when its ports are to be left (see `left.worker`)."""
    return leftovers.worker(project, *((True, 0) if how else (False, 30)))


def names():
    """The services that run."""
    return tuple(layout.services())


def stop(*which):
    """Stops services, to see what becomes of those who ask them."""
    services.stop(*which)


def start(*which):
    """Starts them again."""
    services.start(*which)


def record():
    """Writes the answers that the tests without a lab serve."""
    recorder.record()
