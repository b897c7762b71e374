//! What a controller tried to do: the verb and the step of CAPO's own order.
//!
//! Source: kubernetes-sigs/cluster-api-provider-openstack, controllers/openstackcluster_controller.go
//! (reconcileNormal, reconcileDelete) and pkg/record (event reasons `Failed…`, `Successful…`).

use super::api_error::{ApiError, Service};

/// Make or take away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Create, update, attach.
    Make,
    /// Delete, detach.
    Remove,
}

/// Steps in the order in which CAPO makes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Network.
    Network,
    /// Subnet.
    Subnet,
    /// Router and its interface.
    Router,
    /// Security groups and their rules.
    Groups,
    /// API load balancer.
    LoadBalancer,
    /// Its floating IP.
    FloatingIp,
    /// Its listener.
    Listener,
    /// Its pool.
    Pool,
    /// Its monitor.
    Monitor,
    /// Port of a machine.
    Port,
    /// Volume of a machine.
    Volume,
    /// Server of a machine.
    Server,
}

impl Step {
    /// Place in a delete: load balancer with its floating IP, router, network, groups;
    /// machines come before all of these.
    #[must_use]
    pub fn removal_order(self) -> u8 {
        match self {
            Step::Port | Step::Volume | Step::Server => 0,
            Step::LoadBalancer | Step::FloatingIp | Step::Listener | Step::Pool | Step::Monitor => 1,
            Step::Router => 2,
            Step::Network | Step::Subnet => 3,
            Step::Groups => 4,
        }
    }
}

/// Words in event reasons, longest first where one contains another.
const WORDS: [(&str, Step); 12] = [
    ("securitygroup", Step::Groups),
    ("loadbalancer", Step::LoadBalancer),
    ("floatingip", Step::FloatingIp),
    ("network", Step::Network),
    ("subnet", Step::Subnet),
    ("router", Step::Router),
    ("listener", Step::Listener),
    ("monitor", Step::Monitor),
    ("pool", Step::Pool),
    ("server", Step::Server),
    ("volume", Step::Volume),
    ("port", Step::Port),
];

/// An operation and how it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// Make or take away.
    pub verb: Verb,
    /// The step.
    pub step: Step,
}

/// Reads CAPO's event reasons: the operation, and whether it succeeded.
#[must_use]
pub fn of_reason(reason: &str) -> Option<(Operation, bool)> {
    let reason = reason.to_ascii_lowercase();
    let (rest, success) = match reason.strip_prefix("successful") {
        Some(rest) => (rest, true),
        None => (reason.strip_prefix("failed")?, false),
    };
    let verbs = [
        ("create", Verb::Make),
        ("update", Verb::Make),
        ("associate", Verb::Make),
        ("disassociate", Verb::Remove),
        ("delete", Verb::Remove),
    ];
    let (rest, verb) = verbs.iter().find_map(|(word, verb)| Some((rest.strip_prefix(word)?, *verb)))?;
    let step = WORDS.iter().find(|(word, _)| rest.starts_with(word)).map(|(_, step)| *step)?;
    Some((Operation { verb, step }, success))
}

/// Reads the operation out of a refused request, else out of CAPO's words before it.
#[must_use]
pub fn of_text(text: &str, api: Option<&ApiError>) -> Option<Operation> {
    api.and_then(of_request).or_else(|| of_words(text))
}

fn of_request(api: &ApiError) -> Option<Operation> {
    let verb = match api.method.as_deref()? {
        "POST" | "PUT" | "PATCH" => Verb::Make,
        "DELETE" => Verb::Remove,
        _ => return None,
    };
    let path = api.path.as_deref()?;
    let paths: &[(&str, Step)] = match api.service {
        Service::Nova => &[("/servers", Step::Server)],
        Service::Cinder => &[("/volumes", Step::Volume)],
        _ => &[
            ("/lbaas/listeners", Step::Listener),
            ("/lbaas/pools", Step::Pool),
            ("/lbaas/healthmonitors", Step::Monitor),
            ("/lbaas/", Step::LoadBalancer),
            ("/security-group", Step::Groups),
            ("/floatingips", Step::FloatingIp),
            ("/routers", Step::Router),
            ("/subnets", Step::Subnet),
            ("/networks", Step::Network),
            ("/ports", Step::Port),
        ],
    };
    let step = paths.iter().find(|(part, _)| path.contains(part)).map(|(_, step)| *step)?;
    let interface = path.contains("/remove_router_interface");
    Some(Operation { verb: if interface { Verb::Remove } else { verb }, step })
}

fn of_words(text: &str) -> Option<Operation> {
    let words = [
        ("failed to delete security group", Verb::Remove, Step::Groups),
        ("failed to delete network", Verb::Remove, Step::Network),
        ("failed to delete router", Verb::Remove, Step::Router),
        ("failed to delete load balancer", Verb::Remove, Step::LoadBalancer),
        ("failed to disassociate floating ip", Verb::Remove, Step::FloatingIp),
        ("failed to associate floating ip", Verb::Make, Step::FloatingIp),
        ("failed to reconcile security groups", Verb::Make, Step::Groups),
        ("failed to reconcile router", Verb::Make, Step::Router),
        ("failed to reconcile network", Verb::Make, Step::Network),
        ("failed to reconcile subnet", Verb::Make, Step::Subnet),
        ("failed to reconcile external network", Verb::Make, Step::Network),
        ("failed to reconcile load balancer", Verb::Make, Step::LoadBalancer),
        ("create openstack instance", Verb::Make, Step::Server),
        ("error creating openstack instance", Verb::Make, Step::Server),
    ];
    let text = text.to_ascii_lowercase();
    words
        .iter()
        .find(|(word, ..)| text.contains(word))
        .map(|(_, verb, step)| Operation { verb: *verb, step: *step })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_reasons_of_capo_are_read_whatever_their_case() {
        let check = |reason: &str, expected: Option<(Verb, Step, bool)>| {
            let read = of_reason(reason).map(|(o, ok)| (o.verb, o.step, ok));
            assert_eq!(read, expected, "{reason}");
        };
        check("Failedcreaterouter", Some((Verb::Make, Step::Router, false)));
        check("FailedDeleteSecurityGroup", Some((Verb::Remove, Step::Groups, false)));
        check("Successfuldeleteloadbalancer", Some((Verb::Remove, Step::LoadBalancer, true)));
        check("Faileddisassociatefloatingip", Some((Verb::Remove, Step::FloatingIp, false)));
        check("Successfulassociatefloatingip", Some((Verb::Make, Step::FloatingIp, true)));
        check("SuccessfulCreate", None);
        check("TopologyUpdate", None);
    }
}
