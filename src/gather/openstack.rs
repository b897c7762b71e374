//! The reads of the OpenStack services: one arm each, by project.

use serde_json::{Value, json};

use super::clock::Clock;
use super::cloud::{Answer, Ask, Pages, Service, Session};
use super::fault::{Fault, Kind};
use super::harvest::Outcome;
use super::scope::Scope;

/// One thing to read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is named after what it reads")]
pub enum Read {
    /// Node groups of the Magnum cluster with this UUID.
    NodeGroups(String),
    /// The template with this id.
    Template(String),
    Project,
    /// The user with this id.
    User(String),
    /// Application credentials of the user with this id.
    Credentials(String),
    Ports,
    SecurityGroups,
    FloatingIps,
    Networks,
    /// Networks by id, whoever owns them.
    NamedNetworks(Vec<String>),
    /// Ports that are in these security groups, whoever owns them.
    Holders(Vec<String>),
    Subnets,
    Routers,
    NetworkQuotas,
    LoadBalancers,
    Listeners,
    Pools,
    LoadBalancerQuotas,
    Servers,
    ServerGroups,
    Flavors,
    ComputeQuotas,
    Volumes,
    Snapshots,
    VolumeQuotas,
    Images,
}

/// The lists that every run needs, of the services that hold what a project owns.
pub const OWNED: [Read; 14] = [
    Read::Ports,
    Read::SecurityGroups,
    Read::FloatingIps,
    Read::Networks,
    Read::Subnets,
    Read::Routers,
    Read::NetworkQuotas,
    Read::LoadBalancers,
    Read::LoadBalancerQuotas,
    Read::Servers,
    Read::ServerGroups,
    Read::ComputeQuotas,
    Read::Volumes,
    Read::VolumeQuotas,
];

/// What only leftovers need.
pub const LEFT: [Read; 3] = [Read::Listeners, Read::Pools, Read::Snapshots];

/// Fields of a port that say whose it is and who has it. A project may have very many ports, and
/// bindings are most of what Neutron says of one.
const PORT_FIELDS: [&str; 14] = [
    "id",
    "name",
    "description",
    "project_id",
    "tenant_id",
    "network_id",
    "fixed_ips",
    "device_id",
    "device_owner",
    "security_groups",
    "status",
    "tags",
    "trunk_details",
    "created_at",
];

/// What an answer is.
enum Form {
    /// Pages of a list.
    List,
    /// One document, kept as it is.
    Document,
    /// One thing by id, kept as a list of one under the second name; it has the first.
    One(&'static str, &'static str),
}

