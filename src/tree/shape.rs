//! What of the tree is wanted: the switches of `clusterctl describe cluster`.

use std::str::FromStr;

/// Switches of the tree; the names are clusterctl's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Objects whose conditions become rows.
    pub show_conditions: ShowConditions,
    /// Fold machines that say the same into one row.
    pub grouping: bool,
    /// Also show objects that only repeat what their Machine says.
    pub echo: bool,
    /// A row for every MachineSet.
    pub show_machinesets: bool,
    /// The templates that machines are made from, as references.
    pub show_templates: bool,
    /// A row for every ClusterResourceSet.
    pub show_resourcesets: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            show_conditions: ShowConditions::default(),
            grouping: true,
            echo: false,
            show_machinesets: false,
            show_templates: false,
            show_resourcesets: false,
        }
    }
}

/// `--show-conditions`: `all`, `Kind`, `Kind/name`, with commas between; a `+` behind one
/// of them leaves out conditions that are as they should be and have nothing to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShowConditions {
    items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    /// Lower case; `None` is `all`.
    kind: Option<String>,
    /// Lower case.
    name: Option<String>,
    telling: bool,
}

/// Which conditions of one object are rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    None,
    /// Those that are not as they should be, or carry a message.
    Telling,
    All,
}

impl ShowConditions {
    /// What is wanted of an object; the item that asks for most wins.
    pub(super) fn of(&self, kind: &str, name: &str) -> Wanted {
        let items = || self.items.iter().filter(|item| item.selects(kind, name));
        match (items().next(), items().any(|item| !item.telling)) {
            (None, _) => Wanted::None,
            (Some(_), true) => Wanted::All,
            (Some(_), false) => Wanted::Telling,
        }
    }

    /// True if this very object was asked for.
    pub(super) fn names(&self, kind: &str, name: &str) -> bool {
        self.items.iter().any(|item| item.name.is_some() && item.selects(kind, name))
    }
}

impl Item {
    fn selects(&self, kind: &str, name: &str) -> bool {
        self.kind.as_ref().is_none_or(|k| k.eq_ignore_ascii_case(kind))
            && self.name.as_ref().is_none_or(|n| n.eq_ignore_ascii_case(name))
    }
}

impl FromStr for ShowConditions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.chars().any(char::is_whitespace) {
            return Err("no blanks are allowed: write Machine,OpenStackServer/name+ and so on".to_owned());
        }
        if text.is_empty() {
            return Ok(ShowConditions::default());
        }
        let items = text.split(',').map(item).collect::<Result<_, _>>()?;
        Ok(ShowConditions { items })
    }
}

fn item(text: &str) -> Result<Item, String> {
    let (word, telling) = text.strip_suffix('+').map_or((text, false), |word| (word, true));
    let (kind, name) = word.split_once('/').map_or((word, None), |(kind, name)| (kind, Some(name)));
    let odd = |part: &str| part.is_empty() || part.contains(['/', '+']);
    if odd(kind) || name.is_some_and(odd) {
        return Err(format!("\"{text}\" is none of all, Kind, Kind/name, with or without a + behind it"));
    }
    let all = kind.eq_ignore_ascii_case("all");
    if all && name.is_some() {
        return Err(format!("\"{text}\": all takes no name"));
    }
    Ok(Item {
        kind: (!all).then(|| kind.to_ascii_lowercase()),
        name: name.map(str::to_ascii_lowercase),
        telling,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, kind: &str, name: &str, wanted: Wanted) {
        let show: ShowConditions = text.parse().unwrap();
        assert_eq!(show.of(kind, name), wanted, "{text} for {kind}/{name}");
    }

    #[test]
    fn kinds_and_names_in_any_case() {
        check("", "Machine", "a", Wanted::None);
        check("all", "Machine", "a", Wanted::All);
        check("ALL+", "Machine", "a", Wanted::Telling);
        check("machine", "Machine", "a", Wanted::All);
        check("Machine", "MachineSet", "a", Wanted::None);
        check("Machine/A", "Machine", "a", Wanted::All);
        check("Machine/b", "Machine", "a", Wanted::None);
        check("Machine/a+", "Machine", "a", Wanted::Telling);
        check("Cluster,Machine+", "Machine", "a", Wanted::Telling);
        check("all+,Machine/a", "Machine", "a", Wanted::All);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for text in [
            "Machine, Cluster",
            " all",
            "Machine/\ta",
            ",",
            "Machine,",
            "/a",
            "Machine/",
            "a/b/c",
            "all/x",
            "+",
        ] {
            let error = text.parse::<ShowConditions>().unwrap_err();
            assert!(!error.is_empty(), "{text:?}");
        }
        let blank = "Machine, Cluster".parse::<ShowConditions>().unwrap_err();
        assert!(blank.contains("blank"), "{blank}");
    }

    #[test]
    fn an_object_is_named_only_by_its_name() {
        let show: ShowConditions = "all,Machine/a".parse().unwrap();
        assert!(show.names("Machine", "a"));
        assert!(!show.names("Machine", "b"));
    }
}
