//! What an OpenStack service answered.

use http::HeaderMap;

use crate::gather::fault::Fault;

/// A good answer: status 2xx and, from [`super::Session::get`], a body that is JSON.
#[derive(Debug, Clone)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// The body as it came.
    pub bytes: Vec<u8>,
    /// Request id, to be looked up in the service's log.
    pub request_id: Option<String>,
    /// Newest microversion that the service knows, where it says so (Magnum does).
    pub newest: Option<String>,
    /// The server's clock when it answered, as the `Date` header has it.
    pub date: Option<String>,
}

/// The pages of a list.
#[derive(Debug, Default)]
pub struct Pages {
    /// The pages that came, in order.
    pub answers: Vec<Answer>,
    /// Why the list ends before its end; none if it is whole.
    pub fault: Option<Fault>,
}

impl Answer {
    /// Reads status and headers; the body comes later.
    #[must_use]
    pub fn of(status: u16, headers: &HeaderMap, bytes: Vec<u8>) -> Self {
        let version = header(headers, "openstack-api-maximum-version");
        Answer {
            status,
            bytes,
            request_id: request_id(headers),
            newest: version.and_then(|text| text.rsplit(' ').next().map(str::to_owned)),
            date: header(headers, "date"),
        }
    }
}

/// The id that every OpenStack service gives to a request.
#[must_use]
pub fn request_id(headers: &HeaderMap) -> Option<String> {
    header(headers, "x-openstack-request-id").or_else(|| header(headers, "x-compute-request-id"))
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    let text = headers.get(name)?.to_str().ok()?;
    (!text.is_empty()).then(|| text.to_owned())
}
