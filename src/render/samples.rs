//! Reports for the tests of this room, one for each verdict.

use jiff::Timestamp;

use crate::report::{
    API_VERSION, Accepts, ActionWord, CauseReport, Certainty, ClusterHead, Evidence, FixReport, GapReport,
    LogLine, NotChecked, NotIt, Progress, Project, Recovers, Risk, Signal, SourceHead, Step, Thing, Verdict,
    Versions, WhyReport,
};
use crate::tree::{Mood, Node};

/// A moment on the day of the samples.
pub(super) fn at(clock: &str) -> Timestamp {
    format!("2026-07-28T{clock}Z").parse().unwrap()
}

/// A report without an answer: head, empty tree.
fn blank(name: &str, stack_id: &str, status: &str, since: Option<&str>) -> WhyReport {
    WhyReport {
        api_version: API_VERSION,
        kind: "WhyReport",
        taken_at: at("20:45:40"),
        exit_code: 1,
        verdict: Verdict::CauseNamed,
        summary: String::new(),
        action: ActionWord::Create,
        progress: None,
        cluster: ClusterHead {
            name: name.into(),
            uuid: Some("d3c2e1f0-2f3c-4b5d-9d8e-0a1b2c3d4e5f".into()),
            stack_id: Some(stack_id.into()),
            project: Project {
                id: Some("461843c938324dafae99369081c83008".into()),
                name: Some("demo".into()),
            },
            status: Some(status.into()),
            since: since.map(at),
            versions: Versions {
                class: Some("magnum-v0.38.2".into()),
                driver_at_least: Some("0.38.2".into()),
                capi: Some("1.13.6".into()),
                capo: Some("0.14.7".into()),
                kubernetes: Some("v1.33.1".into()),
            },
            ..ClusterHead::default()
        },
        source: SourceHead {
            context: Some("lab".into()),
            api_server: Some("https://203.0.113.10:6443".into()),
            cloud: Some("lab-demo".into()),
            region: Some("RegionOne".into()),
            namespace: "magnum-system".into(),
            parts_read: 31,
            parts_missing: 0,
        },
        causes: vec![],
        signals: vec![],
        not_it: vec![],
        not_checked: vec![],
        gaps: vec![],
        notes: vec![],
        accepts: vec![],
        verify: vec![],
        leftovers: Vec::new(),
        tree: Node::default(),
        log: vec![],
    }
}

fn step(say: &str, run: &[&str]) -> Step {
    Step { say: say.into(), run: run.iter().map(|line| (*line).into()).collect() }
}

fn evidence(source: &str, place: &str, words: &str) -> Evidence {
    Evidence { source: source.into(), place: place.into(), words: words.into() }
}

/// `Kind name`, status, reason, since, message.
fn node(label: &str, status: &str, reason: &str, since: &str, message: &str, children: Vec<Node>) -> Node {
    let (kind, name) = label.split_once(' ').unwrap_or((label, ""));
    Node {
        kind: kind.into(),
        name: name.into(),
        status: status.into(),
        reason: reason.into(),
        message: message.into(),
        since: (!since.is_empty()).then(|| at(since)),
        mood: match status {
            "True" | "ACTIVE" => Mood::Good,
            "False" => Mood::Bad,
            "Unknown" | "missing" | "not read" => Mood::Unsure,
            _ => Mood::Plain,
        },
        children,
        ..Node::default()
    }
}

fn log(clock: &str, level: &str, times: usize, words: &str) -> LogLine {
    LogLine {
        pod: "capo-system/capo-controller-manager-6cbd7bbf77-x4k2p".into(),
        container: "manager".into(),
        level: level.into(),
        at: Some(at(clock)),
        times,
        words: words.into(),
        unattributed: false,
    }
}

fn stuck_tree() -> Node {
    let refused = "failed to create server: POST https://203.0.113.10:8774/v2.1/servers 403 \
                   {\"forbidden\": {\"code\": 403, \"message\": \"Quota exceeded for cores: Requested 2, \
                   but already used 0 of 1 cores\"}}";
    let server = Node {
        here: true,
        ..node(
            "OpenStackServer kube-4g0ec-88gxw-w465v",
            "False",
            "InstanceCreateFailed",
            "20:43:23",
            refused,
            vec![],
        )
    };
    let machine = node(
        "Machine kube-4g0ec-88gxw-w465v",
        "False",
        "NotReady",
        "20:43:13",
        "* InfrastructureReady: WaitingForBootstrapData\n* NodeHealthy: Waiting for the Cluster's control plane to be initialized",
        vec![server],
    );
    let control_plane = Node {
        replicas: Some("0/1".into()),
        ..node("KubeadmControlPlane kube-4g0ec-88gxw", "False", "NotAvailable", "20:42:29", "", vec![machine])
    };
    let balancer = "LoadBalancer k8s-clusterapi-cluster-magnum-system-kube-4g0ec-kubeapi";
    let network = node(
        "OpenStackCluster kube-4g0ec-jb6f2",
        "True",
        "Ready",
        "20:43:07",
        "",
        vec![node(balancer, "ACTIVE", "", "", "203.0.113.82", vec![])],
    );
    let workers = Node {
        replicas: Some("0/1".into()),
        ..node(
            "MachineDeployment kube-4g0ec-default-worker-6fzwh",
            "False",
            "NotAvailable",
            "20:42:32",
            "",
            vec![],
        )
    };
    let condition =
        Node { condition: true, ..node("Available", "False", "NotAvailable", "20:42:27", "", vec![]) };
    let cluster = node(
        "Cluster kube-4g0ec",
        "False",
        "NotAvailable",
        "20:42:27",
        "",
        vec![condition, network, control_plane, node("Workers", "", "", "", "", vec![workers])],
    );
    node("Magnum cores-full", "-", "CREATE_IN_PROGRESS", "20:42:16", "", vec![cluster])
}

