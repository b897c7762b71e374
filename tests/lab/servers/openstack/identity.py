"""Catalog, projects, users and logins: good ones, and those that must fail."""

import json
import os

from . import api, layout, services

_MEMBER = ("member", "reader", "load-balancer_member")


def seed():
    """Makes them all through Keystone and writes clouds.yaml. Returns the ids that tests need."""
    # `bootstrap` made the first administrator, whose project is `admin`.
    admin = api.admin()
    _catalog(admin)
    roles = {r["name"]: r["id"] for r in admin.get("identity", "/roles")["roles"]}
    for name in ("service", "load-balancer_member"):
        if name not in roles:
            roles[name] = admin.post("identity", "/roles", {"role": {"name": name}})["role"]["id"]
    projects = {name: project(admin, name) for name in ("service", "demo", "other", "gone")}

    def person(name, where, *held):
        made = user(admin, name)
        for role in held:
            admin.put("identity", f"/projects/{projects[where]}/users/{made}/roles/{roles[role]}")
        return made

    for name in layout.services():
        if name != "keystone":
            person(name, "service", "admin", "service")
    users = {"demo": person("demo", "demo", *_MEMBER), "other": person("other", "other", *_MEMBER),
             "reader": person("reader", "demo", "reader"), "leaver": person("leaver", "demo", *_MEMBER),
             "orphan": person("orphan", "gone", *_MEMBER)}
    me = admin.user
    admin.put("identity", f"/projects/{projects['demo']}/users/{me}/roles/{roles['admin']}")
    admin.put("identity", f"/system/users/{me}/roles/{roles['admin']}")
    _trustees(admin, roles)
    known = {"projects": projects, "users": users, "credentials": _credentials(users), "roles": roles}
    # The cluster of a removed user and of a deleted project keep their ids in Magnum.
    admin.delete("identity", f"/users/{users['leaver']}")
    admin.delete("identity", f"/projects/{projects['gone']}")
    known["expiredToken"] = services.inside("expired", users["demo"], projects["demo"]).strip()
    _clouds(known)
    return known


def project(admin, name):
    """A project by name, made if need be. Its id."""
    found = admin.get("identity", f"/projects?name={name}&domain_id=default")["projects"]
    wanted = {"project": {"name": name, "domain_id": "default"}}
    return (found[0] if found else admin.post("identity", "/projects", wanted)["project"])["id"]


def user(admin, name, domain="default"):
    """A user by name, made if need be. Its id."""
    found = admin.get("identity", f"/users?name={name}&domain_id={domain}")["users"]
    wanted = {"user": {"name": name, "password": layout.PASSWORD, "domain_id": domain}}
    return (found[0] if found else admin.post("identity", "/users", wanted)["user"])["id"]


def _catalog(admin):
    for name, (_, kind, _) in layout.services().items():
        if admin.get("identity", f"/services?type={kind}")["services"]:
            continue
        made = admin.post("identity", "/services", {"service": {"name": name, "type": kind}})["service"]["id"]
        for interface in ("public", "internal", "admin"):
            endpoint = {"service_id": made, "interface": interface, "url": layout.url(name), "region_id": layout.REGION}
            admin.post("identity", "/endpoints", {"endpoint": endpoint})


def _trustees(admin, roles):
    """The domain that Magnum looks up when it handles a real cluster."""
    domain = admin.post("identity", "/domains", {"domain": {"name": "magnum"}})["domain"]["id"]
    made = user(admin, "magnum_domain_admin", domain)
    admin.put("identity", f"/domains/{domain}/users/{made}/roles/{roles['admin']}")


def add_cloud(name, **person):
    """A login with the usual password, beside those that are there."""
    known = json.loads(layout.CLOUDS.read_text())
    cloud = json.loads(json.dumps(known["clouds"]["demo"]))
    cloud["auth"] |= person
    known["clouds"][name] = cloud
    layout.CLOUDS.write_text(json.dumps(known, indent=1))


def credential(login, name, description=""):
    """An application credential of a login's own user."""
    wanted = {"name": name, "description": description, "roles": [{"name": role} for role in _MEMBER]}
    return login.post("identity", f"/users/{login.user}/application_credentials", {"application_credential": wanted})[
        "application_credential"]


def _credentials(users):
    demo = api.Api(api.password("demo", "demo"))
    known = {name: credential(demo, name) for name in ("live", "dead")}
    demo.delete("identity", f"/users/{users['demo']}/application_credentials/{known['dead']['id']}")
    return {name: {k: made[k] for k in ("id", "secret")} for name, made in known.items()}


def _clouds(known):
    """JSON is YAML too."""
    def cloud(kind, **auth):
        return {"auth_type": kind, "region_name": layout.REGION, "identity_api_version": 3,
                "auth": {"auth_url": layout.url("keystone"), **auth}}

    def person(name, secret=layout.PASSWORD, **scope):
        domain = {"project_domain_name": "Default"} if "project_name" in scope else {}
        return cloud("v3password", username=name, password=secret, user_domain_name="Default", **domain, **scope)

    def by_credential(name, secret=None):
        held = known["credentials"][name]
        return cloud("v3applicationcredential", application_credential_id=held["id"],
                     application_credential_secret=secret or held["secret"])

    projects = known["projects"]
    clouds = {
        "demo": person("demo", project_name="demo"),
        "other": person("other", project_name="other"),
        "reader": person("reader", project_name="demo"),
        "admin": person("admin", project_name="admin"),
        "admin-of-demo": person("admin", project_name="demo"),
        "system": person("admin", system_scope="all"),
        "credential": by_credential("live"),
        "dead-credential": by_credential("dead"),
        "wrong-credential": by_credential("live", "not-this-secret"),
        "wrong-secret": person("demo", "not-this-secret", project_name="demo"),
        "wrong-project": person("demo", project_name="other"),
        "gone-project": person("orphan", project_id=projects["gone"]),
        "gone-user": person("leaver", project_id=projects["demo"]),
        "expired-token": cloud("v3token", token=known["expiredToken"], project_id=projects["demo"]),
    }
    text = json.dumps({"clouds": clouds}, indent=1)
    with open(os.open(layout.CLOUDS, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
