"""A post ends at its deadline, whatever the other side does, and its answer is bounded."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest

from dealer_service.publishing.posting import (
    MAX_ANSWER_BYTES,
    Answer,
    Post,
    Unanswered,
    parse_prefix,
)

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


@asynccontextmanager
async def posting_to(serve: Serve) -> AsyncIterator[Post]:
    """Give what posts to a server that speaks as a test has it."""
    ended: list[asyncio.StreamWriter] = []

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ended.append(writer)
        try:
            await serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(speak, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with ThreadPoolExecutor(1) as executor:
        post = Post(
            parse_prefix(f"http://127.0.0.1:{port}/a/b/"), ssl.create_default_context(), executor
        )
        try:
            yield post
        finally:
            post.close()
            for writer in ended:
                writer.close()
            server.close()


async def read_request(reader: asyncio.StreamReader) -> bytes:
    """Read a request with a body of four bytes."""
    head = await reader.readuntil(b"\r\n\r\n")
    return head + await reader.readexactly(4)


async def send(post: Post, seconds: float = 30.0) -> Answer:
    return await asyncio.wait_for(post.send("/path", b"body", seconds), 60)


async def test_the_path_stands_below_the_prefix() -> None:
    asked = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await read_request(reader))
        writer.write(HEAD + b"Content-Length: 3\r\n\r\nyes")
        await writer.drain()

    async with posting_to(serve) as post:
        assert await send(post) == Answer(200, "text/plain", b"yes")
    assert asked[0].startswith(b"POST /a/b/path HTTP/1.1\r\n")
    assert asked[0].endswith(b"\r\n\r\nbody")


async def test_an_answer_without_an_end_is_ended_by_the_deadline() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(HEAD + b"Content-Length: 1000\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.01)

    async with posting_to(serve) as post:
        with pytest.raises(Unanswered, match="no whole answer in time"):
            await send(post, 0.2)


async def test_so_is_one_that_ends_its_connection() -> None:
    whole = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(HEAD + b"Connection: close\r\n\r\n")
        for _ in range(2000):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.01)
        whole.set()

    async with posting_to(serve) as post:
        with pytest.raises(Unanswered, match="no whole answer in time"):
            await send(post, 0.2)
        assert not whole.is_set()


async def test_so_are_headers_that_trickle() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(HEAD)
        while True:
            writer.write(b"X-More: 1\r\n"[:1])
            await writer.drain()
            await asyncio.sleep(0.01)

    async with posting_to(serve) as post:
        with pytest.raises(Unanswered, match="no whole answer in time"):
            await send(post, 0.2)


async def test_the_next_post_after_one_that_was_late_is_answered() -> None:
    turns = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal turns
        turns += 1
        await read_request(reader)
        if turns == 1:
            await reader.read()
        writer.write(HEAD + b"Content-Length: 0\r\n\r\n")
        await writer.drain()

    async with posting_to(serve) as post:
        with pytest.raises(Unanswered):
            await send(post, 0.1)
        assert (await send(post)).status == 200


@pytest.mark.parametrize("length", [True, False])
async def test_an_answer_is_bounded(length: bool) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        size = MAX_ANSWER_BYTES + 1
        writer.write(HEAD + (b"Content-Length: %d\r\n\r\n" % size if length else b"\r\n"))
        writer.write(b"x" * size)
        await writer.drain()

    async with posting_to(serve) as post:
        with pytest.raises(Unanswered, match="longer than 65536 bytes"):
            await send(post)


@pytest.mark.parametrize(
    "said", [b"", b"what?\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"]
)
async def test_what_is_no_answer_is_none(said: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(said)
        await writer.drain()

    async with posting_to(serve) as post:
        with pytest.raises(Unanswered):
            await send(post)


async def test_one_that_nobody_waits_for_any_more_is_ended() -> None:
    came = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        came.set()
        await reader.read()
        writer.write(HEAD)

    async with posting_to(serve) as post:
        sending = asyncio.ensure_future(post.send("/path", b"body", 1000))
        await came.wait()
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(sending, 60)


async def test_where_nobody_listens_there_is_no_answer() -> None:
    async def serve(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        raise AssertionError

    async with posting_to(serve) as post:
        closed = Post(parse_prefix("http://127.0.0.1:1"), post._context, post._executor)
        with pytest.raises(Unanswered, match="refused"):
            await send(closed)
