"""Web pages in Debian's Chromium, calling a running service.

SERVICE_URL says where it listens, on 127.0.0.1; SERVICE_LOG is the file that it writes its log to; ACCESS_TOKEN is a token
of it, or unset where it has none; its access.origins holds http://allowed.example. What a page has managed to do is read
from the service itself, over a connection that is no browser's.
"""

import contextlib
import http.client
import http.server
import json
import os
import threading
import time
import unittest
import urllib.parse

from playwright.sync_api import TimeoutError, sync_playwright

SERVICE = os.environ["SERVICE_URL"]
PORT = urllib.parse.urlsplit(SERVICE).port
TOKEN = os.environ.get("ACCESS_TOKEN")
ALLOWED = "http://allowed.example"
FOREIGN = "http://foreign.example"
# A made-up name that its owner has let point to this machine, as any page can with its own.
REBOUND = f"http://rebound.example:{PORT}"

# The browser's own protection of local networks is off: other browsers have none, and it spares pages served from here.
SWITCHES = [
    "--no-sandbox",
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessRespectPreflightResults",
]


class Page(http.server.BaseHTTPRequestHandler):
    """An empty page, whatever is asked for."""

    def do_GET(self):
        body = b"<!doctype html><title>page</title><body></body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Pages(http.server.ThreadingHTTPServer):
    """Serves it to a browser that may have gone before it has all of it."""

    def handle_error(self, *arguments):
        pass


