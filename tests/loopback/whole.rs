//! A whole run against servers that answer what a scenario holds: the same parts come back,
//! and the same answer.

use std::collections::BTreeMap;
use std::path::Path;

use kubectl_magnum::bundle::Bundle;
use kubectl_magnum::model::{Snapshot, World as Known};
use kubectl_magnum::report::WhyReport;
use kubectl_magnum::run;
use serde_json::Value;

use crate::scenario::{World, bundle, is_composed, nothing};

/// What an answer comes down to: exit code, verdict, first cause with its fix. A composed
/// bundle lacks whole lists that servers have, so there the cause may be surer than it was.
fn gist(report: &WhyReport, composed: bool) -> String {
    let first = report.causes.first();
    // Whether the conductor is a StatefulSet or a Deployment is not among what is read.
    let line = |line: &String| line.replace("deployment/magnum-conductor", "statefulset/magnum-conductor");
    let fix: Vec<String> =
        first.iter().flat_map(|cause| &cause.fix.steps).flat_map(|step| step.run.iter().map(line)).collect();
    format!(
        "{} {:?} {} {:?}\n{}",
        report.exit_code,
        report.verdict,
        first.map_or("-", |cause| cause.id),
        first.map(|cause| cause.certainty).filter(|_| !composed),
        fix.join("\n")
    )
}

/// The cluster's objects by part and name.
fn objects(bundle: &Bundle) -> BTreeMap<String, Value> {
    let target = &bundle.meta.target;
    let known = Known::new(bundle);
    let snapshot = Snapshot::new(&known, "x", target.uuid.as_deref(), target.stack_id.as_deref());
    // The class is read as metadata, so it is not compared.
    let all = snapshot.kube.all().chain(snapshot.kube.pods.some().iter().copied());
    all.map(|doc| (format!("{} {}", doc.kind(), doc.name()), doc.0.clone())).collect()
}

/// Names of the scenarios, each with a bundle.
fn names() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("scenarios")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    // What somebody looked up inside the cluster itself is never collected.
    names.retain(|name| bundle(name).workload.is_empty());
    names.sort();
    names
}

async fn compare(name: &str) -> Vec<String> {
    let world = World::of(bundle(name), nothing(), nothing()).await;
    let source = &*world.bundle;
    let word = source.meta.target.uuid.clone().unwrap_or_else(|| source.meta.asked_for.clone());
    let composed = is_composed(&bundle(name));
    let expected = run::why(source, None).map(|report| gist(&report, composed));
    let live = match world.gather(&word).await {
        Ok(live) => live,
        Err(failure) if expected.is_err() => {
            return (failure.code != expected.err().map_or(0, |e| e.code))
                .then(|| format!("{failure:?}"))
                .into_iter()
                .collect();
        }
        Err(failure) => return vec![format!("{name}: {failure:?}")],
    };
    let mut wrong = Vec::new();
    let got = run::why(&live, None).map(|report| gist(&report, composed));
    match (&expected, &got) {
        (Ok(expected), Ok(got)) if expected != got => {
            wrong.push(format!(
                "--- {name}: from the bundle\n{expected}\n--- live\n{got}\n{:?}",
                live.meta.gaps
            ));
        }
        (Ok(_), Ok(_)) => {}
        (Err(expected), Err(got)) if expected.code == got.code => {}
        _ => wrong.push(format!("{name}: {expected:?} and live {got:?}")),
    }
    let (here, there) = (objects(source), objects(&live));
    for (key, value) in &here {
        match there.get(key) {
            Some(live) if live == value => {}
            Some(_) => wrong.push(format!("{name}: {key} differs")),
            None => wrong.push(format!("{name}: {key} did not come back")),
        }
    }
    wrong
}

#[tokio::test]
async fn a_run_gives_the_answer_that_its_bundle_gives() {
    let mut wrong = Vec::new();
    for name in names() {
        wrong.extend(compare(&name).await);
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
