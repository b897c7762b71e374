"""A kubelet that can do one thing: give the logs of containers from files.

usage: kubelet.py PORT CERTIFICATE KEY FOLDER

FOLDER is laid out as the `kubernetes` folder of a bundle: namespaces/NAMESPACE/v1/pod/POD/CONTAINER/
current.log and previous.log. The answers are those of the real one (kubernetes/kubernetes,
pkg/kubelet/server/server.go and pkg/kubelet/kubelet_pods.go) to `timestamps`, `sinceTime`,
`sinceSeconds`, `tailLines`, `limitBytes` and `previous`.
"""

import datetime
import http.server
import pathlib
import re
import ssl
import sys
import urllib.parse

#: What a line may begin with: RFC 3339, oslo.log, or klog, whose year is not written.
_HEAD = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)[T ](?P<time>\d\d:\d\d:\d\d(?:\.\d+)?)|"
    r"[IWEF](?P<month>\d\d)(?P<day>\d\d) (?P<clock>\d\d:\d\d:\d\d(?:\.\d+)?)")


def timed(lines):
    """(RFC 3339 time, line) for each line; one without a time of its own has that of the line before."""
    at = "1970-01-01T00:00:00.000000000Z"
    for line in lines:
        if head := _HEAD.match(line):
            year = datetime.datetime.now(datetime.timezone.utc).year
            date = head["date"] or f"{year}-{head['month']}-{head['day']}"
            clock, _, fraction = (head["time"] or head["clock"]).partition(".")
            at = f"{date}T{clock}.{fraction:0<9}Z"
        yield at, line


def chosen(text, ask):
    """The part of a log that a question is about."""
    lines = list(timed(text.splitlines(keepends=True)))
    since = ask.get("sinceTime", "")
    if "sinceSeconds" in ask:
        back = datetime.timedelta(seconds=int(ask["sinceSeconds"]))
        since = (datetime.datetime.now(datetime.timezone.utc) - back).isoformat()
    lines = [(at, line) for at, line in lines if at[:19] >= since[:19]]
    if "tailLines" in ask:
        lines = lines[max(0, len(lines) - int(ask["tailLines"])):]
    stamped = ask.get("timestamps") == "true"
    whole = "".join(f"{at} {line}" if stamped else line for at, line in lines).encode(errors="surrogateescape")
    return whole[:int(ask.get("limitBytes", len(whole)))]


class Kubelet(http.server.BaseHTTPRequestHandler):
    """Answers GET /containerLogs/NAMESPACE/POD/CONTAINER."""

    protocol_version = "HTTP/1.1"
    root = pathlib.Path()

    def do_GET(self):
        url = urllib.parse.urlparse(self.path)
        ask = dict(urllib.parse.parse_qsl(url.query))
        parts = url.path.split("/")
        if len(parts) != 5 or parts[1] != "containerLogs" or ".." in parts:
            return self.answer(404, b"404 page not found\n")
        _, _, namespace, pod, container = parts
        previous = ask.get("previous") == "true"
        folder = self.root / "namespaces" / namespace / "v1" / "pod" / pod / container
        try:
            text = (folder / ("previous.log" if previous else "current.log")).read_text(errors="surrogateescape")
        except OSError:
            gone = f'previous terminated container "{container}" in pod "{pod}" not found'
            waits = f'container "{container}" in pod "{pod}" is waiting to start: ContainerCreating'
            return self.answer(400, (gone if previous else waits).encode())
        return self.answer(200, chosen(text, ask))

    def answer(self, code, body):
        self.send_response(code)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Nothing: the API server's audit log has each request."""


def main(number, certificate, key, folder):
    Kubelet.root = pathlib.Path(folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(number)), Kubelet)
    server.daemon_threads = True
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    # The handshake belongs to the thread of the connection, or one silent client would block all.
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