impl Read {
    /// Part of the bundle that it makes.
    #[must_use]
    pub fn part(&self) -> &'static str {
        match self {
            Read::NodeGroups(_) => "openstack/container-infra/nodegroups",
            Read::Template(_) => "openstack/container-infra/clustertemplates",
            Read::Project => "openstack/identity/projects",
            Read::User(_) => "openstack/identity/users",
            Read::Credentials(_) => "openstack/identity/application_credentials",
            Read::Ports | Read::Holders(_) => "openstack/network/ports",
            Read::SecurityGroups => "openstack/network/security-groups",
            Read::FloatingIps => "openstack/network/floatingips",
            Read::Networks | Read::NamedNetworks(_) => "openstack/network/networks",
            Read::Subnets => "openstack/network/subnets",
            Read::Routers => "openstack/network/routers",
            Read::NetworkQuotas => "openstack/network/quotas",
            Read::LoadBalancers => "openstack/load-balancer/loadbalancers",
            Read::Listeners => "openstack/load-balancer/listeners",
            Read::Pools => "openstack/load-balancer/pools",
            Read::LoadBalancerQuotas => "openstack/load-balancer/quotas",
            Read::Servers => "openstack/compute/servers",
            Read::ServerGroups => "openstack/compute/server-groups",
            Read::Flavors => "openstack/compute/flavors",
            Read::ComputeQuotas => "openstack/compute/quotas",
            Read::Volumes => "openstack/volume/volumes",
            Read::Snapshots => "openstack/volume/snapshots",
            Read::VolumeQuotas => "openstack/volume/quotas",
            Read::Images => "openstack/image/images",
        }
    }

    /// The question, and what its answer is.
    fn ask(&self, scope: &Scope) -> (Ask, Form) {
        use Service::{BlockStorage, Compute, ContainerInfra, Identity, Image, LoadBalancer, Network};
        let project = scope.project.as_deref().unwrap_or_default();
        let owned = |service, path: &[&str]| Ask::new(service, path).query("project_id", project);
        let everyone = |ask: Ask| match scope.elsewhere {
            true => ask.query("all_tenants", "1").query("project_id", project),
            false => ask,
        };
        let nova = |path: &[&str]| Ask::new(Compute, path).microversion("latest");
        let ids = |ask: Ask, key: &str, ids: &[String]| ids.iter().fold(ask, |ask, id| ask.query(key, id));
        let slim = |ask: Ask| match scope.slim {
            true => PORT_FIELDS.into_iter().fold(ask, |ask, field| ask.query("fields", field)),
            false => ask,
        };
        match self {
            Read::NodeGroups(id) => (Ask::new(ContainerInfra, &["clusters", id, "nodegroups"]), Form::List),
            Read::Template(id) => {
                (Ask::new(ContainerInfra, &["clustertemplates", id]), Form::One("", "clustertemplates"))
            }
            Read::Project => (Ask::new(Identity, &["projects", project]), Form::One("project", "projects")),
            Read::User(id) => (Ask::new(Identity, &["users", id]), Form::One("user", "users")),
            Read::Credentials(id) => {
                (Ask::new(Identity, &["users", id, "application_credentials"]), Form::List)
            }
            Read::Ports => (slim(owned(Network, &["ports"])), Form::List),
            Read::Holders(groups) => {
                (slim(ids(Ask::new(Network, &["ports"]), "security_groups", groups)), Form::List)
            }
            Read::SecurityGroups => (owned(Network, &["security-groups"]), Form::List),
            Read::FloatingIps => (owned(Network, &["floatingips"]), Form::List),
            Read::Networks => (owned(Network, &["networks"]), Form::List),
            Read::NamedNetworks(list) => (ids(Ask::new(Network, &["networks"]), "id", list), Form::List),
            Read::Subnets => (owned(Network, &["subnets"]), Form::List),
            Read::Routers => (owned(Network, &["routers"]), Form::List),
            Read::NetworkQuotas => (Ask::new(Network, &["quotas", project, "details"]), Form::Document),
            Read::LoadBalancers => (owned(LoadBalancer, &["lbaas", "loadbalancers"]), Form::List),
            Read::Listeners => (owned(LoadBalancer, &["lbaas", "listeners"]), Form::List),
            Read::Pools => (owned(LoadBalancer, &["lbaas", "pools"]), Form::List),
            Read::LoadBalancerQuotas => {
                (Ask::new(LoadBalancer, &["lbaas", "quotas", project]), Form::Document)
            }
            Read::Servers => (everyone(nova(&["servers", "detail"])), Form::List),
            Read::ServerGroups => {
                let ask = nova(&["os-server-groups"]);
                (if scope.elsewhere { ask.query("all_projects", "True") } else { ask }, Form::List)
            }
            Read::Flavors => {
                let ask = nova(&["flavors", "detail"]);
                (if scope.admin { ask.query("is_public", "None") } else { ask }, Form::List)
            }
            Read::ComputeQuotas => (nova(&["os-quota-sets", project, "detail"]), Form::Document),
            Read::Volumes => (everyone(Ask::new(BlockStorage, &["volumes", "detail"])), Form::List),
            Read::Snapshots => (everyone(Ask::new(BlockStorage, &["snapshots", "detail"])), Form::List),
            Read::VolumeQuotas => {
                (Ask::new(BlockStorage, &["os-quota-sets", project]).query("usage", "True"), Form::Document)
            }
            Read::Images => (Ask::new(Image, &["images"]).query("limit", "1000"), Form::List),
        }
    }
}

/// A cloud that may be asked, within the run's time.
pub struct Cloud {
    /// The login.
    pub session: Session,
    /// The run's time.
    pub clock: Clock,
}

impl Cloud {
    /// Asks one question of Magnum.
    ///
    /// # Errors
    /// As [`Session::get`].
    pub async fn magnum(&self, path: &[&str]) -> Result<Answer, Fault> {
        let ask = Ask::new(Service::ContainerInfra, path);
        self.clock.limit(ask.service.word(), self.session.get(&ask)).await
    }

