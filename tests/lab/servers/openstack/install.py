"""The services' wheels, in a virtual environment of their own in the cache."""

import hashlib
import pathlib
import shutil
import sys

from .. import packages
from ..places import VENV
from ..say import Trouble, step
from . import bus, layout

_HERE = pathlib.Path(__file__).parent


def install():
    """Makes the venv, unless it was made of the same wheels by the same Python."""
    if layout.PROFILE not in layout.PROFILES:
        raise Trouble(f"LAB_PROFILE is {layout.PROFILE}", f"it may be {' or '.join(layout.PROFILES)}")
    if sys.version_info < (3, 11):
        version = sys.version.split()[0]
        raise Trouble(f"Python {version} is too old for these OpenStack releases", "install 3.11 to 3.13")
    wanted, pins = _HERE / "requirements.txt", _HERE / "constraints.txt"
    text = sys.version + wanted.read_text() + pins.read_text()
    recipe = hashlib.sha256(text.encode()).hexdigest()
    packages.stamp("openstack", recipe, lambda: _make(wanted, pins), "openstack")
    if layout.nova():
        _nova(text, ["-r", wanted, "-c", pins])
    if not shutil.which("openssl"):
        packages.debian("openstack", {"openssl": "openssl"})


def _make(wanted, pins):
    if not (layout.BIN / "python").exists():
        with step("openstack", "venv"):
            packages.run([sys.executable, "-m", "venv", VENV], f"making {VENV}")
    packages.run([layout.BIN / "pip", "install", "-q", "--disable-pip-version-check", "uv"], "pip install uv")
    _wheels(["-r", wanted, "-c", pins])


def _nova(text, lite):
    """Nova's wheels beside the others, which stay as they are, and a message bus from Debian."""
    wanted, pins = _HERE / "requirements-nova.txt", _HERE / "constraints-nova.txt"
    recipe = hashlib.sha256((text + wanted.read_text() + pins.read_text()).encode()).hexdigest()
    packages.stamp("openstack-nova", recipe, lambda: _wheels([*lite, "-r", wanted, "-c", pins]), "openstack")
    packages.debian("openstack", {bus.PROGRAM: "rabbitmq-server"})


def _wheels(words):
    packages.run([layout.BIN / "uv", "pip", "install", "-q", "--python", layout.BIN / "python", *words],
                 "installing the OpenStack wheels")
