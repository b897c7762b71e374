//! Context, cluster and user out of the merged kubeconfig, with the flags laid over.
//!
//! Order and effect of the flags are those of client-go, `tools/clientcmd/client_config.go`.

use kube::config::{AuthInfo, Cluster, Context};
use secrecy::SecretString;

use super::files::Files;
use super::options::KubeOptions;
use crate::exit::{Failure, code};

/// What was chosen. It has no `Debug`: parts of it are secret.
pub struct Picked {
    /// Name of the context, if one was used.
    pub context: Option<String>,
    /// Namespace of that context.
    pub namespace: Option<String>,
    /// The API server.
    pub cluster: Cluster,
    /// Name of the user entry, for messages.
    pub user_name: String,
    /// The credentials.
    pub user: AuthInfo,
}

/// Chooses the entries and lays the flags over them.
///
/// # Errors
/// An entry that a flag or the context names does not exist, or no API server is named.
pub fn pick(files: Files, options: &KubeOptions) -> Result<Picked, Failure> {
    let name = options.context.clone().or_else(|| files.merged.current_context.clone());
    let context = match &name {
        Some(name) => context_called(&files, name, options.context.is_some())?,
        None => Context::default(),
    };
    let cluster_name = options.cluster.clone().unwrap_or_else(|| context.cluster.clone());
    let user_name = options.user.clone().or_else(|| context.user.clone()).unwrap_or_default();
    let mut cluster = cluster_called(&files, &cluster_name, options)?;
    let mut user = user_called(&files, &user_name, options)?;
    override_cluster(&mut cluster, options);
    override_user(&mut user, options)?;
    if cluster.server.as_deref().unwrap_or_default().is_empty() {
        return Err(no_server(&files, name.as_deref(), &cluster_name));
    }
    let namespace = context.namespace.filter(|n| !n.is_empty());
    Ok(Picked { context: name, namespace, cluster, user_name, user })
}

fn context_called(files: &Files, name: &str, by_flag: bool) -> Result<Context, Failure> {
    let found = files.merged.contexts.iter().find(|c| c.name == name);
    found.and_then(|c| c.context.clone()).ok_or_else(|| {
        let exit = if by_flag { code::USAGE } else { code::NO_SOURCE };
        let contexts = names(files.merged.contexts.iter().map(|c| c.name.as_str()));
        Failure::new(exit, format!("find context '{name}' in the kubeconfig"))
            .hint(format!("choose one with --context: {contexts}"))
    })
}

fn cluster_called(files: &Files, name: &str, options: &KubeOptions) -> Result<Cluster, Failure> {
    let found = files.merged.clusters.iter().find(|c| c.name == name).and_then(|c| c.cluster.clone());
    match found {
        Some(cluster) => Ok(cluster),
        None if options.cluster.is_some() => {
            let clusters = names(files.merged.clusters.iter().map(|c| c.name.as_str()));
            Err(Failure::new(code::USAGE, format!("find cluster entry '{name}' in the kubeconfig")).hint(format!(
                "--cluster is the kubeconfig's entry, one of: {clusters}; the Magnum cluster is written without a flag"
            )))
        }
        None => Ok(Cluster::default()),
    }
}

fn user_called(files: &Files, name: &str, options: &KubeOptions) -> Result<AuthInfo, Failure> {
    let found = files.merged.auth_infos.iter().find(|u| u.name == name);
    match found {
        Some(user) => Ok(user.auth_info.clone().unwrap_or_default()),
        None if options.user.is_some() => {
            let users = names(files.merged.auth_infos.iter().map(|u| u.name.as_str()));
            Err(Failure::new(code::USAGE, format!("find user '{name}' in the kubeconfig"))
                .hint(format!("choose one with --user: {users}")))
        }
        None => Ok(AuthInfo::default()),
    }
}

fn no_server(files: &Files, context: Option<&str>, cluster: &str) -> Failure {
    match context {
        None => {
            let contexts = names(files.merged.contexts.iter().map(|c| c.name.as_str()));
            Failure::new(code::NO_SOURCE, "choose a context: the kubeconfig has no current-context")
                .hint(format!("choose one with --context: {contexts}"))
        }
        Some(context) => Failure::new(
            code::NO_SOURCE,
            format!("find the API server of context '{context}': cluster '{cluster}' has no server"),
        )
        .hint("name the server with --server, or another context with --context"),
    }
}

