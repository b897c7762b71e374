//! Which kubeconfig files count, and what they say together.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use kube::config::Kubeconfig;

use crate::exit::{Failure, code};
use crate::gather::host::Host;
use crate::gather::yaml;

/// The merged kubeconfig and where it came from.
#[derive(Default)]
pub struct Files {
    /// All files together; for each name and value the first file that has it wins.
    pub merged: Kubeconfig,
    /// Files that were read, in order.
    pub read: Vec<PathBuf>,
    /// Files that were looked for and do not exist.
    pub absent: Vec<PathBuf>,
}

impl Files {
    /// True if no file says anything, which is when a pod's service account comes in.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let config = &self.merged;
        config.clusters.is_empty()
            && config.contexts.is_empty()
            && config.auth_infos.is_empty()
            && config.current_context.as_deref().unwrap_or_default().is_empty()
    }

    /// Sentence for a hint: where a kubeconfig was looked for.
    #[must_use]
    pub fn where_looked(&self) -> String {
        let names: Vec<String> =
            self.read.iter().chain(&self.absent).map(|p| p.display().to_string()).collect();
        match names.as_slice() {
            [] => "set KUBECONFIG, or name the file with --kubeconfig".to_owned(),
            _ => {
                format!("looked in {}; set KUBECONFIG, or name the file with --kubeconfig", names.join(", "))
            }
        }
    }
}

/// Reads the kubeconfig files that kubectl would read: the one of `--kubeconfig`; else the
/// list in `KUBECONFIG`, where files may be missing; else `~/.kube/config`, which may be too.
///
/// # Errors
/// A file that cannot be read or parsed. The message has the place of the mistake only.
pub fn read(flag: Option<&str>, host: &Host) -> Result<Files, Failure> {
    let mut files = Files::default();
    if let Some(flag) = flag.filter(|f| !f.is_empty()) {
        if flag == "-" {
            return Err(Failure::new(code::USAGE, "read a kubeconfig from standard input")
                .hint("write it to a file and name that with --kubeconfig"));
        }
        let path = host.path(flag);
        add(&mut files, &path)?;
        return match files.absent.is_empty() {
            true => Ok(files),
            false => Err(Failure::new(
                code::USAGE,
                format!("read the kubeconfig {}: no such file", path.display()),
            )),
        };
    }
    let mut seen: Vec<PathBuf> = Vec::new();
    for path in listed(host) {
        if !seen.contains(&path) {
            add(&mut files, &path)?;
            seen.push(path);
        }
    }
    Ok(files)
}

fn listed(host: &Host) -> Vec<PathBuf> {
    match host.var("KUBECONFIG") {
        Some(list) => std::env::split_paths(list)
            .filter(|p| !p.as_os_str().is_empty())
            .map(|p| host.cwd.join(p))
            .collect(),
        None => host.home.iter().map(|home| home.join(".kube").join("config")).collect(),
    }
}

fn add(files: &mut Files, path: &Path) -> Result<(), Failure> {
    let wrong =
        |why: String| Failure::new(code::NO_SOURCE, format!("read the kubeconfig {}: {why}", path.display()));
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            files.absent.push(path.to_owned());
            return Ok(());
        }
        Err(error) => return Err(wrong(error.to_string())),
    };
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8 text".to_owned()))?;
    let text = text.trim_start_matches('\u{feff}');
    files.read.push(path.to_owned());
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(());
    }
    for mut config in yaml::documents::<Kubeconfig>(text).map_err(wrong)? {
        make_absolute(&mut config, path.parent().unwrap_or(Path::new("/")));
        let before = std::mem::take(&mut files.merged);
        files.merged = merge(before, config);
    }
    Ok(())
}

/// kube's merge, which refuses files of different kind; kubectl does not look at the kind.
fn merge(mut first: Kubeconfig, mut next: Kubeconfig) -> Kubeconfig {
    for config in [&mut first, &mut next] {
        config.kind = None;
        config.api_version = None;
        // An empty name is not a choice, a later file may still make one.
        config.current_context = config.current_context.take().filter(|name| !name.is_empty());
    }
    let keep = first.clone();
    first.merge(next).unwrap_or(keep)
}