    /// All Magnum clusters that the login can see, in full.
    ///
    /// # Errors
    /// As [`Session::get`].
    pub async fn clusters(&self) -> Result<Vec<Value>, Fault> {
        let ask = Ask::new(Service::ContainerInfra, &["clusters", "detail"]);
        let pages = self.pages(&ask).await;
        match pages.fault {
            Some(fault) => Err(fault),
            None => Ok(pages.answers.iter().flat_map(|answer| rows(&body(answer), "clusters")).collect()),
        }
    }

    /// Performs one read.
    pub async fn read(&self, read: &Read, scope: &Scope) -> Outcome {
        let part = read.part();
        let (ask, form) = read.ask(scope);
        let mut outcome = Outcome::whole(part);
        match form {
            Form::List => {
                let pages = self.pages(&ask).await;
                // Each answer goes as soon as it is parsed.
                outcome.documents = pages.answers.into_iter().map(|answer| body(&answer)).collect();
                outcome.fault = pages.fault;
                if matches!(read, Read::ServerGroups) && scope.elsewhere {
                    only_of(&mut outcome.documents, "server_groups", scope.project.as_deref());
                }
            }
            form => match self.clock.limit(ask.service.word(), self.session.get(&ask)).await {
                Ok(answer) => outcome.documents.push(in_form(form, body(&answer))),
                Err(fault) => outcome.fault = Some(fault),
            },
        }
        judge(read, scope, outcome)
    }

    async fn pages(&self, ask: &Ask) -> Pages {
        let pages = async { Ok(self.session.list(ask).await) };
        let pages = self.clock.limit(ask.service.word(), pages).await;
        pages.unwrap_or_else(|fault| Pages { answers: Vec::new(), fault: Some(fault) })
    }

    /// The console output of a server, its last lines.
    ///
    /// # Errors
    /// As [`Session::console`].
    pub async fn console(&self, server: &str) -> Result<String, Fault> {
        let answer = self.clock.limit("compute", self.session.console(server, 200)).await?;
        let text = body(&answer).get("output").and_then(Value::as_str).map(str::to_owned);
        Ok(text.unwrap_or_default())
    }
}

/// A fault that is an answer: what was asked for by id does not exist, or the region has no
/// such service, so nothing in it.
fn judge(read: &Read, scope: &Scope, mut outcome: Outcome) -> Outcome {
    let kind = outcome.fault.as_ref().map(|fault| fault.kind);
    let id = match read {
        Read::Template(id) | Read::User(id) | Read::Credentials(id) => Some(id.clone()),
        Read::Project => scope.project.clone(),
        _ => None,
    };
    match (kind, id, read) {
        (Some(Kind::NotFound), Some(id), _) => {
            outcome.missing.push(id);
            outcome.fault = None;
        }
        (Some(Kind::NoService), _, read) if !read.part().contains("/container-infra/") => {
            outcome.fault = None
        }
        (None, _, Read::NamedNetworks(ids)) => {
            let there: Vec<Value> = outcome.documents.iter().flat_map(|d| rows(d, "networks")).collect();
            let found = |id: &String| there.iter().any(|n| n.get("id").is_some_and(|have| have == id));
            outcome.missing = ids.iter().filter(|id| !found(id)).cloned().collect();
        }
        _ => {}
    }
    outcome
}

/// The body of an answer, which was looked at before: it is JSON.
fn body(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.bytes).unwrap_or_default()
}

/// A good answer as a list of one, as the bundle has it.
#[must_use]
pub fn list_of(key: &str, row: Value) -> Value {
    json!({ key: [row] })
}

fn in_form(form: Form, mut body: Value) -> Value {
    match form {
        Form::One("", list) => list_of(list, body),
        Form::One(key, list) => {
            let row = body.get_mut(key).map(Value::take).unwrap_or_default();
            list_of(list, row)
        }
        Form::List | Form::Document => body,
    }
}

/// Rows of a list.
#[must_use]
pub fn rows(body: &Value, key: &str) -> Vec<Value> {
    body.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Takes the rows of other projects out. Older Novas do not say whose a server group is.
fn only_of(pages: &mut [Value], key: &str, project: Option<&str>) {
    for list in pages.iter_mut().filter_map(|page| page.get_mut(key)?.as_array_mut()) {
        list.retain(|row| {
            row.get("project_id").and_then(Value::as_str).is_none_or(|own| Some(own) == project)
        });
    }
}
