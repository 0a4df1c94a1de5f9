"""The server: what comes in is checked, what goes out is a step, a part or a file."""

import asyncio
import json
import secrets
import socket
import time
from collections.abc import AsyncIterator, Callable, Mapping
from functools import cache
from importlib.metadata import version as version_of
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import uvicorn
from jinja2 import Environment
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from starmin.page.folder import Folder, PageError
from starmin.page.forms import Form, read_form
from starmin.page.parts import FILTERS, PARTS, beside_of, picture
from starmin.page.session import Session
from starmin.page.steps import BY_NAME, STEPS, Step, after, fill_broader, fill_columns
from starmin.recipes.edit import EditError
from starmin.report.page import environment

HOST = "127.0.0.1"
REFUSED = PageError, EditError  # what is said in one sentence
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Of reports: their own policy stands in them; they are nobody's of this address.
_POLICY_OF_FILES = "sandbox allow-scripts; frame-ancestors 'none'; base-uri 'none'"
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_LOOK = 0.2  # seconds between two looks at a search
_OLDER = (
    "The settings were changed in another tab after this page was shown. They are "
    "shown now as they are; choose again what you chose here."
)
_CHANGING = "POST", "PUT", "PATCH", "DELETE"


class Guard:
    """Refuses what does not come from the page itself, before anything is read."""

    def __init__(self, app: ASGIApp, page: "Page") -> None:
        self._app, self._page = app, page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refused(request)
        if refused is not None:
            await refused(scope, receive, guarded)
        else:
            await self._app(scope, receive, guarded)

    def _refused(self, request: Request) -> Response | None:
        page, host = self._page, request.headers.getlist("host")
        if len(host) != 1 or host[0] not in page.hosts:
            return _refusal("This host is not known here.")
        origin = request.headers.get("origin")
        if origin is not None and origin not in {f"http://{h}" for h in page.hosts}:
            return _refusal("Other pages cannot ask here.")
        site = request.headers.get("sec-fetch-site")
        if request.method in _CHANGING and site in ("cross-site", "same-site"):
            return _refusal("Other pages cannot ask here.")
        if _same(request.cookies.get(page.cookie, ""), page.key):
            return None
        token = request.query_params.get("token", "")
        if request.method == "GET" and page.admits(token):
            to = RedirectResponse(request.url.path, 303)
            to.set_cookie(page.cookie, page.key, httponly=True, samesite="strict")
            return to
        return _refusal(
            "Open the address that `starmin page` printed: it works once, in one "
            "browser. If it was used already, start `starmin page` again."
        )


