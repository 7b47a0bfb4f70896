"""Which engine a command line gets, and what it is told where it can not have it."""

import errno
import importlib
import os
import sys
import types
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from audit_cli import rng
from audit_cli.inputs import UsageError
from audit_cli.rng import engines
from audit_cli.rng.arguments import ENGINES
from audit_cli.rng.engines import choose, libcrypto
from audit_cli.rng.engines.native import LibcryptoError, Native


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """No test is told what another one found."""
    choose._native.cache_clear()
    yield
    choose._native.cache_clear()


def test_every_engine_of_the_command_line_is_there() -> None:
    names = {name: choose.engine(name).name for name in ENGINES}
    assert names == {"auto": "numba", "plain": "plain", "numpy": "numpy", "numba": "numba"}


def test_an_engine_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no engine cuda"):
        choose.engine("cuda")


def test_without_numba_the_fastest_is_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    for package, name in ((engines, "native"), (engines, "kernels"), (rng, "compiled")):
        monkeypatch.delitem(sys.modules, f"{package.__name__}.{name}")
        monkeypatch.delattr(package, name)
    assert choose.engine("auto").name == "numpy"
    with pytest.raises(UsageError, match="can not import numba") as refusal:
        choose.engine("numba")
    assert "cutcard[fast]" in refusal.value.hint


def test_without_libcrypto_the_fastest_is_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libcrypto, "load", lambda: None)
    assert choose.engine("auto").name == "numpy"
    with pytest.raises(UsageError, match="calls libcrypto, and this machine has none"):
        choose.engine("numba")
    with pytest.raises(LibcryptoError, match="there is no libcrypto"):
        Native().lab(bytes(32), 0, 1)


def test_a_libcrypto_that_hashes_otherwise_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Native.lab

    def other(engine: Native, secret: bytes, first: int, count: int) -> object:
        hands = honest(engine, secret, first, count)
        return replace(hands, decks=np.roll(hands.decks, 1, axis=1))

    monkeypatch.setattr(Native, "lab", other)
    assert choose.engine("auto").name == "numpy"
    with pytest.raises(UsageError, match="deals other decks with this machine's OpenSSL"):
        choose.engine("numba")


def test_a_disk_without_room_for_what_is_compiled_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> object:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Native, "lab", full)
    assert choose.engine("auto").name == "numpy"
    with pytest.raises(UsageError, match="can not keep what it compiles: no space left"):
        choose.engine("numba")


def test_any_libcrypto_of_the_machine_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where hashlib is not linked with one, the system's own is looked for by its names."""
    monkeypatch.setattr(importlib, "import_module", types.ModuleType)
    libcrypto.load.cache_clear()
    try:
        name = "numpy" if libcrypto.load() is None else "numba"
        assert choose.engine("auto").name == name
    finally:
        libcrypto.load.cache_clear()


def test_a_refusal_of_libcrypto_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    library = libcrypto.load()
    assert library is not None
    deaf = replace(library, aes_256_ctr=0)
    monkeypatch.setattr(libcrypto, "load", lambda: deaf)
    with pytest.raises(LibcryptoError, match="refused to make a key stream"):
        Native().lab(bytes(32), 0, 1)