def call(method, target, body=None):
    """Calls the service as a program does; gives back status, headers and what the JSON says."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
    headers = {"Authorization": f"Bearer {TOKEN}"} if TOKEN else {}
    if body is not None:
        headers["Content-Type"] = "application/json"
    connection.request(method, target, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, answer.headers, json.loads(text) if text else None


def answered(status):
    """How many requests the service has answered with that status."""
    with open(os.environ["SERVICE_LOG"], encoding="utf-8") as log:
        return sum(f'"status":{status},' in line for line in log)


def state(session):
    """All that a page could change: how many sessions there are, and where this one stands."""
    sessions = call("GET", "/sessions")[2]["sessions"]
    status, _, document = call("GET", session)
    return len(sessions), status, document["position"], document["publisherShouldFinish"]


# Each is a function of the service's address, a session's path and the headers that a page with the token adds. It ends when
# the browser is done with the request, with whatever the page could read of an answer, or with null.
WITH_FETCH = {
    name: "async (service, session, headers) => { " + text + " }"
    for name, text in {
        "read a session": "return await read(fetch(service + session, { headers }))",
        "list sessions": "return await read(fetch(service + '/sessions', { headers }))",
        "read a table": "return await read(fetch(service + '/tables/incident', { headers }))",
        "move": "return await read(fetch(service + session + '/next', { method: 'POST', headers }))",
        "move by GET": "return await read(fetch(service + session + '/next?after=0', { headers }))",
        "reset": "return await read(fetch(service + session + '/reset', { method: 'POST', headers }))",
        "open": "return await read(fetch(service + '/sessions', { method: 'POST', body: '{\"table\":\"incident\"}', "
        "headers: { ...headers, 'Content-Type': 'application/json' } }))",
        "open as text": "return await read(fetch(service + '/sessions', { method: 'POST', body: '{\"table\":\"incident\"}', "
        "headers: { ...headers, 'Content-Type': 'text/plain' } }))",
        "change": "return await read(fetch(service + session, { method: 'PATCH', body: '{\"publisherShouldFinish\":true}', "
        "headers: { ...headers, 'Content-Type': 'application/json' } }))",
        "delete": "return await read(fetch(service + session, { method: 'DELETE', headers }))",
        "stream": "return await read(fetch(service + session + '/events', { headers }))",
        "records": "return await read(fetch(service + session + '/records', { headers }))",
        "with cookies": "return await read(fetch(service + session, { headers, credentials: 'include' }))",
    }.items()
}
WITHOUT_FETCH = {
    name: "async (service, session) => { " + text + " }"
    for name, text in {
        "no-cors move": "return await read(fetch(service + session + '/next', { method: 'POST', mode: 'no-cors' }))",
        "no-cors move by GET": "return await read(fetch(service + session + '/next?after=0', { mode: 'no-cors' }))",
        "no-cors open": "return await read(fetch(service + '/sessions', { method: 'POST', mode: 'no-cors', "
        "body: '{\"table\":\"incident\"}' }))",
        "beacon": "navigator.sendBeacon(service + session + '/next'); return await settled()",
        "keepalive": "return await read(fetch(service + session + '/next', { method: 'POST', mode: 'no-cors', keepalive: true }))",
        "image": "return await element('img', { src: service + session + '/next?after=0' })",
        "image of a table": "return await element('img', { src: service + '/tables/incident' })",
        "image with CORS": "return await element('img', { crossOrigin: 'anonymous', src: service + session + '/next?after=0' })",
        "script": "return await element('script', { src: service + session + '/next?after=0' })",
        "module": "return await element('script', { type: 'module', src: service + session + '/next?after=0' })",
        "style sheet": "return await element('link', { rel: 'stylesheet', href: service + session + '/next?after=0' })",
        "preload": "return await element('link', { rel: 'preload', as: 'fetch', href: service + session + '/next?after=0' })",
        "video": "return await element('video', { src: service + session + '/next?after=0' })",
        "object": "return await element('object', { data: service + session + '/next?after=0' })",
        "embed": "return await element('embed', { src: service + session + '/next?after=0' })",
        "frame": "return await frame(service + session + '/next?after=0')",
        "frame of a session": "return await frame(service + session)",
        "form": "return await form(service + session + '/next', 'post', 'application/x-www-form-urlencoded', 'a', 'b')",
        "form as text": "return await form(service + '/sessions', 'post', 'text/plain', '{\"table\":\"incident\",\"query\":\"', '\"}')",
        "form with parts": "return await form(service + session + '/next', 'post', 'multipart/form-data', 'a', 'b')",
        "form by GET": "return await form(service + session + '/next', 'get', 'application/x-www-form-urlencoded', 'after', '0')",
        "events": "return await new Promise((done) => { const events = new EventSource(service + session + '/events'); "
        "events.onopen = () => done('opened'); events.onmessage = () => done('read'); "
        "events.onerror = () => { events.close(); done(null) } })",
        "socket": "return await new Promise((done) => { const socket = new WebSocket(service.replace('http', 'ws') + session + "
        "'/next?after=0'); socket.onopen = () => done('opened'); socket.onclose = () => done(null) })",
    }.items()
}
# Ways out of the page itself.
NAVIGATIONS = {
    "navigation": "(url) => { location.href = url }",
    "link": "(url) => { const link = document.createElement('a'); link.href = url; link.click() }",
    "reload by meta": "(url) => { document.head.innerHTML += `<meta http-equiv=refresh content='0;url=${url}'>` }",
}
FUNCTIONS = """
    // What a page can read of an answer, or of its beginning; null where the browser keeps it from it.
    async function read(fetched) {
        try {
            const answer = await fetched;
            if (answer.type === 'opaque') return await answer.text() || null;
            const reader = answer.body && answer.body.getReader();
            const beginning = reader ? new TextDecoder().decode((await reader.read()).value) : '';
            if (reader) await reader.cancel();
            return `${answer.status} ${beginning}`;
        } catch {
            return null;
        }
    }
    function settled() { return new Promise((done) => setTimeout(() => done(null), 300)) }
    async function element(name, attributes) {
        const element = document.createElement(name);
        const ended = new Promise((done) => {
            for (const event of ['load', 'error', 'loadeddata']) element.addEventListener(event, done);
        });
        Object.assign(element, attributes);
        document.body.append(element);
        // A few kinds of elements tell nothing of how it ended.
        await Promise.race([ended, settled()]);
        return element.naturalWidth ? 'shown' : element.duration ? 'played' : null;
    }
    function contents(frame) {
        try { return frame.contentDocument && frame.contentDocument.body.innerText || null } catch { return null }
    }
    async function frame(url) {
        const frame = document.createElement('iframe');
        const ended = new Promise((done) => frame.addEventListener('load', done));
        frame.src = url;
        document.body.append(frame);
        await ended;
        return contents(frame);
    }
    async function form(action, method, enctype, name, value) {
        const frame = document.createElement('iframe');
        frame.name = 'target' + Math.random();
        document.body.append(frame);
        const form = Object.assign(document.createElement('form'), { action, method, enctype, target: frame.name });
        const field = Object.assign(document.createElement('input'), { name, value });
        form.append(field);
        document.body.append(form);
        const ended = new Promise((done) => frame.addEventListener('load', done));
        form.submit();
        await ended;
        return contents(frame);
    }