fn quota() -> CauseReport {
    CauseReport {
        id: "quota-used-up",
        title: "a quota of the project is used up",
        certainty: Certainty::Certain,
        says: vec![
            "Two cores were asked for while one is the limit and none is in use: the quota is smaller than flavor \
             m1.medium (2 vCPU)."
                .into(),
        ],
        recovers: Recovers::Never,
        recovers_says: "It does not end by itself: CAPO gave this server up, and a control plane of one machine is \
                        never replaced."
            .into(),
        about: vec![Thing { kind: "Machine".into(), id: "kube-4g0ec-88gxw-w465v".into(), ..Thing::default() }],
        evidence: vec![
            evidence(
                "OpenStackServer kube-4g0ec-88gxw-w465v, InstanceReady False, InstanceCreateFailed",
                "kubectl -n magnum-system get openstackserver kube-4g0ec-88gxw-w465v -o yaml",
                "Quota exceeded for cores: Requested 2, but already used 0 of 1 cores",
            ),
            evidence(
                "Nova quota of project demo",
                "openstack quota show --usage 461843c938324dafae99369081c83008",
                "cores 0 of 1, instances 0 of 10, ram 0 of 51200 MiB",
            ),
        ],
        fix: FixReport {
            risk: Risk::Deletes,
            steps: vec![
                step(
                    "raise the quota (needs admin; one control plane machine and one worker of m1.medium take 4 cores)",
                    &["openstack quota set --cores 4 461843c938324dafae99369081c83008"],
                ),
                step("have the machine made anew", &[
                    "kubectl -n magnum-system delete machine kube-4g0ec-88gxw-w465v --wait=false --ignore-not-found",
                ]),
            ],
        },
        consequences: vec!["control-plane-not-up"],
    }
}

/// A create that the compute quota stopped.
pub(super) fn quota_used_up() -> WhyReport {
    WhyReport {
        summary: "Nova refused the first control plane machine: the project has no cores left".into(),
        causes: vec![quota()],
        not_it: vec![NotIt {
            what: "OpenStackMachine says WaitingForBootstrapData".into(),
            because: "stale, the data was ready 20:42:24Z".into(),
        }],
        accepts: vec![
            Accepts { operation: "resize", answer: "409 while CREATE_IN_PROGRESS".into() },
            Accepts { operation: "delete", answer: "yes".into() },
        ],
        verify: vec![step("", &["kubectl magnum why cores-full"])],
        tree: stuck_tree(),
        log: vec![
            log(
                "20:42:26",
                "E",
                1,
                "create OpenStack instance: POST /servers 403 Quota exceeded for cores: Requested 2, but already used 0 of 1 cores",
            ),
            log("20:43:13", "I", 3, "Not reconciling server in error state"),
            LogLine { unattributed: true, ..log("20:43:14", "W", 1, "rate limited") },
        ],
        ..blank("cores-full", "kube-4g0ec", "CREATE_IN_PROGRESS", Some("20:42:16"))
    }
}

