#!/usr/bin/env bash
# Real servers for the end-to-end tests, on 127.0.0.1 only.
#
#   lab.sh up [kubernetes|openstack]   install what is missing, start, load; does nothing twice
#   lab.sh test [ARGUMENT…]            `up`, then `cargo test --test lab` with the arguments
#   lab.sh load [--server v1beta1|v1beta2] FOLDER…
#                                      put the Kubernetes side of scenarios into an API server; prints
#                                      which: the bundle's own contract tells unless --server does
#   lab.sh story FOLDER…               put both sides of scenarios onto the servers, with other ids;
#                                      prints the old and the new
#   lab.sh left ports|foreign|balancer make what a forgotten cluster left behind; prints its ids
#   lab.sh worker PROJECT [--leave-ports]
#                                      be Octavia's worker for half a minute
#   lab.sh stop|start SERVICE…         take an OpenStack service away for a while
#   lab.sh record                      write down again what the services answer (tests/loopback/records)
#   lab.sh down                        stop what `up` started, by process id
#   lab.sh env                         shell lines that point kubectl, openstack and the plugin here
#   lab.sh status                      what runs
#
# What is installed and built is kept under ${XDG_CACHE_HOME:-~/.cache}/kubectl-magnum/lab, or under
# $KUBECTL_MAGNUM_LAB. LAB_PORT_OFFSET moves every port. LAB_PROFILE=nova adds Nova, Glance and Placement to
# the OpenStack half, and RabbitMQ; without it (`lite`) there are four services and no package of Debian's.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# The steps are Python of the standard library; a minimal machine may lack it.
if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    if ! command -v apt-get >/dev/null; then
        echo 'lab: Python 3.10 or newer with its venv module is needed; install it and run this again' >&2
        exit 1
    fi
    sudo=''
    [ "$(id -u)" -eq 0 ] || sudo='sudo'
    echo 'lab: installing python3 and python3-venv' >&2
    $sudo apt-get update -qq
    $sudo apt-get install -y -qq --no-install-recommends python3 python3-venv >&2
fi
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 exec python3 -m servers "$@"
