//! The volume type that the machines ask for does not exist.

use super::kit::{self, machine, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot};
use crate::report::Risk;

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "volume-type-not-found",
    title: "the volume type of the machines does not exist",
    during: Actions::ALIVE,
    stage: Stage::Server,
    explains: &["node-never-joined"],
    needs: &[
        "openstack/compute/servers",
        "kubernetes/machine",
        "kubernetes/openstackmachine",
        "kubernetes/openstackserver",
        "log:infrastructure-openstack",
    ],
    doc: DOC,
    affected: &[],
    fix: Fix {
        risk: Risk::Changes,
        steps: &[
            Step::say("see which volume types the project has").run(&["openstack volume type list"]),
            Step::say("give the project access to the type if it is private (needs an admin)")
                .each("type", &["openstack volume type set --project {project_id} {each}"]),
            Step::say("or make it under that name (needs an admin)")
                .each("type", &["openstack volume type create {each}"]),
            Step::say("have the machine made anew: CAPO never tries this server again")
                .each("machine", &["kubectl -n {namespace} delete machine {each}"])
                .when("given-up"),
        ],
    },
    values: &["type", "machine"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

With the labels boot_volume_size and boot_volume_type a machine starts from a volume. If Cinder does
not know the type, or the project may not use it, the volume is refused before Nova is asked, and CAPO
0.11 and newer gives the server up for good. CAPO reports it as an event of type Normal, which is easily
overlooked.

### How it is recognised

A current message about one of the cluster's machines holds Cinder's 404 with the words \"Volume type
… could not be found\".

### Sources

- openstack/cinder cinder/exception.py (VolumeTypeNotFound, VolumeTypeNotFoundByName)
- kubernetes-sigs/cluster-api-provider-openstack pkg/cloud/services/compute/instance.go (Failedcreatevolume)
";

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let said = |m: &&Message| m.current() && m.has("volume type") && m.has("could not be found");
    let messages: Vec<&Message> = snapshot.said.messages.iter().filter(said).collect();
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    let nodes = machine::of_messages(snapshot, &messages);
    let wanted = ["spec.rootVolume.type", "spec.rootVolume.volumeType"];
    let kind = nodes
        .iter()
        .find_map(|n| wanted.iter().find_map(|path| machine::spec(n, path)))
        .or_else(|| messages.iter().find_map(|m| name(&m.text)));
    let which =
        kind.map_or_else(|| "the volume type of the machines".to_owned(), |k| format!("volume type \"{k}\""));
    let who = machine::servers_of(&nodes);
    let headline =
        format!("{which} does not exist for the project, so Cinder refuses the root volume of {who}");
    let mut finding = Finding::new(headline).likely_if(messages.iter().all(|m| m.weak));
    for evidence in kit::evidence_of(snapshot, &messages) {
        finding = finding.evidence(evidence);
    }
    if let Some(kind) = kind {
        finding = finding.value("type", kind).about(thing("volume type", kind));
    }
    Ok(vec![machine::ends(snapshot, &nodes, "the volume type exists", finding)])
}

/// `fast` out of `Volume type with name fast could not be found.`
fn name(text: &str) -> Option<&str> {
    let (before, _) = text.split_once(" could not be found")?;
    let name = before.rsplit(' ').next()?;
    (!name.is_empty() && !name.contains('"')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, report, server_refused};

    const ID: &str = super::CAUSE.id;

    /// CAPO writes the refusal into the condition as it writes Nova's.
    fn refused(sentence: &str) -> String {
        server_refused(404, sentence).replace("n:8774/v2.1/servers", "n:8776/v3/p1/volumes")
    }

    #[test]
    fn cinders_refusal_is_certain_and_names_the_type() {
        let files = refused("Volume type with name fast could not be found.");
        check(ID, &files, &[], "certain");
        let report = report(&files, &[]);
        assert!(report.causes[0].says[0].starts_with("volume type \"fast\""), "{:?}", report.causes[0].says);
    }

    #[test]
    fn a_volume_that_is_not_found_is_another_matter() {
        check(ID, &refused("Volume 1234 could not be found."), &[], "no");
    }

    #[test]
    fn without_capos_words_it_is_not_checked() {
        let files = refused("Volume type with name fast could not be found.");
        let files = files.split("apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1").next().unwrap();
        check(ID, files, &["kubernetes/openstackserver"], "not checked");
        check(ID, files, &["log/capo-system"], "not checked");
    }
}
