"""Prints a token of this Keystone that ended an hour ago.

usage: python -m servers.openstack.inside.expired USER PROJECT
"""

import base64
import datetime
import sys

from keystone import server
from keystone.common import utils
from keystone.token import token_formatters
from oslo_utils import timeutils

from . import settings

user, project = sys.argv[1:]
sys.argv = ["keystone"]
server.configure(config_files=[str(settings.ETC / "keystone" / "keystone.conf")])
ended = utils.isotime(timeutils.utcnow() - datetime.timedelta(hours=1), subsecond=True)
audit = base64.urlsafe_b64encode(b"an expired token").decode().rstrip("=")
print(token_formatters.TokenFormatter().create_token(
    user_id=user, expires_at=ended, audit_ids=[audit], payload_class=token_formatters.ProjectScopedPayload,
    methods=["password"], project_id=project))
