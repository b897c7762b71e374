//! Logins, names and rights at real OpenStack servers, and what becomes of one that is down.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::cloud::{Alone, Cloud};
use crate::kube::json;

/// Login that Keystone refuses: the exit code, its words, and what to do.
fn check_refused(cloud: &str, says: &str, hint: &str) {
    let Some(lab) = Cloud::up() else { return };
    let output = lab.run(cloud, &["why", "prod"]);
    let talk = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{cloud}: {talk}");
    assert!(talk.contains(says) && talk.contains(hint), "{cloud}: {talk}");
    assert!(!talk.contains("not-this-secret") && !talk.contains("lab-password"), "{cloud}: {talk}");
}

#[test]
fn a_wrong_password() {
    check_refused("wrong-secret", "(HTTP 401)", "user, password, a domain or the project is wrong");
}

#[test]
fn a_project_without_a_role() {
    check_refused("wrong-project", "(HTTP 401)", "the user has no role in the project");
}

#[test]
fn a_deleted_project() {
    check_refused("gone-project", "(HTTP 401)", "the project is wrong");
}

#[test]
fn a_removed_user() {
    check_refused("gone-user", "(HTTP 401)", "user, password");
}

#[test]
fn a_deleted_credential() {
    check_refused("dead-credential", "Could not find Application Credential", "was deleted; make a new one");
}

#[test]
fn a_credential_with_a_wrong_secret() {
    check_refused("wrong-credential", "(HTTP 401)", "the application credential is wrong");
}

#[test]
fn an_ended_token() {
    check_refused("expired-token", "(HTTP 404)", "the token has ended");
}

/// The report of a cluster, with OpenStack alone.
fn report(lab: &Cloud, cloud: &str, cluster: &str) -> Value {
    let output = lab.run(cloud, &["why", cluster, "-o", "json"]);
    let report = json(&output);
    assert_eq!(output.status.code().map(Value::from), Some(report["exitCode"].clone()));
    report
}

/// Parts of OpenStack that could not be read, with the reason.
fn gaps(report: &Value) -> BTreeSet<(String, String)> {
    let word = |gap: &Value, key: &str| gap[key].as_str().unwrap_or_default().to_owned();
    let rows = report["gaps"].as_array().expect("gaps").iter();
    rows.map(|gap| (word(gap, "part"), word(gap, "why")))
        .filter(|(p, _)| p.starts_with("openstack/"))
        .collect()
}

/// Gaps that there are where the lab has Nova.
fn of_nova(lab: &Cloud, parts: &[&str], why: &str) -> BTreeSet<(String, String)> {
    let parts = if lab.lab["profile"] == "nova" { parts } else { &[] };
    parts.iter().map(|part| (format!("openstack/compute/{part}"), why.to_owned())).collect()
}

#[test]
fn a_member_reads_all_of_his_own() {
    let Some(lab) = Cloud::up() else { return };
    for cloud in ["demo", "credential"] {
        let report = report(&lab, cloud, "prod");
        let cluster = &report["cluster"];
        assert_eq!(gaps(&report), BTreeSet::new(), "{cloud}");
        assert_eq!(cluster["uuid"], lab.seeded("/clusters/prod"));
        // Magnum says `cluster_id` only from microversion 1.13 on, and has node groups from 1.9 on.
        assert_eq!(cluster["stackId"], "kube-abcde");
        assert_eq!(cluster["project"], json!({"id": lab.seeded("/projects/demo"), "name": "demo"}));
        assert_eq!(report["verdict"], "not-enough-seen", "without Kubernetes nothing is healthy");
    }
}

#[test]
fn a_reader_is_told_what_he_may_not_see() {
    let Some(lab) = Cloud::up() else { return };
    let refused = |part: &str| (format!("openstack/identity/{part}"), "no-access".to_owned());
    let expected = BTreeSet::from([refused("application_credentials"), refused("users")]);
    assert_eq!(gaps(&report(&lab, "reader", "prod")), expected);
}

