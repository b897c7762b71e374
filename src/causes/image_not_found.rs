//! The image that the machines ask for does not exist.

use std::collections::BTreeSet;

use super::kit::{self, machine, thing};
use super::{Cause, Finding, Fix, Look, Step};
use crate::model::action::Actions;
use crate::model::seen::Unseen;
use crate::model::stage::Stage;
use crate::model::{Message, Snapshot};
use crate::report::{Recovers, Risk};

/// The cause.
pub(super) static CAUSE: Cause = Cause {
    id: "image-not-found",
    title: "the image of the machines does not exist",
    during: Actions::ALIVE,
    stage: Stage::Server,
    explains: &["node-never-joined"],
    needs: &[
        "openstack/compute/servers",
        "openstack/image/images",
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
            Step::say("see that it is gone, or not shared with the project").each("image", &["openstack image show {each}"]),
            Step::say("see which images there are").run(&["openstack image list --status active"]),
            Step::say(
                "share it with the project again if it still exists elsewhere (an image that was deleted cannot be made again under its id)",
            )
            .each("image", &["openstack image add project {each} {project_id}"]),
            Step::say("delete the cluster and create it again with a template on an image that exists")
                .run(&["openstack coe cluster delete {uuid}"])
                .when("never-up"),
            Step::say("upgrade the cluster to a template on an image that exists: new machines then ask for that one")
                .run(&["openstack coe cluster template list", "openstack coe cluster upgrade {uuid} <template>"])
                .unless("never-up"),
        ],
    },
    values: &["image", "machine"],
    look: Look::Code(look),
};

const DOC: &str = "\
### What happens

Magnum looks at the image when the cluster is created and writes its id into the machines. If the
image is deleted later, or no longer shared with the project, Nova refuses every new server. Only the
machines that are still to be made suffer: those that run go on.

CAPO does not look an image up that is given by id, so Nova's refusal is all there is. CAPO 0.11 and
newer gives the server up for good; a new Machine is refused in the same way.

### How it is recognised

A current message holds Nova's 400 \"Can not find requested image\", or CAPO's own look-up by name
found none, and the image is not in the project's list. If the list has it, or was not read, the cause
is only likely.

### Sources

- openstack/nova nova/api/openstack/compute/servers.py (ImageNotFound is answered with 400)
- kubernetes-sigs/cluster-api-provider-openstack pkg/cloud/services/compute/referenced_resources.go
- kubernetes-sigs/cluster-api-provider-openstack controllers/openstackserver_controller.go
";

const WORDS: [&str; 2] = ["can not find requested image", "no images were found with the given image filter"];

fn look(snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Unseen> {
    let said = |m: &&Message| m.current() && WORDS.iter().any(|w| m.has(w));
    let messages: Vec<&Message> = snapshot.said.messages.iter().filter(said).collect();
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    let nodes = machine::of_messages(snapshot, &messages);
    let wanted = ["spec.image.id", "status.resolved.imageID", "spec.image.filter.name"];
    let images: BTreeSet<&str> =
        nodes.iter().filter_map(|n| wanted.iter().find_map(|path| machine::spec(n, path))).collect();
    let list = &snapshot.cloud.images;
    let known = |image: &str| list.some().iter().any(|i| i.text("id") == image || i.text("name") == image);
    let gone = list.whole() && !images.is_empty() && !images.iter().any(|i| known(i));
    let which = match images.len() {
        0 => "the image of the machines".to_owned(),
        _ => format!("image {}", kit::and(&images.iter().map(|i| (*i).to_owned()).collect::<Vec<_>>())),
    };
    let headline =
        format!("{which} does not exist for the project, so Nova refuses {}", machine::servers_of(&nodes));
    let mut finding = Finding::new(headline).likely_if(!gone || messages.iter().all(|m| m.weak));
    if list.whole() && images.iter().any(|i| known(i)) {
        finding = finding.says("The image is in the list of images by now, so this tells what was.");
    }
    for evidence in kit::evidence_of(snapshot, &messages) {
        finding = finding.evidence(evidence);
    }
    for image in images {
        finding = finding.value("image", image).about(thing("image", image));
        if gone {
            let place = format!("openstack image show {image}");
            finding = finding.evidence(kit::seen("list of images", place, "no image with this id or name"));
        }
    }
    finding = machine::ends(snapshot, &nodes, "the image exists", finding);
    if snapshot.initialised() == Some(false) {
        let says = "It does not end by itself: every new machine asks for the same image, and a cluster that never came up accepts no change of it.";
        finding = finding.flag("never-up").recovers(Recovers::Never, says);
        finding.risk = Some(Risk::Deletes);
    } else {
        let says = "It does not end by itself: every new machine asks for the same image until the cluster gets another template.";
        finding = finding.recovers(Recovers::Never, says);
        finding.risk = Some(Risk::Changes);
    }
    Ok(vec![finding])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, report, server_refused};

    const ID: &str = super::CAUSE.id;
    const REFUSAL: &str = "Can not find requested image";

    fn images(id: &str) -> String {
        format!(
            "=== openstack/image/images.json\n{{\"images\": [{{\"id\": \"{id}\", \"name\": \"ubuntu\"}}]}}\n"
        )
    }

    #[test]
    fn a_refused_image_that_is_in_no_list_is_certain() {
        let files = server_refused(400, REFUSAL);
        check(ID, &format!("{files}{}", images("2b2b2b2b-0000-4000-8000-000000000001")), &[], "certain");
        let report = report(&files, &[]);
        assert!(
            report.causes[0].says[0].contains("1a1a1a1a-0000-4000-8000-000000000001"),
            "{:?}",
            report.causes[0].says
        );
    }

    #[test]
    fn it_is_likely_if_the_list_has_it_or_was_not_read() {
        let files = server_refused(400, REFUSAL);
        check(ID, &format!("{files}{}", images("1a1a1a1a-0000-4000-8000-000000000001")), &[], "likely");
        check(ID, &files, &["openstack/image/images"], "likely");
    }

    #[test]
    fn another_refusal_is_none() {
        check(ID, &server_refused(400, "Invalid key_name provided."), &[], "no");
    }

    #[test]
    fn without_capos_servers_it_is_not_checked() {
        let files = server_refused(400, REFUSAL);
        let files = files.split("apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1").next().unwrap();
        check(ID, files, &["kubernetes/openstackserver"], "not checked");
    }
}
