//! What a Kubernetes API server says when it does not answer, and when to ask it again.

use std::error::Error as _;
use std::future::Future;
use std::io;
use std::time::Duration;

use kube::Error;

use super::fault::{Fault, Kind, chain, short};

/// Name of the API server in messages.
const KUBERNETES: &str = "kubernetes";

/// A server that names a longer wait than this is not asked again.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// A failed request in our words. kube's own text of a refusal is a dump of the whole status,
/// and of a broken connection only its outermost layer.
#[must_use]
pub fn of(error: &Error) -> Fault {
    match error {
        Error::Api(status) => {
            let says =
                short(&status.message).unwrap_or_else(|| format!("HTTP {} without a reason", status.code));
            let fault = Fault {
                status: Some(status.code),
                ..Fault::new(Kind::of_status(status.code), KUBERNETES, says)
            };
            match status.code {
                401 => fault
                    .hint("the credentials of this context are not accepted; log in to the cluster again"),
                _ => fault,
            }
        }
        Error::SerdeError(_) | Error::FromUtf8(_) => {
            Fault::new(Kind::Unreadable, KUBERNETES, "the answer is not what Kubernetes answers")
        }
        _ => of_connection(error),
    }
}

fn of_connection(error: &Error) -> Fault {
    let chain = chain(error);
    let connecting = chain.contains("(Connect)") || is(error, io::ErrorKind::ConnectionRefused);
    let (kind, what) = if connecting {
        (Kind::Unreachable, "no connection")
    } else if is(error, io::ErrorKind::TimedOut) {
        (Kind::TimedOut, "no whole answer in time")
    } else if chain.contains("reading a body") || is(error, io::ErrorKind::UnexpectedEof) {
        (Kind::Unreadable, "the answer broke off")
    } else {
        (Kind::Unreachable, "no connection")
    };
    let chain = chain.replace("client error (Connect): ", "").replace("client error (SendRequest): ", "");
    let says = if chain.is_empty() { what.to_owned() } else { format!("{what}: {chain}") };
    let hint = connection_hint(&says);
    let fault = Fault::new(kind, KUBERNETES, says);
    match hint {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

/// Whether an error of the operating system is among the causes.
fn is(error: &Error, kind: io::ErrorKind) -> bool {
    let mut next = error.source();
    while let Some(cause) = next {
        if cause.downcast_ref::<io::Error>().is_some_and(|cause| cause.kind() == kind) {
            return true;
        }
        next = cause.source();
    }
    false
}

fn connection_hint(says: &str) -> Option<&'static str> {
    if says.contains("tunnel error") {
        Some(
            "the proxy is not there or does not let it through; see proxy-url in the kubeconfig, HTTPS_PROXY and NO_PROXY",
        )
    } else if says.contains("UnknownIssuer") {
        Some("name the authority's certificate with --certificate-authority or in the kubeconfig")
    } else if says.contains("CaUsedAsEndEntity") {
        Some(
            "the server shows a certificate that is marked as an authority; have an authority issue the server's",
        )
    } else if says.contains("NotValidForName") {
        Some("the certificate is for another name; give that with --tls-server-name")
    } else {
        None
    }
}

/// Asks, and once more if the server is too busy and says for how long, or has too many
/// requests at once (429 without a time: a second, which is what its flow control names in a
/// header that kube does not pass on).
///
/// # Errors
/// The second failure, or the first if asking again would not help.
pub async fn once_more<T, F: Future<Output = kube::Result<T>>>(
    mut ask: impl FnMut() -> F,
) -> kube::Result<T> {
    match ask().await {
        Err(error) => match wait(&error) {
            Some(wait) if wait <= LONGEST_WAIT => {
                tokio::time::sleep(wait).await;
                ask().await
            }
            _ => Err(error),
        },
        answer => answer,
    }
}

fn wait(error: &Error) -> Option<Duration> {
    let Error::Api(status) = error else { return None };
    let named =
        status.details.as_ref().map(|details| details.retry_after_seconds).filter(|seconds| *seconds > 0);
    match (status.code, named) {
        (429 | 503, Some(seconds)) => Some(Duration::from_secs(u64::from(seconds))),
        (429, None) => Some(Duration::from_secs(1)),
        _ => None,
    }
}
