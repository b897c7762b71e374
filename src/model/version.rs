//! Versions of what builds the cluster, and their order.

use super::Doc;

/// `1.13.6` out of `v1.13.6`, `magnum-v0.38.2`, or an image reference with that tag.
#[must_use]
pub fn parse(text: &str) -> Option<Vec<u64>> {
    let tail = text.rsplit_once(':').map_or(text, |(_, tag)| tag.split('@').next().unwrap_or(tag));
    let tail = tail.rsplit_once("-v").map_or(tail, |(_, v)| v);
    let digits = tail.trim_start_matches('v');
    let numbers: Vec<u64> = digits.split(['.', '-', '+']).map_while(|n| n.parse().ok()).collect();
    (numbers.len() >= 2).then_some(numbers)
}

/// True if `version` is at least `than`; `None` if one of them is no version.
#[must_use]
pub fn at_least(version: &str, than: &str) -> Option<bool> {
    Some(parse(version)? >= parse(than)?)
}

/// Printable form of [`parse`].
#[must_use]
pub fn short(text: &str) -> Option<String> {
    let numbers: Vec<String> = parse(text)?.iter().map(u64::to_string).collect();
    Some(numbers.join("."))
}

/// Image tag of a Deployment's or pod's first container, as a version.
#[must_use]
pub fn of_image(doc: Doc<'_>) -> Option<String> {
    let containers = ["spec.template.spec.containers", "spec.containers"];
    containers.iter().flat_map(|path| doc.list(path)).find_map(|c| short(c.str("image")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_tags_classes_and_plain_words() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(short(text).as_deref(), expected, "{text}");
        };
        check("registry.k8s.io/capi-openstack/capi-openstack-controller:v0.14.7", Some("0.14.7"));
        check("host:5000/magnum:2026.1", Some("2026.1"));
        check("magnum-v0.38.2", Some("0.38.2"));
        check("magnum-v0.36.3-4-gabc", Some("0.36.3.4"));
        check("v1.33.4", Some("1.33.4"));
        check("latest", None);
        assert_eq!(at_least("0.12.1", "0.12.2"), Some(false));
        assert_eq!(at_least("0.12.10", "0.12.2"), Some(true));
    }
}