/// Names for a hint: sorted as they are in the file, at most twenty.
fn names<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = all.collect();
    match all.len() {
        0 => "there is none".to_owned(),
        n if n > 20 => {
            format!("{}, and {} more", all.iter().take(20).copied().collect::<Vec<_>>().join(", "), n - 20)
        }
        _ => all.join(", "),
    }
}

/// A flag that says how to check the server's certificate takes the place of everything the
/// file says about it; another server drops the name the file wants in the certificate.
fn override_cluster(cluster: &mut Cluster, options: &KubeOptions) {
    if let Some(server) = &options.server {
        cluster.server = Some(server.clone());
        cluster.tls_server_name = None;
    }
    if options.tls_server_name.is_some() {
        cluster.tls_server_name.clone_from(&options.tls_server_name);
    }
    if options.insecure_skip_tls_verify || options.certificate_authority.is_some() {
        cluster.insecure_skip_tls_verify = Some(options.insecure_skip_tls_verify);
        cluster.certificate_authority.clone_from(&options.certificate_authority);
        cluster.certificate_authority_data = None;
    }
    if options.disable_compression {
        cluster.disable_compression = Some(true);
    }
}

/// Lays the flags for credentials over a user entry. A token or a password replaces every
/// other way to log in, save a client certificate beside a token.
pub(super) fn override_user(user: &mut AuthInfo, options: &KubeOptions) -> Result<(), Failure> {
    if let Some(token) = &options.token {
        let (cert, key) = (user.client_certificate.take(), user.client_key.take());
        let (cert_data, key_data) = (user.client_certificate_data.take(), user.client_key_data.take());
        *user = AuthInfo {
            client_certificate: cert,
            client_certificate_data: cert_data,
            client_key: key,
            client_key_data: key_data,
            token: Some(SecretString::from(token.clone())),
            ..impersonation_of(user)
        };
    }
    if options.username.is_some() || options.password.is_some() {
        *user = AuthInfo {
            username: options.username.clone().or_else(|| user.username.clone()),
            password: options.password.clone().map(SecretString::from).or_else(|| user.password.clone()),
            ..impersonation_of(user)
        };
    }
    if options.client_certificate.is_some() {
        user.client_certificate.clone_from(&options.client_certificate);
        user.client_certificate_data = None;
    }
    if options.client_key.is_some() {
        user.client_key.clone_from(&options.client_key);
        user.client_key_data = None;
    }
    override_impersonation(user, options)
}

fn impersonation_of(user: &AuthInfo) -> AuthInfo {
    AuthInfo {
        impersonate: user.impersonate.clone(),
        impersonate_uid: user.impersonate_uid.clone(),
        impersonate_groups: user.impersonate_groups.clone(),
        impersonate_user_extra: user.impersonate_user_extra.clone(),
        ..AuthInfo::default()
    }
}

