//! `version`: this program and, where they answer, the servers.

use serde_json::Value;

use super::live;
use crate::cli::{Version, VersionFormat};
use crate::exit::Failure;
use crate::gather::fault::Fault;
use crate::gather::glance::Servers;
use crate::model::{Doc, controller, version};
use crate::render;
use crate::report::{API_VERSION, ControllerVersion, GapReport, VersionReport};

/// The text that is printed.
///
/// # Errors
/// The program could not start to ask.
pub(super) fn text(args: &Version) -> Result<String, Failure> {
    let servers = if args.client { None } else { Some(live::versions(&args.live)?) };
    let report = report(servers);
    Ok(match args.output {
        VersionFormat::Text => render::version(&report),
        VersionFormat::Json => render::version_json(&report),
        VersionFormat::Yaml => render::version_yaml(&report),
    })
}

fn report(servers: Option<Servers>) -> VersionReport {
    let mut report = VersionReport {
        api_version: API_VERSION,
        kind: "Version",
        client: env!("CARGO_PKG_VERSION"),
        kubernetes: None,
        magnum: None,
        controllers: Vec::new(),
        gaps: Vec::new(),
    };
    let Some(Servers { kubernetes, magnum, controllers }) = servers else { return report };
    let mut gap = |part: &str, fault: Fault| {
        let says = match &fault.hint {
            Some(hint) => format!("{fault}; {hint}"),
            None => fault.to_string(),
        };
        report.gaps.push(GapReport { part: part.to_owned(), why: fault.kind.why().word(), says });
    };
    report.kubernetes = kubernetes.map_err(|fault| gap("kubernetes", fault)).ok();
    report.controllers = controllers
        .map_err(|fault| gap("kubernetes/deployment", fault))
        .map(|pages| of_deployments(&pages))
        .unwrap_or_default();
    report.magnum = magnum.map_err(|fault| gap("openstack/container-infra", fault)).ok().flatten();
    report
}

fn of_deployments(pages: &[Value]) -> Vec<ControllerVersion> {
    let one = |deployment: Doc<'_>| {
        let image = deployment.list("spec.template.spec.containers").find_map(|c| c.str("image"))?;
        Some(ControllerVersion {
            provider: deployment.label(controller::PROVIDER)?.to_owned(),
            version: version::of_image(deployment),
            image: image.to_owned(),
            deployment: format!("{}/{}", deployment.namespace(), deployment.name()),
        })
    };
    let mut all: Vec<ControllerVersion> =
        pages.iter().flat_map(|page| Doc(page).list("items")).filter_map(one).collect();
    // Cluster API before its providers, in the order of their names.
    all.sort_by(|a, b| (a.provider != "cluster-api", a).cmp(&(b.provider != "cluster-api", b)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::fault::Kind;
    use serde_json::json;

    fn deployment(provider: &str, image: &str) -> Value {
        json!({"metadata": {"name": "d", "namespace": "n", "labels": {"cluster.x-k8s.io/provider": provider}},
            "spec": {"template": {"spec": {"containers": [{"image": image}]}}}})
    }

    #[test]
    fn every_server_or_why_not() {
        let page = json!({"items": [deployment("bootstrap-kubeadm", "r/k:v1.13.6"), deployment("cluster-api", "r/c@sha256:00"),
            json!({"metadata": {"name": "other"}})]});
        let servers = Servers {
            kubernetes: Ok("v1.33.4".to_owned()),
            magnum: Err(Fault::new(Kind::NoAccess, "container-infra", "no").hint("ask")),
            controllers: Ok(vec![page]),
        };
        let report = report(Some(servers));
        assert_eq!(report.kubernetes.as_deref(), Some("v1.33.4"));
        let found: Vec<(&str, Option<&str>)> =
            report.controllers.iter().map(|c| (c.provider.as_str(), c.version.as_deref())).collect();
        assert_eq!(found, [("cluster-api", None), ("bootstrap-kubeadm", Some("1.13.6"))]);
        let gap = report.gaps.first().expect("a gap");
        assert_eq!((gap.part.as_str(), gap.why), ("openstack/container-infra", "no-access"));
        assert!(gap.says.ends_with("; ask"), "{}", gap.says);
    }

    #[test]
    fn the_client_alone_has_no_gaps() {
        let report = report(None);
        assert_eq!((report.client, report.gaps.len()), (env!("CARGO_PKG_VERSION"), 0));
    }
}
