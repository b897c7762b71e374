//! The mark on the row that the first cause is about.

use super::Node;

/// Kinds that one machine is made of: a row that stands for several machines stands for
/// these of theirs as well.
const OF_A_MACHINE: [&str; 5] = ["machine", "openstackmachine", "openstackserver", "server", "kubeadmconfig"];

/// Sets [`Node::here`] on the deepest row that is one of the `things`, pairs of kind and
/// name or id; the first in the tree where several are as deep. False if none is there.
pub fn mark(node: &mut Node, things: &[(String, String)]) -> bool {
    let mut path = Vec::new();
    let mut best: Option<Vec<usize>> = None;
    search(node, things, &mut path, &mut best);
    let Some(best) = best else { return false };
    let mut row = node;
    for index in best {
        match row.children.get_mut(index) {
            Some(child) => row = child,
            None => return false,
        }
    }
    row.here = true;
    true
}

fn search(node: &Node, things: &[(String, String)], path: &mut Vec<usize>, best: &mut Option<Vec<usize>>) {
    let deeper = best.as_ref().is_none_or(|b| path.len() > b.len());
    if deeper && things.iter().any(|(kind, id)| is(node, kind, id)) {
        *best = Some(path.clone());
    }
    for (index, child) in node.children.iter().enumerate() {
        path.push(index);
        search(child, things, path, best);
        path.pop();
    }
}

fn is(node: &Node, kind: &str, id: &str) -> bool {
    let named = node.name == id || node.folded.iter().any(|f| f == id);
    if node.condition || id.is_empty() || !named {
        return false;
    }
    let wanted = word(kind);
    let folded_machines = node.name.is_empty() && node.kind.ends_with(super::fold::MACHINES);
    if folded_machines {
        return OF_A_MACHINE.contains(&wanted.as_str());
    }
    node.kind.split(", ").map(word).any(|own| {
        own == wanted
            || (own == "machinedeployment" && wanted == "nodegroup")
            || (own == "magnum" && matches!(wanted.as_str(), "magnumcluster" | "cluster"))
    })
}

/// `SecurityGroups (2)`, `security group` and `SecurityGroup` are one kind.
fn word(kind: &str) -> String {
    let kind = kind.split_once(" (").map_or(kind, |(kind, _)| kind);
    let joined: String = kind.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    joined.strip_suffix('s').map_or(joined.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: &str, name: &str, folded: &[&str], children: Vec<Node>) -> Node {
        let folded = folded.iter().map(|f| (*f).to_owned()).collect();
        Node { kind: kind.to_owned(), name: name.to_owned(), folded, children, ..Node::default() }
    }

    fn tree() -> Node {
        row(
            "Magnum",
            "web",
            &["uuid-1"],
            vec![
                row("Network, Router, SecurityGroups (2)", "", &["net-1", "sg-1"], vec![]),
                row(
                    "MachineDeployment",
                    "kube-blue-x",
                    &["blue"],
                    vec![
                        row("Machine", "m1", &[], vec![row("OpenStackServer", "m1", &[], vec![])]),
                        row("2 Machines...", "", &["m2", "m3", "nova-3"], vec![]),
                    ],
                ),
            ],
        )
    }

    fn marked(node: &Node) -> Vec<String> {
        let own = node.here.then(|| format!("{} {}", node.kind, node.name));
        own.into_iter().chain(node.children.iter().flat_map(marked)).collect()
    }

    fn check(things: &[(&str, &str)], expected: &[&str]) {
        let mut tree = tree();
        let things: Vec<_> = things.iter().map(|(k, i)| ((*k).to_owned(), (*i).to_owned())).collect();
        assert_eq!(mark(&mut tree, &things), !expected.is_empty());
        assert_eq!(marked(&tree), expected, "{things:?}");
    }

    #[test]
    fn the_deepest_row_is_marked_and_only_one() {
        check(&[("Machine", "m1"), ("OpenStackServer", "m1")], &["OpenStackServer m1"]);
        check(&[("machine", "m1")], &["Machine m1"]);
        check(&[("Machine", "m1"), ("Machine", "m2")], &["Machine m1"]);
    }

    #[test]
    fn folded_rows_are_found_by_what_is_in_them() {
        check(&[("OpenStackServer", "m3")], &["2 Machines... "]);
        check(&[("server", "nova-3")], &["2 Machines... "]);
        check(&[("security group", "sg-1")], &["Network, Router, SecurityGroups (2) "]);
        check(&[("port", "sg-1")], &[]);
    }

    #[test]
    fn magnums_words_find_their_rows() {
        check(&[("node group", "blue")], &["MachineDeployment kube-blue-x"]);
        check(&[("Magnum cluster", "web")], &["Magnum web"]);
        check(&[("cluster", "uuid-1")], &["Magnum web"]);
    }

    #[test]
    fn what_is_not_there_marks_nothing() {
        check(&[], &[]);
        check(&[("Machine", "m9"), ("volume", "")], &[]);
    }
}