/// A path in a kubeconfig is relative to that file, not to the current folder.
fn make_absolute(config: &mut Kubeconfig, folder: &Path) {
    let absolute = |path: &mut Option<String>| {
        if let Some(text) = path.as_mut().filter(|text| !text.is_empty()) {
            *text = folder.join(&*text).to_string_lossy().into_owned();
        }
    };
    for cluster in config.clusters.iter_mut().filter_map(|named| named.cluster.as_mut()) {
        absolute(&mut cluster.certificate_authority);
    }
    for user in config.auth_infos.iter_mut().filter_map(|named| named.auth_info.as_mut()) {
        absolute(&mut user.client_certificate);
        absolute(&mut user.client_key);
        absolute(&mut user.token_file);
        if let Some(exec) = &mut user.exec
            && exec.command.as_deref().is_some_and(|c| c.contains(std::path::MAIN_SEPARATOR))
        {
            absolute(&mut exec.command);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "current-context: a\ncontexts: [{name: a, context: {cluster: k, user: u}}]\n\
                       clusters: [{name: k, cluster: {server: 'https://one', certificate-authority: ca.pem}}]\n\
                       users: [{name: u, user: {exec: {command: ./bin/login}}}]\n";
    const TWO: &str = "current-context: b\nclusters: [{name: k, cluster: {server: 'https://two'}}, \
                       {name: l, cluster: {server: 'https://l'}}]\nusers: null\n";

    /// Writes the files, sets KUBECONFIG and gives what was read with the folder.
    fn check(
        files: &[(&str, &str)],
        list: &str,
        flag: Option<&str>,
    ) -> (Result<Files, Failure>, tempfile::TempDir) {
        let folder = tempfile::tempdir().expect("folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
            std::fs::write(path, text).expect("file");
        }
        let env = [("KUBECONFIG".to_owned(), list.to_owned())];
        let here = folder.path().to_owned();
        let host = Host { env: env.into(), cwd: here.clone(), home: Some(here), ..Host::default() };
        (read(flag, &host), folder)
    }

    fn servers(files: &Files) -> Vec<String> {
        let named = files.merged.clusters.iter();
        named.filter_map(|c| c.cluster.as_ref()?.server.clone()).collect()
    }

    #[test]
    fn the_first_file_wins_and_missing_ones_are_skipped() {
        let (files, folder) = check(&[("1", ONE), ("2", TWO)], "nowhere::1:2:1", None);
        let files = files.expect("merged");
        assert_eq!(servers(&files), ["https://one", "https://l"]);
        assert_eq!(files.merged.current_context.as_deref(), Some("a"));
        assert_eq!(files.absent, [folder.path().join("nowhere")]);
        assert_eq!(files.read.len(), 2);
    }

    #[test]
    fn an_empty_current_context_is_no_choice() {
        let (files, _) = check(&[("0", "current-context: ''\n"), ("2", TWO)], "0:2", None);
        assert_eq!(files.expect("merged").merged.current_context.as_deref(), Some("b"));
    }

    #[test]
    fn the_flag_wins_alone() {
        let (files, _) = check(&[("1", ONE), ("2", TWO)], "1", Some("2"));
        assert_eq!(servers(&files.expect("read")), ["https://two", "https://l"]);
        let (files, _) = check(&[("1", ONE)], "1", Some("nowhere"));
        assert_eq!(files.err().map(|f| f.code), Some(code::USAGE));
    }

    #[test]
    fn home_is_the_last_place() {
        let (files, _) = check(&[(".kube/config", ONE)], "", None);
        assert_eq!(servers(&files.expect("read")), ["https://one"]);
        let (files, folder) = check(&[], "", None);
        let files = files.expect("nothing is no error");
        assert!(files.is_empty() && files.where_looked().contains(&folder.path().display().to_string()));
    }

    #[test]
    fn paths_are_relative_to_their_file() {
        let (files, folder) = check(&[("d/1", ONE)], "d/1", None);
        let merged = files.expect("read").merged;
        let cluster = merged.clusters[0].cluster.as_ref().expect("cluster");
        assert_eq!(cluster.certificate_authority, Some(folder.path().join("d/ca.pem").display().to_string()));
        let exec = merged.auth_infos[0].auth_info.as_ref().and_then(|u| u.exec.clone()).expect("exec");
        assert_eq!(exec.command, Some(folder.path().join("d/./bin/login").display().to_string()));
    }

    #[test]
    fn a_mistake_shows_its_place_and_nothing_else() {
        let text = "users:\n- name: x\n  user:\n    token: pl4nted\n   bad: [";
        let (files, _) = check(&[("1", text)], "1", None);
        let failure = files.err().expect("mistake");
        assert!(
            failure.message.contains("line ") && !format!("{failure:?}").contains("pl4nted"),
            "{failure:?}"
        );
        let (files, _) = check(&[("2", "users: pl4nted\n")], "2", None);
        assert!(!format!("{:?}", files.err().expect("mistake")).contains("pl4nted"));
    }

    #[test]
    fn files_without_words_are_empty() {
        let (files, _) = check(&[("1", "# nothing\n\n"), ("2", "")], "1:2", None);
        assert!(files.expect("read").is_empty());
    }

    #[test]
    fn standard_input_is_refused() {
        assert!(check(&[], "", Some("-")).0.err().is_some_and(|f| f.hint.is_some()));
    }
}
