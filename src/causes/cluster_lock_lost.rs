//! The operation waited in vain for the driver's lock on the cluster.

use super::kit::refused;
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "cluster-lock-lost",
    title: "the driver did not get its lock on the cluster",
    during: Actions::ALL,
    stage: Stage::Topology,
    explains: &[],
    needs: &["openstack/container-infra/clusters"],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see why the status passes take so long: a slow management API, a busy conductor").run(
                &[
                    "kubectl -n {namespace} get lease cluster-{uuid} -o yaml",
                    "time kubectl -n {namespace} get cluster",
                    "{conductor} --since=10m | grep -c LockTimeoutException",
                ],
            ),
            refused::CREATE_AGAIN,
            refused::DELETE_AGAIN,
            refused::RESIZE_AGAIN,
            refused::GROUP_DELETE_AGAIN,
            refused::GROUP_CREATE_AGAIN,
        ],
    },
    values: &["conductor", "resize", "group_create", "group_delete"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Every operation and every status pass (each 10 seconds) takes the same lock, the Lease
`cluster-<Magnum UUID>` in the management cluster. An operation waits 10 seconds for it. When passes
take longer than that, because the management API or the conductor is slow, they pile up, and an
operation that comes in between gives up: CREATE_FAILED, UPDATE_FAILED or DELETE_FAILED. It has not
begun by then, except for what a create writes before it takes the lock: the shared ClusterClass and the
ClusterResourceSets.

### How it is recognised

The reason is the lock's own sentence, `Timeout elapsed after 10 seconds while trying to acquiring
lock.` The Lease is deleted when the lock is given back, so its absence proves nothing.

### Sources

- vexxhost/magnum-cluster-api magnum_cluster_api/sync.py, driver.py
- py-sherlock/sherlock sherlock/lock.py (LockTimeoutException)
- openstack/magnum magnum/service/periodic.py
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let reasons = refused::reasons(snapshot, lock);
    if reasons.is_empty() {
        return refused::nothing(snapshot);
    }
    let headline = "the driver waited 10s for its lock on the cluster, which a status pass held, and gave the operation up";
    let logs = super::kit::conductor(snapshot, "logs");
    Ok(vec![refused::finding(snapshot, &reasons, headline).value("conductor", logs)])
}

fn lock(message: &Message) -> bool {
    (message.has("while trying to acquir") && message.has("lock"))
        || refused::has(message, "LockTimeoutException")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, failed};

    const ID: &str = super::CAUSE.id;
    const LOCK: &str = "Timeout elapsed after 10 seconds while trying to acquiring lock.";

    #[test]
    fn the_locks_sentence_is_certain_whatever_failed() {
        for status in ["CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED"] {
            check(ID, &failed(status, LOCK), &[], "certain");
        }
        check(ID, &failed("UPDATE_COMPLETE", LOCK), &[], "no");
        check(ID, &failed("UPDATE_FAILED", "Timeout waiting for the load balancers"), &[], "no");
        check(ID, &failed("UPDATE_FAILED", LOCK), &["openstack/container-infra/nodegroups"], "certain");
    }

    #[test]
    fn without_magnums_rows_it_is_not_checked() {
        check(ID, "", &["openstack/container-infra/clusters"], "not checked");
    }

    /// A status pass has written over the reason: then the log of that minute tells, and it
    /// names no cluster.
    #[test]
    fn a_reason_that_was_written_over_leaves_it_likely() {
        let log = |at: &str| {
            format!(
                "{}=== kubernetes/namespaces/openstack/v1/pod/magnum-conductor-0/magnum-conductor/current.log\n\
                 2026-01-01 {at}.000 8 ERROR oslo_messaging.rpc.server [None req-1 user1 p1 - - default -] Exception during \
                 message handling: sherlock.lock.LockTimeoutException: {LOCK}\n",
                failed(
                    "DELETE_FAILED",
                    "CAPI Cluster status: . CAPI OpenstackCluster status reason: Successfulcreaterouter: Created"
                )
            )
        };
        check(ID, &log("11:50:02"), &[], "likely");
        check(ID, &log("11:32:02"), &[], "no");
    }
}
