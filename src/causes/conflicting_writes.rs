//! Two writers changed one object at the same moment, and the driver does not try again.

use super::kit::refused;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "conflicting-writes",
    title: "another write of the same object came first",
    during: Actions::ALL,
    stage: Stage::Topology,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say(
                "do not start several creates or upgrades in the same seconds: each of them writes the shared objects",
            ),
            refused::CREATE_AGAIN,
            refused::DELETE_AGAIN,
            refused::RESIZE_AGAIN,
            refused::GROUP_DELETE_AGAIN,
            refused::GROUP_CREATE_AGAIN,
        ],
    },
    values: refused::VALUES,
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Every create and every upgrade writes the shared ClusterClass and its templates, named
`magnum-v<driver version>`, in full, before it takes the cluster's lock. Two of them in the same moment
collide: the API server refuses the later write with 409 Conflict, the driver does not repeat it, and
the operation ends. Nothing is wrong with the object that the text names.

### How it is recognised

The reason says `Operation cannot be fulfilled on …: the object has been modified`. The same words in
the log of a controller mean nothing: controllers try again.

### Sources

- vexxhost/magnum-cluster-api src/driver.rs, src/resources.rs
- kubernetes/apimachinery pkg/api/errors (NewConflict)
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let conflict =
        |m: &Message| m.has("operation cannot be fulfilled on ") && m.has("the object has been modified");
    let reasons = refused::reasons(snapshot, conflict);
    let Some(first) = reasons.first() else { return refused::nothing(snapshot) };
    let (kind, name) = object(&first.text);
    let headline = format!(
        "the driver's write of {kind} {name} was refused with 409 Conflict: another write of it came first"
    );
    let mut finding = refused::finding(snapshot, &reasons, headline);
    if name.starts_with("magnum-v") {
        finding = finding
            .says(format!(
                "{name} is shared: the driver writes it on every create and upgrade of any cluster."
            ))
            .not_it(format!("{kind} {name}"), "nothing is wrong with it, only the moment was");
    }
    Ok(vec![finding])
}

/// `kubeadmcontrolplanetemplates` and `magnum-v0.38.2` out of
/// `… on kubeadmcontrolplanetemplates.controlplane.cluster.x-k8s.io "magnum-v0.38.2": …`.
fn object(text: &str) -> (&str, &str) {
    let rest = text.split_once("fulfilled on ").map_or("", |(_, rest)| rest);
    let (kind, rest) = rest.split_once(" \"").unwrap_or(("the object", ""));
    (kind.split('.').next().unwrap_or(kind), rest.split('"').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed, report};

    const ID: &str = super::CAUSE.id;
    const CONFLICT: &str = "ApiError: Operation cannot be fulfilled on clusterclasses.cluster.x-k8s.io \\\"magnum-v0.38.2\\\": \
                            the object has been modified; please apply your changes to the latest version and try again: \
                            Conflict (Status { code: 409, reason: \\\"Conflict\\\" })";

    #[test]
    fn a_conflict_in_a_reason_is_certain() {
        check(ID, &failed("CREATE_FAILED", CONFLICT), &[], "certain");
        check(ID, &failed("UPDATE_FAILED", CONFLICT), &[], "certain");
        check(ID, &failed("CREATE_IN_PROGRESS", CONFLICT), &[], "no");
        check(ID, &failed("CREATE_FAILED", "ConflictException: 409: Client Error"), &[], "no");
        check(ID, "", &["openstack/container-infra/clusters"], "not checked");
    }

    #[test]
    fn it_names_the_object() {
        let report = report(&failed("CREATE_FAILED", CONFLICT), &[]);
        assert!(
            report.causes[0].says[0].contains("clusterclasses magnum-v0.38.2"),
            "{:?}",
            report.causes[0].says
        );
    }
}