/// Two causes, the second only likely, with parts missing.
pub(super) fn two_causes() -> WhyReport {
    let second = CauseReport {
        id: "image-without-kubelet",
        title: "the image of the workers holds another Kubernetes version",
        certainty: Certainty::Likely,
        says: vec![
            "the image of the workers holds Kubernetes v1.31.4, and v1.33.1 is asked for".into(),
            "the node never came up, and the console log could not be read".into(),
        ],
        recovers: Recovers::AfterFix,
        recovers_says: "The controllers go on once the image is the right one.".into(),
        evidence: vec![
            evidence(
                "cluster template k8s-v1.33",
                "openstack coe cluster template show k8s-v1.33",
                "image ubuntu-2204-kube-v1.31.4",
            ),
            evidence(
                "MachineDeployment kube-4g0ec-default-worker-6fzwh",
                "kubectl -n magnum-system get md",
                "version v1.33.1",
            ),
        ],
        fix: FixReport {
            risk: Risk::Changes,
            steps: vec![step(
                "look which image carries the version",
                &["openstack image list --property kube_version=v1.33.1"],
            )],
        },
        about: vec![],
        consequences: vec![],
    };
    let mut report = quota_used_up();
    report.causes.push(second);
    report.source.parts_read = 29;
    report.source.parts_missing = 2;
    report.gaps = vec![GapReport {
        part: "openstack/quotas-cinder".into(),
        why: "forbidden",
        says: "Cinder 403: Policy doesn't allow volume_extension:quotas:show to be performed.".into(),
    }];
    report.not_checked = vec![
        NotChecked { cause: "volume-quota-used-up", needs: vec!["openstack/quotas-cinder".into()] },
        NotChecked { cause: "volume-type-missing", needs: vec!["openstack/quotas-cinder".into()] },
    ];
    report.cluster.since_at_most = true;
    report.notes =
        vec!["Magnum's health_status is UNHEALTHY; it is what the API server said 12m ago.".into()];
    report
}

/// Nothing is wrong.
pub(super) fn healthy() -> WhyReport {
    WhyReport {
        exit_code: 0,
        verdict: Verdict::Healthy,
        action: ActionWord::Run,
        summary: "Nothing is wrong: 1 control plane machine and 2 workers are Ready, the API load balancer is ACTIVE."
            .into(),
        tree: node("Magnum web", "-", "CREATE_COMPLETE", "", "", vec![node(
            "Cluster kube-q8w7e",
            "True",
            "Available",
            "18:00:00",
            "",
            vec![],
        )]),
        ..blank("web", "kube-q8w7e", "CREATE_COMPLETE", None)
    }
}

/// A stage inside its time.
pub(super) fn working() -> WhyReport {
    WhyReport {
        exit_code: 0,
        verdict: Verdict::Working,
        summary: "waiting for the first control plane machine to become a node".into(),
        progress: Some(Progress {
            stage: "the first control plane machine to become a node".into(),
            since: at("20:43:20"),
            usual: 5.0,
            limit: Some(20.0),
        }),
        ..blank("young", "kube-aaaaa", "CREATE_IN_PROGRESS", Some("20:43:00"))
    }
}

/// Something is wrong, nobody knows what.
pub(super) fn unknown() -> WhyReport {
    WhyReport {
        verdict: Verdict::CauseUnknown,
        summary: "the control plane machine has been up for 40m and is no node yet".into(),
        progress: Some(Progress {
            stage: "the first control plane machine to become a node".into(),
            since: at("20:05:40"),
            usual: 5.0,
            limit: Some(20.0),
        }),
        signals: vec![
            Signal {
                source: "Machine kube-bbbbb-1, NodeHealthy Unknown".into(),
                place: "kubectl -n magnum-system get machine kube-bbbbb-1 -o yaml".into(),
                words: "Waiting for the node to appear".into(),
            },
            Signal {
                source: "KubeadmControlPlane kube-bbbbb, CertificatesAvailable False".into(),
                place: String::new(),
                words: "* secret kube-bbbbb-ca: not found\n* secret kube-bbbbb-etcd: not found".into(),
            },
        ],
        verify: vec![step(
            "the console of the machine tells how far cloud-init came",
            &["openstack console log show 7a0c3a5c-6a53-4a5e-9a0e-2f4cf1a7a001"],
        )],
        ..blank("quiet", "kube-bbbbb", "CREATE_IN_PROGRESS", Some("20:00:00"))
    }
}

/// The management cluster could not be read.
pub(super) fn not_enough() -> WhyReport {
    let mut report = WhyReport {
        exit_code: 5,
        verdict: Verdict::NotEnoughSeen,
        summary: "the Cluster API objects could not be read".into(),
        gaps: vec![GapReport {
            part: "kubernetes/machines".into(),
            why: "forbidden",
            says: "machines.cluster.x-k8s.io is forbidden: User \"dev\" cannot list resource \"machines\" in API group \
                   \"cluster.x-k8s.io\" in the namespace \"magnum-system\", as no role binding of the user allows it"
                .into(),
        }],
        verify: vec![step("", &["kubectl auth can-i list machines.cluster.x-k8s.io -n magnum-system"])],
        not_checked: ["a", "b", "c"]
            .into_iter()
            .map(|part| NotChecked { cause: "quota-used-up", needs: vec![part.into()] })
            .collect(),
        ..blank("half", "kube-ccccc", "CREATE_IN_PROGRESS", Some("20:00:00"))
    };
    report.source.parts_missing = 1;
    report
}

/// All of them.
pub(super) fn all() -> Vec<(&'static str, WhyReport)> {
    vec![
        ("quota", quota_used_up()),
        ("two-causes", two_causes()),
        ("healthy", healthy()),
        ("working", working()),
        ("unknown", unknown()),
        ("not-enough", not_enough()),
    ]
}
