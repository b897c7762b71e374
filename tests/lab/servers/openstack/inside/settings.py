"""What `layout.write_settings` said."""

import json
import os
import pathlib

KNOWN = json.loads(pathlib.Path(os.environ["LAB_SETTINGS"]).read_text())
ETC = pathlib.Path(KNOWN["etc"])
VAR = pathlib.Path(KNOWN["var"])
PASSWORD = KNOWN["password"]


def config(service, *names):
    """Command-line words that give a service its configuration."""
    return [word for name in names for word in ("--config-file", str(ETC / service / name))]
