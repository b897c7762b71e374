//! Which proxy a request goes through, by the rules of Go's `net/http` (and so kubectl's):
//! `golang.org/x/net/http/httpproxy`.

use std::net::IpAddr;

use ipnet::IpNet;

use super::host::Host;

/// The proxy for a server according to the environment, with a scheme. Upper case variables
/// go before lower case ones; this machine itself is never reached through a proxy.
#[must_use]
pub fn from_env(host: &Host, scheme: &str, name: &str, port: Option<u16>) -> Option<String> {
    let names = match scheme {
        "http" => ["HTTP_PROXY", "http_proxy"],
        _ => ["HTTPS_PROXY", "https_proxy"],
    };
    let proxy = host.first_var(&names)?;
    let port = port.unwrap_or(if scheme == "http" { 80 } else { 443 });
    let except = host.first_var(&["NO_PROXY", "no_proxy"]).unwrap_or_default();
    (!is_excepted(except, name, port)).then(|| with_scheme(proxy))
}

/// A proxy as operators write it: without a scheme it is an http proxy.
#[must_use]
pub fn with_scheme(proxy: &str) -> String {
    let proxy = proxy.trim();
    if proxy.contains("://") { proxy.to_owned() } else { format!("http://{proxy}") }
}

/// Whether `NO_PROXY` names a server: `*`, an address, a range, a name with its subdomains
/// (`.name`: only the subdomains), each with an optional port.
#[must_use]
pub fn is_excepted(list: &str, name: &str, port: u16) -> bool {
    let name = name.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.').to_lowercase();
    let address: Option<IpAddr> = name.parse().ok();
    if name == "localhost" || address.is_some_and(|a| a.is_loopback()) {
        return true;
    }
    list.split(',').map(|entry| entry.trim().to_lowercase()).filter(|entry| !entry.is_empty()).any(|entry| {
        if entry == "*" {
            return true;
        }
        if let Ok(range) = entry.parse::<IpNet>() {
            return address.is_some_and(|a| range.contains(&a));
        }
        let (wanted, wanted_port) = split_port(&entry);
        if wanted_port.is_some_and(|p| p != port) {
            return false;
        }
        match (wanted.parse::<IpAddr>(), address) {
            (Ok(wanted), address) => address == Some(wanted),
            (Err(_), Some(_)) => false,
            (Err(_), None) => is_domain_of(wanted, &name),
        }
    })
}

fn is_domain_of(wanted: &str, name: &str) -> bool {
    let wanted = wanted.strip_prefix('*').unwrap_or(wanted);
    match wanted.strip_prefix('.') {
        Some("") => false,
        Some(_) => name.ends_with(wanted),
        None => name == wanted || name.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('.')),
    }
}

/// `host:port`, `[v6]:port`, or a host or v6 address alone.
fn split_port(entry: &str) -> (&str, Option<u16>) {
    if let Some(inner) = entry.strip_prefix('[') {
        let (host, rest) = inner.split_once(']').unwrap_or((inner, ""));
        return (host, rest.strip_prefix(':').and_then(|p| p.parse().ok()));
    }
    match entry.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') => match port.parse() {
            Ok(port) => (host, Some(port)),
            Err(_) => (entry, None),
        },
        _ => (entry, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(list: &str, name: &str, port: u16, expected: bool) {
        assert_eq!(is_excepted(list, name, port), expected, "NO_PROXY={list} {name}:{port}");
    }

    #[test]
    fn names_cover_their_subdomains() {
        check("example.com", "example.com", 443, true);
        check("example.com", "api.example.com", 443, true);
        check("example.com", "badexample.com", 443, false);
        check(".example.com", "example.com", 443, false);
        check(".example.com", "api.example.com", 443, true);
        check("*.example.com", "api.example.com", 443, true);
        check("Example.COM", "API.example.com.", 443, true);
    }

    #[test]
    fn addresses_and_ranges() {
        check("10.0.0.0/8", "10.1.2.3", 443, true);
        check("10.0.0.0/8", "11.1.2.3", 443, false);
        check("10.1.2.3", "10.1.2.3", 443, true);
        check("fd00::/8", "[fd00::1]", 443, true);
        check("[fd00::1]:6443", "fd00::1", 6443, true);
        check("10.0.0.0/8", "ten.example", 443, false);
    }

    #[test]
    fn ports_must_fit() {
        check("example.com:6443", "example.com", 6443, true);
        check("example.com:6443", "example.com", 443, false);
        check("10.1.2.3:443", "10.1.2.3", 6443, false);
    }

    #[test]
    fn the_whole_list_is_read() {
        check("a.b, ,10.0.0.0/8,", "x.a.b", 443, true);
        check("a.b,", "c.d", 443, false);
        check("", "c.d", 443, false);
        check("*", "c.d", 443, true);
        check("", "localhost", 443, true);
        check("", "127.0.0.9", 443, true);
        check("", "::1", 443, true);
    }

    #[test]
    fn the_variable_follows_the_scheme() {
        let set = |pairs: &[(&str, &str)]| Host {
            env: pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            ..Host::default()
        };
        let both =
            set(&[("HTTPS_PROXY", "p:1"), ("https_proxy", "http://q:2"), ("http_proxy", "http://r:3")]);
        assert_eq!(from_env(&both, "https", "a.b", None).as_deref(), Some("http://p:1"));
        assert_eq!(from_env(&both, "http", "a.b", None).as_deref(), Some("http://r:3"));
        let excepted = set(&[("HTTPS_PROXY", "http://p:1"), ("no_proxy", "a.b:6443,")]);
        assert_eq!(from_env(&excepted, "https", "a.b", Some(6443)), None);
        assert_eq!(from_env(&excepted, "https", "a.b", None).as_deref(), Some("http://p:1"));
    }
}
