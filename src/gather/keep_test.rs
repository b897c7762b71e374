use super::*;

const AT: &str = "2026-11-30T21:00:00Z";

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

fn wanted() -> Wanted {
    let known = ["kube-abcde", "kube-abcde-x"].into_iter().collect();
    let marks = Marks::new(Some("11111111-aaaa"), Some("kube-abcde"), "magnum-system", &known);
    Wanted::new(marks, &["5e5e5e5e-0000-4000".to_owned()], at(AT))
}

fn keep(wanted: Wanted, ended: bool, log: &str) -> String {
    let mut keeper = Keeper::new(wanted, ended);
    for piece in log.as_bytes().chunks(7) {
        keeper.push(piece);
    }
    keeper.finish()
}

/// Which of the lines are kept, by the number at their end.
fn check(wanted: Wanted, ended: bool, log: &str, expected: &[&str]) {
    let kept = keep(wanted, ended, log);
    let kept: Vec<&str> = kept.lines().filter_map(|line| line.rsplit('#').next()).collect();
    assert_eq!(kept, expected, "{log}");
}

const CLUSTERS: &str = r#"2026-11-30T20:59:00.1Z I1130 20:59:00.100000 7 a.go:1] "x" Cluster="magnum-system/kube-abcde" #1
2026-11-30T20:59:01.1Z I1130 20:59:01.100000 7 a.go:1] "x" Cluster="magnum-system/kube-abcde-x" #2
2026-11-30T20:59:02.1Z I1130 20:59:02.100000 7 a.go:1] "x" Machine="magnum-system/kube-abcde-7hx2p" #3
2026-11-30T20:59:03.1Z I1130 20:59:03.100000 7 a.go:1] "x" server="5e5e5e5e-0000-4000" #4
2026-11-30T20:59:04.1Z I1130 20:59:04.100000 7 a.go:1] "x" uuid="11111111-aaaa" #5
2026-11-30T20:59:05.1Z I1130 20:59:05.100000 7 a.go:1] "x" Cluster="magnum-system/kube-zzzzz" #6
2026-11-30T20:59:06.1Z F1130 20:59:06.100000 7 a.go:1] cannot start #7
"#;

#[test]
fn records_of_the_cluster_and_ends_of_the_controller() {
    check(wanted(), false, CLUSTERS, &["1", "3", "4", "5", "7"]);
}

#[test]
fn the_ids_may_stand_on_the_last_line_of_a_record() {
    let log = "E1130 20:59:00.100000 7 a.go:1] \"failed\" err=<\n\tone #1\n\ttwo #2\n > Cluster=\"magnum-system/kube-abcde\" #3\n\
               E1130 20:59:00.100000 7 a.go:1] \"failed\" err=<\n\tone #4\n > Cluster=\"magnum-system/kube-other\" #5\n";
    let kept = keep(wanted(), false, log);
    assert!(kept.contains("#1") && kept.contains("#3") && !kept.contains("#4"), "{kept}");
}

#[test]
fn a_panic_is_kept_with_its_trace() {
    let log = "I1130 20:59:00.100000 7 a.go:1] \"Observed a panic\" #1\npanic: nil #2\n\ngoroutine 7 [running]: #3\nmain.go #4\n\
               I1130 20:59:01.100000 7 a.go:1] \"well\" #5\n";
    let kept = keep(wanted(), false, log);
    assert!(kept.contains("#1") && kept.contains("#4") && !kept.contains("#5"), "{kept}");
}

#[test]
fn what_a_container_said_last_is_kept() {
    let lines: String = (1..=30).map(|n| format!("I1130 20:59:00.100000 7 a.go:1] \"n\" #{n}\n")).collect();
    let last: Vec<String> = (11..=30).map(|n| n.to_string()).collect();
    let last: Vec<&str> = last.iter().map(String::as_str).collect();
    check(wanted(), true, &lines, &last);
    check(wanted(), false, &lines, &[]);
}

#[test]
fn a_conductor_is_believed_near_a_change_only() {
    let wanted = wanted().of_conductor(Some("0f0f0f0f"), &[at("2026-11-30T20:30:00Z")]);
    let log = "2026-11-30 20:29:00.000 8 ERROR magnum.x [None req-1 user 0f0f0f0f - - -] refused #1\n\
               2026-11-30 20:29:00.000 8 ERROR magnum.x Traceback #2\n\
               2026-11-30 20:50:00.000 8 ERROR magnum.x [None req-2 user 0f0f0f0f - - -] refused #3\n\
               2026-11-30 20:50:01.000 8 ERROR oslo.service.loopingcall [-] Fixed interval looping call 'magnum.service.periodic.ClusterUpdateJob.update_status' failed #4\n\
               2026-11-30 20:50:02.000 8 INFO magnum.service.periodic [-] pass #5\n";
    check(wanted, false, log, &["1", "2", "4"]);
}

#[test]
fn repeats_are_folded_and_the_newest_stays() {
    let line = |n: usize| {
        format!(
            "I1130 20:{:02}:{:02}.100000 7 a.go:1] \"again\" Cluster=\"magnum-system/kube-abcde\" reconcileID=\"{n}\"\n",
            n / 60,
            n % 60
        )
    };
    let log: String = (0..1000).map(line).collect();
    let kept = keep(wanted(), false, &log);
    assert_eq!(kept.lines().count(), FIRST + LAST);
    assert!(kept.starts_with(&line(0)) && kept.ends_with(&line(999)), "{kept}");
}

#[test]
fn neither_a_long_line_nor_a_wild_controller_grows_without_end() {
    let mut keeper = Keeper::new(wanted(), false);
    let long = vec![b'x'; 1 << 20];
    keeper.push(b"I1130 20:59:00.100000 7 a.go:1] kube-abcde ");
    for _ in 0..50 {
        keeper.push(&long);
    }
    keeper.push(b"\n");
    for n in 0..200 {
        keeper.push(format!("I1130 20:59:00.1 7 a.go:1] kube-abcde {n} ").as_bytes());
        keeper.push(&long);
        keeper.push(b"\n");
    }
    assert!(keeper.left_out > 0);
    assert!(keeper.finish().len() <= MOST + 1000);
}