fn override_impersonation(user: &mut AuthInfo, options: &KubeOptions) -> Result<(), Failure> {
    if options.act_as.is_some() {
        user.impersonate.clone_from(&options.act_as);
    }
    if options.as_uid.is_some() {
        user.impersonate_uid.clone_from(&options.as_uid);
    }
    if !options.as_group.is_empty() {
        user.impersonate_groups = Some(options.as_group.clone());
    }
    if !options.as_user_extra.is_empty() {
        let extra = user.impersonate_user_extra.get_or_insert_default();
        extra.clear();
        for written in &options.as_user_extra {
            let (key, value) = written.split_once('=').ok_or_else(|| {
                Failure::new(code::USAGE, format!("read --as-user-extra '{written}'"))
                    .hint("write it as KEY=VALUE")
            })?;
            extra.entry(key.to_owned()).or_default().push(value.to_owned());
        }
    }
    let acts = user.impersonate.as_deref().is_some_and(|name| !name.is_empty());
    let more = user.impersonate_groups.is_some() || user.impersonate_uid.is_some();
    if !acts && (more || user.impersonate_user_extra.is_some()) {
        return Err(Failure::new(code::USAGE, "act as a group, a UID or with extra fields without a user")
            .hint("add --as USER, as kubectl asks for it"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::yaml;
    use secrecy::ExposeSecret;

    const FILE: &str = "
current-context: prod
contexts:
- {name: prod, context: {cluster: kp, user: up, namespace: team}}
- {name: lab, context: {cluster: kl, user: gone}}
- {name: broken, context: {cluster: nowhere, user: up}}
clusters:
- {name: kp, cluster: {server: 'https://prod', tls-server-name: api.prod, certificate-authority-data: QQ==}}
- {name: kl, cluster: {server: 'https://lab'}}
users:
- {name: up, user: {exec: {command: login}, as: boss, client-certificate: /c, client-key: /k}}
- {name: ul, user: {username: u, password: pl4nted}}
";

    fn check(options: KubeOptions) -> Result<Picked, Failure> {
        let merged = yaml::document(FILE).expect("kubeconfig");
        pick(Files { merged, ..Files::default() }, &options)
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn server(options: KubeOptions) -> Option<String> {
        check(options).ok()?.cluster.server
    }

    #[test]
    fn the_current_context_or_the_named_one() {
        assert_eq!(server(KubeOptions::default()), some("https://prod"));
        assert_eq!(server(KubeOptions { context: some("lab"), ..Default::default() }), some("https://lab"));
        assert_eq!(server(KubeOptions { cluster: some("kl"), ..Default::default() }), some("https://lab"));
        assert_eq!(check(KubeOptions::default()).ok().and_then(|p| p.namespace), some("team"));
    }

    #[test]
    fn a_name_that_is_not_there_lists_those_that_are() {
        for (options, listed) in [
            (KubeOptions { context: some("x"), ..Default::default() }, "prod, lab, broken"),
            (KubeOptions { cluster: some("x"), ..Default::default() }, "kp, kl"),
            (KubeOptions { user: some("x"), ..Default::default() }, "up, ul"),
        ] {
            let failure = check(options).err().expect("not there");
            assert_eq!(failure.code, code::USAGE);
            assert!(failure.hint.as_deref().is_some_and(|h| h.contains(listed)), "{failure:?}");
        }
        let failure =
            check(KubeOptions { context: some("broken"), ..Default::default() }).err().expect("no server");
        assert!(failure.message.contains("nowhere"), "{failure:?}");
    }

    #[test]
    fn a_missing_user_entry_is_no_error() {
        assert!(check(KubeOptions { context: some("lab"), ..Default::default() }).is_ok());
    }

    #[test]
    fn flags_about_the_certificate_replace_the_file() {
        let cluster = |options| check(options).expect("picked").cluster;
        let insecure = cluster(KubeOptions { insecure_skip_tls_verify: true, ..Default::default() });
        assert_eq!(
            (insecure.insecure_skip_tls_verify, insecure.certificate_authority_data),
            (Some(true), None)
        );
        let ca = cluster(KubeOptions { certificate_authority: some("/ca"), ..Default::default() });
        assert_eq!((ca.certificate_authority, ca.certificate_authority_data), (some("/ca"), None));
        assert_eq!(
            cluster(KubeOptions { server: some("https://o"), ..Default::default() }).tls_server_name,
            None
        );
    }

    #[test]
    fn a_token_replaces_the_plugin_and_keeps_the_certificate() {
        let user = check(KubeOptions { token: some("t"), ..Default::default() }).expect("picked").user;
        assert!(user.exec.is_none() && user.client_certificate.is_some());
        assert_eq!(user.token.map(|t| t.expose_secret().to_owned()), some("t"));
        assert_eq!(user.impersonate, some("boss"));
        let user = check(KubeOptions { username: some("n"), password: some("p"), ..Default::default() });
        assert!(user.expect("picked").user.client_certificate.is_none());
    }

    #[test]
    fn acting_as_somebody() {
        let options = KubeOptions {
            act_as: some("jo"),
            as_group: vec!["g".to_owned()],
            as_uid: some("7"),
            as_user_extra: vec!["k=a".to_owned(), "k=b".to_owned()],
            ..Default::default()
        };
        let user = check(options).expect("picked").user;
        assert_eq!((user.impersonate, user.impersonate_uid), (some("jo"), some("7")));
        assert_eq!(user.impersonate_groups, Some(vec!["g".to_owned()]));
        assert_eq!(user.impersonate_user_extra.and_then(|e| e.get("k").cloned()).map(|v| v.len()), Some(2));
        let groups_alone =
            KubeOptions { as_group: vec!["g".to_owned()], user: some("ul"), ..Default::default() };
        assert_eq!(check(groups_alone).err().map(|f| f.code), Some(code::USAGE));
    }

    #[test]
    fn no_secret_in_a_failure() {
        let options = KubeOptions { user: some("ul"), as_uid: some("1"), ..Default::default() };
        assert!(!format!("{:?}", check(options).err().expect("no --as")).contains("pl4nted"));
    }
}
