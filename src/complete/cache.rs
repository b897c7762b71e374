//! Names that were read a moment ago: who presses TAB twice must not wait twice.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::gather::cloud::CloudOptions;
use crate::gather::host::Host;
use crate::gather::kubeconfig::{KubeOptions, files};

/// How long names are good for.
const FRESH: Duration = Duration::from_secs(10);

/// A file of the operator's cache folder, for one pair of servers and one login.
pub(super) struct Cache {
    path: PathBuf,
}

impl Cache {
    /// The file for these connections; none where there is no folder for it, or where a secret
    /// on the command line says who is asking.
    pub(super) fn of(kube: &KubeOptions, cloud: &CloudOptions, host: &Host) -> Option<Cache> {
        let given = cloud.given();
        let secret =
            |name: &str| ["password", "passcode", "token", "secret"].iter().any(|s| name.contains(s));
        if kube.token.is_some() || kube.password.is_some() || given.iter().any(|(name, _)| secret(name)) {
            return None;
        }
        let variables: BTreeMap<&str, &str> = host
            .env
            .iter()
            .filter(|(name, _)| name.starts_with("OS_") || *name == "KUBECONFIG")
            .filter(|(name, _)| !secret(&name.to_lowercase()))
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let current =
            files::read(kube.kubeconfig.as_deref(), host).ok().and_then(|f| f.merged.current_context);
        let mut key = DefaultHasher::new();
        (&kube.kubeconfig, kube.context.as_ref().or(current.as_ref()), &kube.cluster, &kube.user)
            .hash(&mut key);
        (&kube.namespace, &kube.server, &kube.act_as, &kube.as_group, &kube.username).hash(&mut key);
        (&cloud.os_cloud, &cloud.os_region_name, given, variables, &host.cwd).hash(&mut key);
        Some(Cache { path: folder(host)?.join(format!("names-{:016x}.json", key.finish())) })
    }

    /// What was written, if that is not long ago.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        let written = fs::metadata(&self.path).ok()?.modified().ok()?;
        fresh(written).then_some(())?;
        serde_json::from_slice(&fs::read(&self.path).ok()?).ok()
    }

    /// Keeps names for a moment. Failing to is no loss.
    pub(super) fn write(&self, names: &impl Serialize) {
        let _ = self.try_write(names);
    }

    fn try_write(&self, names: &impl Serialize) -> Option<()> {
        let folder = self.path.parent()?;
        private_folder(folder)?;
        remove_old(folder);
        let new = self.path.with_extension(format!("{}.new", std::process::id()));
        let mut file = private_file(&new)?;
        let written =
            file.write_all(&serde_json::to_vec(names).ok()?).and_then(|()| fs::rename(&new, &self.path));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written.ok()
    }
}

/// A clock that was set back makes nothing fresh.
fn fresh(written: SystemTime) -> bool {
    written.elapsed().is_ok_and(|age| age < FRESH)
}

fn folder(host: &Host) -> Option<PathBuf> {
    let home = host.home.as_ref();
    let base = match host.var("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute()) {
        Some(base) => base,
        None if cfg!(target_os = "macos") => home?.join("Library").join("Caches"),
        None if cfg!(windows) => PathBuf::from(host.var("LOCALAPPDATA")?),
        None => home?.join(".cache"),
    };
    Some(base.join("kubectl-magnum"))
}

fn private_folder(folder: &Path) -> Option<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).ok()
}

fn private_file(path: &Path) -> Option<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).ok()
}

/// Contexts come and go; their files must not stay.
fn remove_old(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with("names-");
        let old = entry.metadata().and_then(|m| m.modified()).is_ok_and(|written| !fresh(written));
        if ours && old {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(folder: &Path, more: &[(&str, &str)]) -> Host {
        let mut env: BTreeMap<String, String> =
            more.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        env.insert("XDG_CACHE_HOME".to_owned(), folder.display().to_string());
        Host { env, ..Host::default() }
    }

    fn path(kube: &KubeOptions, cloud: &CloudOptions, host: &Host) -> Option<PathBuf> {
        Cache::of(kube, cloud, host).map(|cache| cache.path)
    }

    #[test]
    fn another_connection_is_another_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let bare = || host(folder.path(), &[]);
        let (kube, cloud) = (KubeOptions::default(), CloudOptions::default());
        let usual = path(&kube, &cloud, &bare());
        assert_eq!(usual, path(&kube, &cloud, &bare()));
        let some = |text: &str| Some(text.to_owned());
        let others = [
            path(&KubeOptions { context: some("lab"), ..kube.clone() }, &cloud, &bare()),
            path(&KubeOptions { namespace: some("lab"), ..kube.clone() }, &cloud, &bare()),
            path(&kube, &CloudOptions { os_cloud: some("lab"), ..cloud.clone() }, &bare()),
            path(&kube, &CloudOptions { os_project_id: some("lab"), ..cloud.clone() }, &bare()),
            path(&kube, &cloud, &host(folder.path(), &[("OS_CLOUD", "lab")])),
            path(&kube, &cloud, &host(folder.path(), &[("KUBECONFIG", "lab")])),
        ];
        let different: std::collections::BTreeSet<_> = others.iter().chain([&usual]).collect();
        assert_eq!(different.len(), others.len() + 1, "{different:?}");
    }

    #[test]
    fn a_secret_is_neither_kept_nor_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let (kube, cloud) = (KubeOptions::default(), CloudOptions::default());
        let some = || Some("pl4nted".to_owned());
        assert!(
            path(&KubeOptions { token: some(), ..kube.clone() }, &cloud, &host(folder.path(), &[])).is_none()
        );
        let password = CloudOptions { os_password: some(), ..cloud.clone() };
        assert!(path(&kube, &password, &host(folder.path(), &[])).is_none());
        let variable = host(folder.path(), &[("OS_PASSWORD", "pl4nted")]);
        assert_eq!(path(&kube, &cloud, &variable), path(&kube, &cloud, &host(folder.path(), &[])));
    }

    #[test]
    fn what_is_kept_is_private_and_soon_old() {
        let folder = tempfile::tempdir().expect("a folder");
        let host = host(folder.path(), &[]);
        let cache = Cache::of(&KubeOptions::default(), &CloudOptions::default(), &host).expect("a cache");
        assert_eq!(cache.read::<Vec<String>>(), None);
        cache.write(&["web"]);
        assert_eq!(cache.read::<Vec<String>>(), Some(vec!["web".to_owned()]));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
            assert_eq!((mode(&cache.path), mode(cache.path.parent().expect("a folder"))), (0o600, 0o700));
        }
        let file = OpenOptions::new().write(true).open(&cache.path).expect("the file");
        file.set_modified(SystemTime::now() - 2 * FRESH).expect("an old file");
        assert_eq!(cache.read::<Vec<String>>(), None);
        remove_old(cache.path.parent().expect("a folder"));
        assert!(!cache.path.exists());
    }
}
