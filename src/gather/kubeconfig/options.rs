//! The flags of kubectl that say which API server is meant, and as whom.

use std::time::Duration;

use crate::gather::limits;

/// kubectl's connection flags, with kubectl's names and meanings.
/// It has no `Debug`: `--token` and `--password` are secrets.
#[derive(Clone, Default, clap::Args)]
#[command(next_help_heading = "Kubernetes connection (as kubectl)")]
pub struct KubeOptions {
    /// Kubeconfig file to use instead of $KUBECONFIG and ~/.kube/config
    #[arg(long, global = true, value_name = "FILE")]
    pub kubeconfig: Option<String>,
    /// Kubeconfig context of the management cluster
    #[arg(long, global = true, value_name = "NAME")]
    pub context: Option<String>,
    /// Kubeconfig cluster entry to use (not the Magnum cluster)
    #[arg(long, global = true, value_name = "NAME")]
    pub cluster: Option<String>,
    /// Kubeconfig user entry to use
    #[arg(long, global = true, value_name = "NAME")]
    pub user: Option<String>,
    /// Namespace of the Cluster API objects [default: magnum-system]
    #[arg(short, long, global = true, value_name = "NAMESPACE")]
    pub namespace: Option<String>,
    /// Address and port of the Kubernetes API server
    #[arg(short, long, global = true, value_name = "URL")]
    pub server: Option<String>,
    /// Name to check the server's certificate against, if not the host of its address
    #[arg(long, global = true, value_name = "NAME")]
    pub tls_server_name: Option<String>,
    /// Do not check the server's certificate
    #[arg(long, global = true)]
    pub insecure_skip_tls_verify: bool,
    /// File with the certificates of the authority that signed the server's
    #[arg(long, global = true, value_name = "FILE")]
    pub certificate_authority: Option<String>,
    /// File with a client certificate
    #[arg(long, global = true, value_name = "FILE")]
    pub client_certificate: Option<String>,
    /// File with the key of the client certificate
    #[arg(long, global = true, value_name = "FILE")]
    pub client_key: Option<String>,
    /// Bearer token for the API server
    #[arg(long, global = true, value_name = "TOKEN")]
    pub token: Option<String>,
    /// User name for basic authentication
    #[arg(long, global = true, value_name = "NAME", hide = true)]
    pub username: Option<String>,
    /// Password for basic authentication
    #[arg(long, global = true, value_name = "PASSWORD", hide = true)]
    pub password: Option<String>,
    /// User to act as
    #[arg(long = "as", global = true, value_name = "USER")]
    pub act_as: Option<String>,
    /// Group to act as; may be repeated
    #[arg(long, global = true, value_name = "GROUP")]
    pub as_group: Vec<String>,
    /// UID to act as
    #[arg(long, global = true, value_name = "UID")]
    pub as_uid: Option<String>,
    /// Extra field of the user to act as; may be repeated
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub as_user_extra: Vec<String>,
    /// Time limit for one answer of a server, as 30s or 1m; 0 is none [default: 10s]
    #[arg(long, global = true, value_name = "DURATION", value_parser = limits::duration)]
    pub request_timeout: Option<Duration>,
    /// Ask for answers without compression
    #[arg(long, global = true)]
    pub disable_compression: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        kube: KubeOptions,
    }

    #[test]
    fn kubectl_words_are_accepted() {
        let words = "x --kubeconfig k --context c --cluster l --user u -n ns -s https://h --tls-server-name t \
                     --insecure-skip-tls-verify --certificate-authority ca --client-certificate cc --client-key ck \
                     --token tk --as me --as-group g1 --as-group g2 --as-uid 7 --as-user-extra a=b \
                     --request-timeout 30s --disable-compression";
        let line = Line::try_parse_from(words.split_whitespace()).expect("flags of kubectl");
        assert_eq!(line.kube.as_group, ["g1", "g2"]);
        assert_eq!(line.kube.act_as.as_deref(), Some("me"));
        assert_eq!(line.kube.namespace.as_deref(), Some("ns"));
        assert_eq!(line.kube.request_timeout, Some(Duration::from_secs(30)));
    }

    #[test]
    fn a_wrong_timeout_is_a_usage_error() {
        assert!(Line::try_parse_from(["x", "--request-timeout", "soon"]).is_err());
    }
}