#[test]
fn an_admin_sees_everybodys() {
    let Some(lab) = Cloud::up() else { return };
    let uuid = lab.seeded("/clusters/otherProd");
    for cloud in ["admin", "system"] {
        let report = report(&lab, cloud, uuid);
        // Nova takes no login of the whole system.
        let parts: &[&str] = if cloud == "system" { &["quotas", "server-groups", "servers"] } else { &[] };
        assert_eq!(gaps(&report), of_nova(&lab, parts, "no-access"), "{cloud}");
        assert_eq!(report["cluster"]["project"]["name"], "other", "{cloud}");
    }
    // To a member it is as if there were none.
    let output = lab.run("demo", &["why", uuid]);
    assert_eq!(output.status.code(), Some(5), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_name_given_twice() {
    let Some(lab) = Cloud::up() else { return };
    let (prod, theirs) = (lab.seeded("/clusters/prod"), lab.seeded("/clusters/otherProd"));
    let twins = [lab.seeded("/clusters/twins/0"), lab.seeded("/clusters/twins/1")];
    for (cloud, name, uuids) in
        [("admin", "prod", [prod, theirs]), ("system", "prod", [prod, theirs]), ("demo", "twin", twins)]
    {
        let output = lab.run(cloud, &["why", name]);
        let talk = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{cloud}: {talk}");
        assert!(uuids.iter().all(|uuid| talk.contains(uuid)), "{cloud}: {talk}");
    }
    // In one's own project the name is clear.
    assert_eq!(report(&lab, "demo", "prod")["cluster"]["uuid"], prod);
    assert_eq!(report(&lab, "other", "prod")["cluster"]["uuid"], theirs);
}

#[test]
fn owners_that_are_gone() {
    let Some(lab) = Cloud::up() else { return };
    let orphan = report(&lab, "admin", "gone-project");
    let project = json!({"id": lab.seeded("/projects/gone"), "name": null});
    // Nova knows from Keystone that there is no such project.
    let refused = of_nova(&lab, &["quotas"], "unreadable");
    assert_eq!((&orphan["cluster"]["project"], gaps(&orphan)), (&project, refused));
    let left = report(&lab, "admin", "gone-user");
    assert_eq!((&left["cluster"]["project"]["name"], gaps(&left)), (&json!("demo"), BTreeSet::new()));
}

#[test]
fn every_status_of_magnum() {
    let Some(lab) = Cloud::up() else { return };
    let output = lab.run("demo", &["list", "-o", "json"]);
    let rows = json(&output);
    let rows = rows["clusters"].as_array().expect("clusters");
    let word = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let named = |row: &&Value| word(row, "name") == word(row, "status").to_lowercase().replace('_', "-");
    let seen: BTreeSet<String> = rows.iter().filter(named).map(|row| word(row, "status")).collect();
    let wanted = lab.lab["seeded"]["clusters"]["statuses"].as_u64();
    assert_eq!(u64::try_from(seen.len()).ok(), wanted, "{seen:?}");
}

#[test]
fn a_server_that_is_down() {
    let Some(mut lab) = Alone::take() else { return };
    lab.stop("octavia");
    let output = lab.run("demo", &["why", "prod", "-o", "json"]);
    let report = json(&output);
    assert_eq!(output.status.code(), Some(5));
    let down = |part: &str| (format!("openstack/load-balancer/{part}"), "unreachable".to_owned());
    let gaps = gaps(&report);
    assert!(gaps.contains(&down("loadbalancers")), "{gaps:?}");
    assert!(
        gaps.iter().all(|(part, why)| part.contains("load-balancer") && why == "unreachable"),
        "{gaps:?}"
    );
    assert_eq!(report["cluster"]["stackId"], "kube-abcde", "the rest is there");
}

#[test]
fn nothing_is_ever_changed() {
    let Some(lab) = Cloud::up() else { return };
    report(&lab, "demo", "prod");
    let asked = lab.asked();
    for service in ["keystone", "magnum", "neutron", "octavia"] {
        assert!(asked.iter().any(|a| a.service == service), "{service} was not asked");
    }
    let harmless =
        |method: &str, path: &str| method == "GET" || (method, path) == ("POST", "/v3/auth/tokens");
    // Nova has an action that changes nothing; `compute` looks at what it was asked.
    let others = asked.iter().filter(|a| a.service != "nova");
    let harm: Vec<_> = others.filter(|a| !harmless(&a.method, &a.path)).collect();
    assert!(harm.is_empty(), "{harm:?}");
}
