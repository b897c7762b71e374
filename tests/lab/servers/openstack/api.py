"""The services' APIs, asked with the standard library alone."""

import json
import urllib.error
import urllib.request

from ..say import Trouble
from . import layout


def password(user, project=None, system=False, secret=layout.PASSWORD, project_id=None):
    """What a login with a password sends."""
    domain = {"id": "default"}
    identity = {"methods": ["password"], "password": {"user": {"name": user, "domain": domain, "password": secret}}}
    scope = {"project": {"id": project_id} if project_id else {"name": project, "domain": domain}}
    return {"auth": {"identity": identity, "scope": {"system": {"all": True}} if system else scope}}


def exchange(method, address, body=None, token=None, headers=None):
    """One request as it is: status, headers (names in lower case), body text."""
    sent = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "lab", **(headers or {})}
    if token:
        sent["X-Auth-Token"] = token
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, method=method, data=data, headers=sent)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, _lower(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, _lower(error.headers), error.read().decode(errors="replace")
    except OSError as error:
        raise Trouble(f"{method} {address}: {error}", "run `tests/lab/lab.sh up` first") from error


def _lower(headers):
    return {name.lower(): value for name, value in headers.items()}


#: Services that answer as of long ago unless they are told not to.
_VERSIONS = {"compute": {"OpenStack-API-Version": "compute latest"}}


class Api:
    """One login."""

    def __init__(self, login):
        status, headers, text = exchange("POST", f"{layout.url('keystone')}/auth/tokens", login)
        if status != 201:
            raise Trouble(f"Keystone refuses a login: {status} {text}")
        self.token = headers["x-subject-token"]
        known = json.loads(text)["token"]
        self.user = known["user"]["id"]
        self.project = known.get("project", {}).get("id")

    def ask(self, method, service, path, body=None, may_be=()):
        """The JSON of an answer. A status that is neither a success nor in `may_be` is a trouble."""
        status, _, text = exchange(method, _address(service, path), body, self.token, _VERSIONS.get(service))
        if status >= 300 and status not in may_be:
            raise Trouble(f"{service}: {method} {path}: {status} {text}")
        return json.loads(text) if text.startswith(("{", "[")) else {}

    def get(self, service, path):
        """GET."""
        return self.ask("GET", service, path)

    def post(self, service, path, body):
        """POST."""
        return self.ask("POST", service, path, body)

    def put(self, service, path, body=None):
        """PUT."""
        return self.ask("PUT", service, path, body)

    def delete(self, service, path, may_be=(404,)):
        """DELETE of what may have gone already."""
        return self.ask("DELETE", service, path, may_be=may_be)


def _address(service, path):
    where = {"network": layout.root("neutron") + "/v2.0", "lbaas": layout.root("octavia") + "/v2/lbaas",
             "identity": layout.url("keystone"), "magnum": layout.url("magnum")}
    if layout.nova():
        where |= {"compute": layout.url("nova"), "image": layout.root("glance") + "/v2"}
    return where[service] + path


def admin():
    """The administrator in its own project."""
    return Api(password("admin", "admin"))
