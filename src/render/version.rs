//! Versions, a line each.

use super::clean;
use crate::report::VersionReport;

/// Writes the lines; below them what is missing.
pub(super) fn lines(report: &VersionReport) -> String {
    let mut rows = vec![("kubectl-magnum".to_owned(), report.client.to_owned())];
    rows.extend(report.kubernetes.iter().map(|version| ("Kubernetes".to_owned(), version.clone())));
    rows.extend(report.magnum.iter().map(|version| ("Magnum API".to_owned(), version.clone())));
    rows.extend(report.controllers.iter().map(|controller| {
        let name = match controller.provider.as_str() {
            "cluster-api" => "Cluster API",
            "infrastructure-openstack" => "CAPO",
            other => other,
        };
        // An image without a version in its tag is named whole.
        (name.to_owned(), controller.version.as_ref().unwrap_or(&controller.image).clone())
    }));
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let row = |(name, version): &(String, String)| {
        format!("{:width$}  {}\n", clean::line(name), clean::line(version))
    };
    let gaps = report.gaps.iter().map(|gap| format!("not read: {}: {}\n", gap.part, clean::line(&gap.says)));
    rows.iter().map(row).chain(gaps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{API_VERSION, ControllerVersion, GapReport};

    #[test]
    fn what_is_known_and_what_is_not() {
        let controller = |provider: &str, version: Option<&str>| ControllerVersion {
            provider: provider.to_owned(),
            version: version.map(str::to_owned),
            image: format!("host/{provider}:latest"),
            deployment: "n/d".to_owned(),
        };
        let report = VersionReport {
            api_version: API_VERSION,
            kind: "Version",
            client: "0.1.0",
            kubernetes: Some("v1.33.4".to_owned()),
            magnum: None,
            controllers: vec![
                controller("cluster-api", Some("1.13.6")),
                controller("infrastructure-openstack", None),
            ],
            gaps: vec![GapReport {
                part: "magnum".to_owned(),
                why: "no-access",
                says: "no\u{1b}[1m way".to_owned(),
            }],
        };
        assert_eq!(
            lines(&report),
            "kubectl-magnum  0.1.0\n\
             Kubernetes      v1.33.4\n\
             Cluster API     1.13.6\n\
             CAPO            host/infrastructure-openstack:latest\n\
             not read: magnum: no way\n"
        );
    }
}
