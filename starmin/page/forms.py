"""Forms as they come: fields are small, files go to the folder as they stream in."""

from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from python_multipart.multipart import MultipartParser, parse_options_header

from starmin.page.folder import Folder, PageError

_MOST = 2 << 20  # bytes of all fields together


class Form(dict[str, str]):
    """Fields by name, the last one of each; ``files`` by field, as they lie now."""

    files: dict[str, Path]
    every: list[tuple[str, str]]  # fields in order, several of a name

    def chosen(self, name: str) -> list[str]:
        """Return all values of a field that may be there several times."""
        return [value for each, value in self.every if each == name]


class _Receiver:
    """Takes the parts of a form one after the other."""

    def __init__(self, folder: Folder, allowed: Any) -> None:
        self.form = Form()
        self.form.files, self.form.every = {}, []
        self._folder, self._allowed = folder, allowed
        self._header, self._headers = b"", dict[bytes, bytes]()
        self._name, self._size = "", 0
        self._text: list[bytes] | None = None
        self._file: IO[bytes] | None = None
        self._stack = ExitStack()

    def on_part_begin(self) -> None:
        self._headers, self._header = {}, b""

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end].lower()

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        before = self._headers.get(self._header, b"")
        self._headers[self._header] = before + data[start:end]

    def on_header_end(self) -> None:
        self._header = b""

    def on_headers_finished(self) -> None:
        told = self._headers.get(b"content-disposition", b"")
        _, options = parse_options_header(told)
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        name = options.get(b"filename")
        self._text, self._file = [], None
        if name is None:
            return
        self._text = None
        if not name:
            return  # no file was chosen
        self._allowed(self.form)  # nothing is written for who has no token
        self._stack = ExitStack()
        said = name.decode("utf-8", "replace")
        self._file, target = self._stack.enter_context(self._folder.receiving(said))
        self.form.files[self._name] = target

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self._file.write(data[start:end])
        elif self._text is not None:
            self._size += end - start
            if self._size > _MOST:
                raise PageError("The form is too large.")
            self._text.append(data[start:end])

    def on_part_end(self) -> None:
        if self._file is not None:
            self._stack.close()
            self._file = None
        elif self._text is not None:
            value = b"".join(self._text).decode("utf-8", "replace")
            self.form[self._name] = value
            self.form.every.append((self._name, value))

    def fail(self, error: BaseException) -> None:
        """Leave nothing of a file that is not whole."""
        if self._file is not None:
            self._stack.__exit__(type(error), error, error.__traceback__)


async def read_form(
    content_type: str, stream: AsyncIterator[bytes], folder: Folder, allowed: Any
) -> Form:
    """Read a form; ``allowed`` is asked of its first fields before a file is written.

    A file is never held in memory, nor put elsewhere than into the folder.
    """
    kind, options = parse_options_header(content_type.encode("latin-1"))
    if kind != b"multipart/form-data":
        raise PageError("The form is of no kind that is known here.")
    receiver = _Receiver(folder, allowed)
    names = (name for name in dir(receiver) if name.startswith("on_"))
    callbacks: Any = {name: getattr(receiver, name) for name in names}
    parser = MultipartParser(options.get(b"boundary", b""), callbacks)
    try:
        async for chunk in stream:
            parser.write(chunk)
        parser.finalize()
    except BaseException as error:
        receiver.fail(error)
        raise
    return receiver.form
