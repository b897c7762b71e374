//! A server on this machine that answers as a test says and remembers what it was asked.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::StreamExt;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// One request that came in.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    /// `GET /v1/clusters?limit=1`.
    pub(crate) line: String,
    /// Headers, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The body as text.
    pub(crate) body: String,
}

impl Seen {
    /// Value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

/// What the server does with a request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// A whole answer.
    Whole { status: u16, headers: Vec<(&'static str, String)>, body: String },
    /// Headers and the beginning of the body, then the connection breaks.
    Half(String),
    /// Headers and the beginning of the body, then nothing more.
    Drip(String),
    /// The same bytes so many times.
    Flood(String, usize),
    /// The connection is closed without an answer.
    Close,
    /// No answer, ever.
    Hang,
}

impl Reply {
    /// A JSON answer.
    pub(crate) fn json(status: u16, body: impl ToString) -> Reply {
        let headers = vec![("content-type", "application/json".to_owned())];
        Reply::Whole { status, headers, body: body.to_string() }
    }

    /// The same with one more header.
    pub(crate) fn with(self, name: &'static str, value: impl ToString) -> Reply {
        match self {
            Reply::Whole { status, mut headers, body } => {
                headers.push((name, value.to_string()));
                Reply::Whole { status, headers, body }
            }
            other => other,
        }
    }
}

/// Lets requests go in rounds: all that came are answered at once when no more come. So the
/// number of rounds is the number of answers that a run waits for in a row.
#[derive(Debug, Default)]
pub(crate) struct Rounds(Mutex<Round>);

#[derive(Debug, Default)]
struct Round {
    number: usize,
    waiting: usize,
    last: Option<Instant>,
}

/// When no request came for so long, none comes before an answer.
const STILL: Duration = Duration::from_millis(300);

impl Rounds {
    /// How many there were.
    pub(crate) fn count(&self) -> usize {
        self.0.lock().expect("round").number
    }

    async fn wait(&self) {
        let mine = {
            let mut round = self.0.lock().expect("round");
            round.waiting += 1;
            round.last = Some(Instant::now());
            round.number
        };
        loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let mut round = self.0.lock().expect("round");
            if round.number > mine {
                return;
            }
            if round.waiting > 0 && round.last.is_some_and(|last| last.elapsed() > STILL) {
                *round = Round { number: round.number + 1, waiting: 0, last: None };
                return;
            }
        }
    }
}

type Handler = Arc<dyn Fn(&Seen) -> Reply + Send + Sync>;

/// A running server; it ends with the test's runtime.
pub(crate) struct Server {
    /// `127.0.0.1:PORT`.
    pub(crate) address: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Starts a server without TLS.
    pub(crate) async fn start(handler: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Server {
        Server::start_with(None, handler).await
    }

    /// Starts a server, with TLS if there is an acceptor.
    pub(crate) async fn start_with(
        tls: Option<TlsAcceptor>,
        handler: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    ) -> Server {
        Server::start_in(None, tls, handler).await
    }

    /// Starts a server that shares its rounds with others.
    pub(crate) async fn start_in(
        rounds: Option<Arc<Rounds>>,
        tls: Option<TlsAcceptor>,
        handler: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("port");
        let address = listener.local_addr().expect("address").to_string();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (handler, all): (Handler, _) = (Arc::new(handler), Arc::clone(&seen));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let answers =
                    Answers { handler: Arc::clone(&handler), all: Arc::clone(&all), rounds: rounds.clone() };
                tokio::spawn(connection(stream, tls.clone(), answers));
            }
        });
        Server { address, seen }
    }

    /// The address as an http URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything that was asked so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("requests").clone()
    }

    /// The request lines so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.line).collect()
    }
}

/// What every connection of a server shares.
#[derive(Clone)]
struct Answers {
    handler: Handler,
    all: Arc<Mutex<Vec<Seen>>>,
    rounds: Option<Arc<Rounds>>,
}

async fn connection(stream: TcpStream, tls: Option<TlsAcceptor>, answers: Answers) {
    let service = service_fn(move |request| answer(request, answers.clone()));
    let http = hyper::server::conn::http1::Builder::new();
    // An error here is the client's to see.
    let _ = match tls {
        None => http.serve_connection(TokioIo::new(stream), service).await,
        Some(tls) => match tls.accept(stream).await {
            Ok(stream) => http.serve_connection(TokioIo::new(stream), service).await,
            Err(_) => Ok(()),
        },
    };
}

async fn answer(
    request: Request<Incoming>,
    Answers { handler, all, rounds }: Answers,
) -> Result<Response<BoxBody<Bytes, io::Error>>, io::Error> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let seen = Seen {
        line: format!("{} {}", head.method, head.uri),
        headers: head.headers.iter().map(|(n, v)| (n.to_string(), text(v))).collect(),
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    all.lock().expect("requests").push(seen.clone());
    if let Some(rounds) = rounds {
        rounds.wait().await;
    }
    let broken = |text: String, end: bool| {
        let start = futures::stream::iter([Ok(Frame::data(Bytes::from(text)))]);
        let rest = futures::stream::once(async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            if end { Err(io::Error::other("broken")) } else { std::future::pending().await }
        });
        BodyExt::boxed(StreamBody::new(start.chain(rest)))
    };
    match handler(&seen) {
        Reply::Whole { status, headers, body } => {
            let body =
                http_body_util::Full::new(Bytes::from(body)).map_err(|e: Infallible| match e {}).boxed();
            let mut response = Response::builder().status(status);
            for (name, value) in headers {
                response = response.header(name, value);
            }
            Ok(response.body(body).expect("response"))
        }
        Reply::Flood(text, times) => {
            let piece = Bytes::from(text);
            let pieces = futures::stream::iter((0..times).map(move |_| Ok(Frame::data(piece.clone()))));
            Ok(Response::new(BodyExt::boxed(StreamBody::new(pieces))))
        }
        Reply::Half(text) => Ok(sized(broken(text, true))),
        Reply::Drip(text) => Ok(sized(broken(text, false))),
        Reply::Close => Err(io::Error::other("closed")),
        Reply::Hang => std::future::pending().await,
    }
}

fn sized(body: BoxBody<Bytes, io::Error>) -> Response<BoxBody<Bytes, io::Error>> {
    let response = Response::builder().header("content-type", "application/json");
    response.header("content-length", "100000").body(body).expect("response")
}
