//! What `collect` says of each part: read and how many, or why not.

use std::collections::BTreeMap;

use crate::bundle::Bundle;

/// A line a part, in the order of their names.
pub(super) fn lines(bundle: &Bundle) -> String {
    let mut lines: BTreeMap<&str, String> = BTreeMap::new();
    for read in &bundle.meta.read {
        let (part, since) = read.split_once(' ').unwrap_or((read, ""));
        let says = format!("{} {since}", count(bundle, part)).trim_end().to_owned();
        lines.insert(part, format!("read      {part}: {says}"));
    }
    for gap in &bundle.meta.gaps {
        let word = if gap.partial { "partly   " } else { "not read " };
        lines.insert(&gap.part, format!("{word} {}: {}: {}", gap.part, gap.why.word(), one_line(&gap.says)));
    }
    lines.into_values().map(|line| line + "\n").collect()
}

/// How many objects, rows or kept lines a part has.
fn count(bundle: &Bundle, part: &str) -> String {
    if part.starts_with("log/") {
        let lines: usize =
            bundle.logs.iter().filter(|log| log.part() == part).map(|log| log.text.lines().count()).sum();
        return format!("{lines} lines kept");
    }
    if part.starts_with("kubernetes/") {
        return bundle.objects.iter().filter(|object| object.part == part).count().to_string();
    }
    if part == "openstack/compute/console" {
        return bundle.consoles.len().to_string();
    }
    let rows = bundle.bodies.iter().filter(|body| body.part == part).map(|body| {
        let lists = body.value.as_object().into_iter().flatten().filter(|(key, _)| !key.ends_with("links"));
        lists.map(|(_, list)| list.as_array().map_or(1, Vec::len)).sum::<usize>()
    });
    rows.sum::<usize>().to_string()
}

/// Words of a server for one line of a terminal.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::{Gap, Why};
    use serde_json::json;

    #[test]
    fn every_part_has_its_line() {
        let mut bundle = Bundle::default();
        bundle
            .take_body("openstack/network/ports", json!({"ports": [{}, {}], "ports_links": [{}]}))
            .expect("a body");
        bundle.take_objects(json!({"kind": "Pod", "metadata": {"name": "p"}})).expect("a pod");
        let read =
            ["kubernetes/pod", "openstack/network/ports", "log/capo-system since 2026-11-30T20:00:00Z"];
        bundle.meta.read = read.map(str::to_owned).to_vec();
        let gap = |part: &str, partial| Gap {
            part: part.to_owned(),
            why: Why::NoAccess,
            says: "no\u{1b}[1m".to_owned(),
            partial,
        };
        bundle.meta.gaps = vec![gap("kubernetes/machine", false), gap("openstack/network/routers", true)];
        assert_eq!(
            lines(&bundle),
            "not read  kubernetes/machine: no-access: no [1m\n\
             read      kubernetes/pod: 1\n\
             read      log/capo-system: 0 lines kept since 2026-11-30T20:00:00Z\n\
             read      openstack/network/ports: 2\n\
             partly    openstack/network/routers: no-access: no [1m\n"
        );
    }
}
