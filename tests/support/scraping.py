"""What a collector sees of a dealer: its pages over HTTP, and the samples of its metrics."""

import asyncio
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families

from tests.support.service import Service

LOOPBACK = "127.0.0.1:0"


@dataclass(frozen=True)
class Page:
    """An answer over HTTP."""

    status: int
    kind: str
    text: str


async def get(port: int, path: str, method: str = "GET") -> Page:
    """Ask for a page as a collector does."""

    def ask() -> Page:
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                kind = answer.headers["Content-Type"]
                return Page(answer.status, kind, answer.read().decode())
        except urllib.error.HTTPError as error:
            return Page(error.code, error.headers["Content-Type"] or "", error.read().decode())

    return await asyncio.to_thread(ask)


class Samples:
    """The samples of one look, by name and labels."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._values = {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def get(self, name: str, **labels: str) -> float:
        """Give a sample; 0 for one that is not there."""
        return self._values.get((name, frozenset(labels.items())), 0.0)

    def all(self, name: str) -> dict[tuple[str, ...], float]:
        """Give all samples of a name, by the values of their labels."""
        return {
            tuple(value for _, value in sorted(labels)): found
            for (one, labels), found in self._values.items()
            if one == name
        }

    def labels(self) -> Iterator[str]:
        """Give every value of every label."""
        for _, labels in self._values:
            for _, value in labels:
                yield value


async def scrape(service: Service) -> Samples:
    """Look at a dealer's metrics over HTTP."""
    page = await get(service.dealer.metrics_port, "/metrics")
    assert page.status == 200, page
    return Samples(page.text)