"""


class PagesInChromium(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = Pages(("127.0.0.1", 0), Page)
        threading.Thread(target=cls.pages.serve_forever, daemon=True).start()
        served = f"127.0.0.1:{cls.pages.server_port}"
        names = f"MAP allowed.example {served}, MAP foreign.example {served}, MAP rebound.example 127.0.0.1"
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(
            executable_path=os.environ["CHROMIUM"], args=[*SWITCHES, f"--host-resolver-rules={names}"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()
        cls.pages.shutdown()

    def setUp(self):
        self.session = call("POST", "/sessions", {"table": "incident", "itemsPerPage": 2})[1]["Location"]
        self.tab = self.browser.new_page()
        self.tab.set_default_timeout(60_000)

    def tearDown(self):
        self.tab.close()
        call("DELETE", self.session)

    def go(self, origin):
        """Opens a page of that origin, without the service having a part in it."""
        if origin == REBOUND:
            self.tab.route(f"{REBOUND}/page", lambda route: route.fulfill(content_type="text/html", body="<body></body>"))
        self.tab.goto(f"{origin}/page")

    def run_in_page(self, function, *arguments):
        return self.tab.evaluate(f"async (arguments) => {{ {FUNCTIONS}; return await ({function})(...arguments) }}", arguments)

    def check_refused(self, origin, service, ways, refusal):
        """Tries each way, with the token and without, and finds nothing read and nothing changed."""
        with_token = [{}] + ([{"Authorization": f"Bearer {TOKEN}"}] if TOKEN else [])
        self.go(origin)
        before = state(self.session)
        for name, function in ways.items():
            for headers in with_token if ways is WITH_FETCH else [{}]:
                with self.subTest(name=name, origin=origin, token=bool(headers)):
                    refused = answered(refusal)
                    seen = self.run_in_page(function, service, self.session, headers)
                    if service == origin:
                        # The browser hides nothing from a page that it takes for the service's own.
                        self.assertTrue(seen is None or f'"status":{refusal}' in seen, seen)
                    else:
                        self.assertIsNone(seen)
                    self.assertEqual(state(self.session), before)
                    # The browser has not kept the request to itself.
                    deadline = time.monotonic() + 60
                    while answered(refusal) == refused and time.monotonic() < deadline:
                        time.sleep(0.01)
                    self.assertGreater(answered(refusal), refused)
        # What an element has still had under way has come, too. An element may try for ever.
        with contextlib.suppress(TimeoutError):
            self.tab.wait_for_load_state("networkidle", timeout=5000)
        self.assertEqual(state(self.session), before)

    def test_a_foreign_page_reads_nothing_and_changes_nothing(self):
        for ways in (WITH_FETCH, WITHOUT_FETCH):
            self.check_refused(FOREIGN, SERVICE, ways, 403)

    def test_nor_does_it_by_another_name_of_this_machine(self):
        self.check_refused(FOREIGN, SERVICE.replace("127.0.0.1", "localhost"), WITH_FETCH, 403)

    def test_nor_does_it_by_an_address_that_only_stands_for_this_machine(self):
        # To these a browser says nothing of where a request comes from.
        for host in ("0.0.0.0", "[::ffff:127.0.0.1]"):
            for ways in (WITH_FETCH, WITHOUT_FETCH):
                self.check_refused(FOREIGN, f"http://{host}:{PORT}", ways, 421)

    def test_nor_does_a_page_whose_own_name_points_to_the_service(self):
        for ways in (WITH_FETCH, WITHOUT_FETCH):
            self.check_refused(REBOUND, REBOUND, ways, 421)

    def test_nor_does_it_by_sending_its_user_there(self):
        for name, function in NAVIGATIONS.items():
            with self.subTest(name=name):
                before = state(self.session)
                tab = self.browser.new_page()
                tab.goto(f"{FOREIGN}/page")
                with tab.expect_response(lambda answer: "/next" in answer.url) as answer:
                    tab.evaluate(function, f"{SERVICE}{self.session}/next?after=0")
                self.assertEqual(answer.value.status, 403)
                tab.close()
                self.assertEqual(state(self.session), before)

    def test_nor_does_a_page_without_an_origin(self):
        # A sandboxed frame and a data URL have the origin null.
        for source in ("srcdoc", "src"):
            with self.subTest(source=source):
                before = state(self.session)
                self.go(ALLOWED)
                script = f"""
                    <script>
                      fetch('{SERVICE}{self.session}/next', {{ method: 'POST' }})
                        .then((answer) => answer.text(), () => null).then((text) => parent.postMessage(text, '*'))
                    </script>"""
                seen = self.tab.evaluate(
                    """([source, script]) => new Promise((done) => {
                        onmessage = (event) => done(event.data);
                        const frame = document.createElement('iframe');
                        frame.sandbox = 'allow-scripts';
                        frame[source] = source === 'src' ? 'data:text/html,' + encodeURIComponent(script) : script;
                        document.body.append(frame);
                    })""", [source, script])
                self.assertIsNone(seen)
                self.assertEqual(state(self.session), before)

    def test_a_listed_page_does_not_either_but_by_fetch(self):
        # Those are calls in the mode cors, and the handshake of a socket, which is one for a browser; it can make them by fetch.
        others = ("events", "image with CORS", "module", "socket")
        self.check_refused(
            ALLOWED, SERVICE, {name: way for name, way in WITHOUT_FETCH.items() if name not in others}, 403)

    def test_a_listed_page_can_do_everything(self):
        self.go(ALLOWED)
        authorization = {"Authorization": f"Bearer {TOKEN}"} if TOKEN else {}
        done = self.run_in_page(
            """async (service, authorization) => {
                const call = async (method, target, body, headers = {}) => {
                    const answer = await fetch(service + target, { method, headers: { ...authorization, ...headers,
                        ...(body ? { 'Content-Type': 'application/json' } : {}) }, body: body && JSON.stringify(body) });
                    const text = await answer.text();
                    return { status: answer.status, headers: Object.fromEntries(answer.headers), json: text && JSON.parse(text) };
                };
                const opened = await call('POST', '/sessions', { table: 'incident', query: 'numberENDSWITH00', itemsPerPage: 2 });
                const session = opened.headers.location;
                const events = await fetch(service + session + '/events', { headers: { ...authorization, Accept: 'text/event-stream' } });
                const first = await call('POST', session + '/next', null, { 'If-Match': '"0"' });
                const second = await call('POST', first.json.links.next);
                const reader = events.body.pipeThrough(new TextDecoderStream()).getReader();
                let stream = '';
                while (!stream.includes('id: 2')) { stream += (await reader.read()).value }
                await reader.cancel();
                return { opened, first, second, stream, eventsStatus: events.status,
                    records: await (await fetch(service + session + '/records', { headers: authorization })).text(),
                    wrong: await call('POST', '/sessions', { table: 'incident', nothing: 1 }),
                    stale: await call('POST', session + '/next?after=0', null, { Prefer: 'wait=0' }),
                    changed: await call('PATCH', session, { publisherShouldFinish: true }),
                    listed: await call('GET', '/sessions'),
                    closed: await call('DELETE', session), gone: await call('GET', session) };
            }""", SERVICE, authorization)
        self.assertEqual(done["opened"]["status"], 201)
        self.assertEqual(done["first"]["headers"]["etag"], '"1"')
        self.assertIn('rel="next"', done["first"]["headers"]["link"])
        self.assertEqual(len(done["first"]["json"]["items"]), 2)
        self.assertTrue(done["first"]["headers"]["x-request-id"])
        self.assertTrue(done["first"]["headers"]["cache-status"].startswith("paginatord"))
        self.assertEqual((done["second"]["json"]["page"], done["second"]["json"]["position"]), (2, 2))
        self.assertNotEqual(done["first"]["json"]["items"], done["second"]["json"]["items"])
        self.assertEqual(done["eventsStatus"], 200)
        self.assertIn("event: page", done["stream"])
        self.assertGreater(len(done["records"].splitlines()), 4)
        self.assertEqual((done["wrong"]["status"], done["wrong"]["json"]["type"]), (422, "/problems/invalid-parameter"))
        self.assertEqual((done["stale"]["status"], done["stale"]["json"]["position"]), (412, 2))
        self.assertTrue(done["changed"]["json"]["publisherShouldFinish"])
        self.assertEqual(done["listed"]["status"], 200)
        self.assertEqual((done["closed"]["status"], done["gone"]["status"]), (204, 410))

    @unittest.skipUnless(TOKEN, "nobody needs a token here")
    def test_a_listed_page_without_the_token_reads_why_it_may_not(self):
        self.go(ALLOWED)
        for authorization in ({}, {"Authorization": "Bearer wrong-0123456789abcdef"}):
            seen = self.run_in_page(
                """async (service, headers) => {
                    const answer = await fetch(service + '/sessions', { headers });
                    return [answer.status, answer.headers.get('WWW-Authenticate'), (await answer.json()).type];
                }""", SERVICE, authorization)
            self.assertEqual(seen, [401, 'Bearer realm="paginatord"', "/problems/authentication-required"])


if __name__ == "__main__":
    unittest.main()
