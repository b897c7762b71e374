//! The `--os-*` flags that users of the `openstack` command know.

/// Which cloud, and what to change about it for this run.
/// It has no `Debug`: passwords, secrets and tokens are in it.
#[derive(Clone, Default, clap::Args)]
#[command(next_help_heading = "OpenStack connection (as openstackclient)")]
pub struct CloudOptions {
    /// Cloud in clouds.yaml [env: OS_CLOUD]
    #[arg(long, global = true, value_name = "NAME")]
    pub os_cloud: Option<String>,
    /// Region of the cloud [env: OS_REGION_NAME]
    #[arg(long, global = true, value_name = "NAME")]
    pub os_region_name: Option<String>,
    /// Interface of the endpoints: public, internal or admin
    #[arg(long, global = true, value_name = "NAME", alias = "os-endpoint-type")]
    pub os_interface: Option<String>,
    /// Name of the project to log in to
    #[arg(long, global = true, value_name = "NAME", alias = "os-tenant-name")]
    pub os_project_name: Option<String>,
    /// Id of the project to log in to
    #[arg(long, global = true, value_name = "ID", alias = "os-tenant-id")]
    pub os_project_id: Option<String>,
    /// Log in to the whole system instead of a project: all
    #[arg(long, global = true, value_name = "all")]
    pub os_system_scope: Option<String>,
    /// URL of Keystone
    #[arg(long, global = true, value_name = "URL")]
    pub os_auth_url: Option<String>,
    /// File with the certificates of the authority that signed the cloud's
    #[arg(long, global = true, value_name = "FILE")]
    pub os_cacert: Option<String>,
    /// Do not check the cloud's certificates
    #[arg(long = "insecure", global = true)]
    pub os_insecure: bool,
    /// Way to log in: password, token, v3applicationcredential, v3oidcaccesstoken, v3totp
    #[arg(long, global = true, value_name = "TYPE", hide_short_help = true)]
    pub os_auth_type: Option<String>,
    /// User name
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub os_username: Option<String>,
    /// User id
    #[arg(long, global = true, value_name = "ID", hide_short_help = true)]
    pub os_user_id: Option<String>,
    /// Password; better in OS_PASSWORD or secure.yaml, where `ps` does not show it
    #[arg(long, global = true, value_name = "PASSWORD", hide_short_help = true)]
    pub os_password: Option<String>,
    /// One-time code beside the password
    #[arg(long, global = true, value_name = "CODE", hide_short_help = true)]
    pub os_passcode: Option<String>,
    /// Token to log in with
    #[arg(long, global = true, value_name = "TOKEN", hide_short_help = true)]
    pub os_token: Option<String>,
    /// Name of the user's domain
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub os_user_domain_name: Option<String>,
    /// Id of the user's domain
    #[arg(long, global = true, value_name = "ID", hide_short_help = true)]
    pub os_user_domain_id: Option<String>,
    /// Name of the project's domain
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub os_project_domain_name: Option<String>,
    /// Id of the project's domain
    #[arg(long, global = true, value_name = "ID", hide_short_help = true)]
    pub os_project_domain_id: Option<String>,
    /// Name of the domain to log in to, or of both user and project
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub os_domain_name: Option<String>,
    /// Id of the domain to log in to, or of both user and project
    #[arg(long, global = true, value_name = "ID", hide_short_help = true)]
    pub os_domain_id: Option<String>,
    /// Domain id for names without a domain [default: default]
    #[arg(long, global = true, value_name = "ID", hide_short_help = true)]
    pub os_default_domain: Option<String>,
    /// Trust to log in with
    #[arg(long, global = true, value_name = "ID", hide_short_help = true)]
    pub os_trust_id: Option<String>,
    /// Id of an application credential
    #[arg(long, global = true, value_name = "ID", hide_short_help = true)]
    pub os_application_credential_id: Option<String>,
    /// Name of an application credential of the user
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub os_application_credential_name: Option<String>,
    /// Secret of the application credential
    #[arg(long, global = true, value_name = "SECRET", hide_short_help = true)]
    pub os_application_credential_secret: Option<String>,
    /// Identity provider of an OpenID Connect login
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub os_identity_provider: Option<String>,
    /// Protocol of the identity provider in Keystone
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub os_protocol: Option<String>,
    /// OpenID Connect access token
    #[arg(long, global = true, value_name = "TOKEN", hide_short_help = true)]
    pub os_access_token: Option<String>,
    /// File with a client certificate
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub os_cert: Option<String>,
    /// File with the key of the client certificate
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub os_key: Option<String>,
}

impl CloudOptions {
    /// The flags that were given, under the names that clouds.yaml has for them; the cloud and
    /// the region are chosen before and are not among them.
    #[must_use]
    pub fn given(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("interface", &self.os_interface),
            ("project_name", &self.os_project_name),
            ("project_id", &self.os_project_id),
            ("system_scope", &self.os_system_scope),
            ("auth_url", &self.os_auth_url),
            ("cacert", &self.os_cacert),
            ("auth_type", &self.os_auth_type),
            ("username", &self.os_username),
            ("user_id", &self.os_user_id),
            ("password", &self.os_password),
            ("passcode", &self.os_passcode),
            ("token", &self.os_token),
            ("user_domain_name", &self.os_user_domain_name),
            ("user_domain_id", &self.os_user_domain_id),
            ("project_domain_name", &self.os_project_domain_name),
            ("project_domain_id", &self.os_project_domain_id),
            ("domain_name", &self.os_domain_name),
            ("domain_id", &self.os_domain_id),
            ("default_domain", &self.os_default_domain),
            ("trust_id", &self.os_trust_id),
            ("application_credential_id", &self.os_application_credential_id),
            ("application_credential_name", &self.os_application_credential_name),
            ("application_credential_secret", &self.os_application_credential_secret),
            ("identity_provider", &self.os_identity_provider),
            ("protocol", &self.os_protocol),
            ("access_token", &self.os_access_token),
            ("cert", &self.os_cert),
            ("key", &self.os_key),
        ];
        let given = all.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
        let mut given: Vec<_> = given.filter(|(_, value)| !value.is_empty()).collect();
        if self.os_insecure {
            given.push(("insecure", "true"));
        }
        given
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        cloud: CloudOptions,
    }

    #[test]
    fn old_and_new_words_mean_the_same() {
        let words =
            ["x", "--os-tenant-name", "p", "--os-endpoint-type", "internal", "--insecure", "--os-token", ""];
        let line = Line::try_parse_from(words).expect("flags of openstackclient");
        assert_eq!(
            line.cloud.given(),
            [("interface", "internal"), ("project_name", "p"), ("insecure", "true")]
        );
    }
}