class Page:
    """The steps of one folder for one browser."""

    def __init__(self, folder: Folder, port: int) -> None:
        self.session = Session(folder)
        self.hosts = {f"{HOST}:{port}", f"localhost:{port}"}
        self.cookie = f"starmin_{port}"
        self.key, self.form_token = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self._token: str | None = secrets.token_urlsafe(32)
        self.address = f"http://{HOST}:{port}/?token={self._token}"
        self.close: Callable[[], None] = lambda: None
        self._turn = asyncio.Lock()
        self._receiving = False

    def admits(self, token: str) -> bool:
        """Check the token of the address that was printed, which is good once."""
        right = self._token is not None and _same(token, self._token)
        self._token = None if right else self._token
        return right

    async def start(self, request: Request) -> Response:
        """Go to the step that was open."""
        name = self.session.folder.state.get("step", "table")
        return RedirectResponse(f"/{name if name in BY_NAME else 'table'}", 303)

    async def show(self, request: Request) -> Response:
        """Show a step."""
        step = BY_NAME[request.url.path.strip("/")]
        self.session.folder.remember(step=step.name)
        query = dict(request.query_params)
        return await run_in_threadpool(self._shown, step, query)

    def _shown(
        self, step: Step, query: Mapping[str, str], error: str = ""
    ) -> HTMLResponse:
        context: dict[str, Any] = {"broken": False}
        try:
            context |= step.show(self.session, query)
        except REFUSED as refused:
            error = error or str(refused)
            context |= {"broken": True, "command": "starmin page"}
        context["beside"] = beside_of(self.session)
        context |= {"step": step, "error": error, "form_token": self.form_token}
        template = _environment().get_template(f"{step.name}.html")
        text = template.render(session=self.session, **context)
        return HTMLResponse(text, 400 if error and not context["broken"] else 200)

    async def part(self, request: Request) -> Response:
        """Show a part of a step for which a command has to run."""
        name, query = request.path_params["name"], dict(request.query_params)
        if name not in PARTS:
            return _refusal("There is no such part.", 404)
        template = _environment().get_template(f"part_{name}.html")

        def made() -> str:
            found = _or_error(lambda: {"error": "", **PARTS[name](self.session, query)})
            return template.render(session=self.session, **found)

        return HTMLResponse(await run_in_threadpool(made))

    async def file(self, request: Request) -> Response:
        """Send a file of a version: one of those that its list has; 0: on the risk."""
        number, what = request.path_params["number"], request.path_params["what"]
        version = self.session.folder.version(number)
        path = None if version is None else version.file(what)
        if (number, what) == (0, "risk"):
            path = self.session.folder.path / "risk.html"
        if path is None or path.is_symlink() or not path.is_file():
            return _refusal("There is no such file.", 404)
        return _sent(path, self.session.name)

    async def static(self, request: Request) -> Response:
        """Send the style or the script."""
        name = request.path_params["name"]
        kinds = {"page.css": "text/css", "page.js": "text/javascript"}
        if name not in kinds:
            return _refusal("There is no such file.", 404)
        return Response(_static(name), media_type=kinds[name])

    async def events(self, request: Request) -> Response:
        """Tell of a search as it goes on."""
        return StreamingResponse(self._told(), media_type="text/event-stream")

    async def _told(self) -> AsyncIterator[str]:
        yield "retry: 1000\n\n"  # milliseconds: it asks again when nothing runs
        before = ""
        while True:
            search, running = self.session.commands.search, self.session.commands.busy
            last = None if running else self.session.folder.version()
            told = {
                "running": running,
                "points": search.points[-400:] if search else [],
                "runs": last.number if last else 0,
                "seconds": int(time.monotonic() - search.started) if search else 0,
            }
            text = json.dumps(told)
            if text != before:
                yield f"data: {text}\n\n"
                before = text
            if not running:
                return
            await asyncio.sleep(_LOOK)

    def _allowed(self, form: Form) -> None:
        if not _same(form.get("token", ""), self.form_token):
            raise PageError("This form is not of this page: load the page again.")

    async def _form(self, request: Request) -> Form:
        kind = request.headers.get("content-type", "")
        form = await read_form(
            kind, request.stream(), self.session.folder, self._allowed
        )
        self._allowed(form)
        return form

    async def take(self, request: Request) -> Response:
        """Take the form of a step."""
        step = BY_NAME[request.url.path.strip("/")]
        told = request.headers.get("content-length", "")
        large = not told.isdigit() or int(told) > 1 << 20
        if large and self._receiving:
            return _refusal("A file is being received: wait until it is there.", 409)
        self._receiving = self._receiving or large
        try:
            form = await self._form(request)
        finally:
            self._receiving = self._receiving and not large
        async with self._turn:
            try:
                seen = self.session.seen
                if form.get("do") != "stop" and form.get("seen", seen) != seen:
                    raise PageError(_OLDER)
                to = await run_in_threadpool(step.take, self.session, form)
            except REFUSED as refused:
                query, said = dict(request.query_params), str(refused)
                return await run_in_threadpool(self._shown, step, query, said)
        if form.get("do") == "next":
            to = after(step.name)
        return RedirectResponse(to or f"/{step.name}", 303)

    async def alone(self, request: Request) -> Response:
        """Say how many people stand alone by a form that is not saved."""
        form = await self._form(request)
        fill = fill_broader if form.get("step") == "broader" else fill_columns
        return await _json(lambda: self.session.alone(fill(self.session, form)))

    async def now(self, request: Request) -> Response:
        """Say how many people stand alone by the settings as they are."""
        return await _json(self.session.alone)

    async def end(self, request: Request) -> Response:
        """Close starmin: a search keeps the best that it has."""
        await self._form(request)
        self.close()
        template = _environment().get_template("closed.html")
        return HTMLResponse(template.render(folder=str(self.session.folder.path)))

    def app(self) -> Starlette:
        """Return the application."""
        return Starlette(
            routes=[
                *(Route(f"/{s.name}", self.show, methods=["GET"]) for s in STEPS),
                *(Route(f"/{s.name}", self.take, methods=["POST"]) for s in STEPS),
                Route("/", self.start),
                Route("/part/{name}", self.part),
                Route("/files/{number:int}/{what}", self.file),
                Route("/static/{name}", self.static),
                Route("/events", self.events),
                Route("/alone", self.alone, methods=["POST"]),
                Route("/now", self.now),
                Route("/close", self.end, methods=["POST"]),
            ],
            middleware=[Middleware(Guard, page=self)],
            exception_handlers=dict.fromkeys((*REFUSED, ClientDisconnect), _refused),
        )


def _same(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode(), secret.encode())


def _refusal(why: str, code: int = 403) -> Response:
    return PlainTextResponse(why, code)


async def _refused(request: Request, error: Exception) -> Response:
    return _refusal(str(error))


def _or_error(answer: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return answer()
    except REFUSED as refused:
        return {"error": str(refused)}


async def _json(answer: Callable[[], dict[str, Any]]) -> Response:
    return JSONResponse(await run_in_threadpool(_or_error, answer))


def _sent(path: Path, table: str) -> Response:
    """Send a file; a page is shown, all else is kept under the name of the table."""
    headers = {"content-security-policy": _POLICY_OF_FILES}
    if path.suffix == ".html":
        return FileResponse(path, media_type="text/html", headers=headers)
    stem = table.replace("instance:", "").partition(".")[0] or "table"
    name = f"{stem}.{path.name}"
    said = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return FileResponse(
        path,
        media_type="application/octet-stream",
        headers={**headers, "content-disposition": said},
    )


@cache
def _environment() -> Environment:
    made = environment("starmin.page")
    made.filters.update(FILTERS)
    made.globals |= {"picture": picture, "steps": STEPS}
    made.globals["starmin_version"] = version_of("starmin")
    return made


@cache
def _static(name: str) -> str:
    """Return the style, which begins with that of reports, or the script."""
    own = files("starmin.page").joinpath("templates", name).read_text("utf-8")
    if not name.endswith(".css"):
        return own
    report = files("starmin.report").joinpath("templates", "style.css")
    return report.read_text("utf-8") + own


def serve(
    page_of: Callable[[int], Page], port: int, opened: Callable[[str], None]
) -> None:
    """Serve a page on this machine alone, until it is closed."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port))
            listening.listen()  # before the address is told
        except OSError as error:
            raise PageError(f"--port {port}: {error.strerror}; name another") from None
        page = page_of(listening.getsockname()[1])
        config = uvicorn.Config(
            page.app(),
            log_level="error",
            access_log=False,
            lifespan="off",
            proxy_headers=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=2,
        )
        server = uvicorn.Server(config)

        def close() -> None:
            server.should_exit = True

        page.close = close
        try:
            opened(page.address)
            server.run(sockets=[listening])
        finally:
            page.session.commands.end()
            page.session.folder.release_lock()
