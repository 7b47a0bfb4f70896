"""What numba compiles: whole hands from their hashes to their decks, without Python between.

SHA-256's compression and AES are libcrypto's, called by address; padding, keys, counters, draws
and swaps are here. All arrays are the caller's, which keeps them alive while their addresses are
in use. Every function is compiled for one shape of arguments, kept on the disk where a folder for
it can be written, and lets go of the interpreter's lock.

Words are uint32 of this machine; one of a hash's bytes is such a word with its bytes swapped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from audit_cli.rng.compiled import kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Words = NDArray[np.uint32]
    Function = Callable[..., int]  # of libcrypto, its addresses as integers

# What `derive`, `deal` and `expand` return where no hand ran out of bytes: all is done, or
# libcrypto did not do it.
DONE = -1
REFUSED = -2

_DECK = 52
_OUTER = np.uint32(0x5C5C5C5C)
_INNER = np.uint32(0x36363636)
# Of each draw (protocol 3): its n, the first byte that it drops, and a multiplier for which
# x * m >> 16 is x // n, whatever the byte.
_SIZES = np.array([*range(52, 1, -1), 13, *range(52, 1, -1), 5, 5, 2, *range(52, 1, -1)], np.uint32)
_BOUNDS = (256 - 256 % _SIZES).astype(np.uint32)
_INVERSES = (65536 // _SIZES + 1).astype(np.uint32)
_FIRST_CUT = 51
_SECOND_CUT = 103
_ONE = np.uint64(1)

# Rows of `states`, eight words each: where hashes go on from.
_INNER_KEY = 0
_OUTER_KEY = 1
_START = 2

# Rows of a laboratory's messages, and of `states` behind the first block of the first two.
_SECRET = 0
_COMMITMENT = 1
_MIX = 2

# Rows of `blocks`, of 64 bytes each as they are hashed, with their padding in place. The first two
# are the key blocks of the same rows of `states`.
_DIGEST = 2  # 32 bytes behind a key block
_FIRST = 3
_SECOND = 4


@kept
def _swapped(word: np.uint32) -> np.uint32:
    return np.uint32(
        (word << np.uint32(24))
        | ((word & np.uint32(0xFF00)) << np.uint32(8))
        | ((word >> np.uint32(8)) & np.uint32(0xFF00))
        | (word >> np.uint32(24))
    )


@kept
def _hash_on(transform: Function, state: Words, states: Words, row: int, block: int) -> None:
    """Put what a row of `states` and the block at an address give into `state`."""
    for word in range(8):
        state[word] = states[row, word]
    transform(state.ctypes.data, block)


@kept
def _keep(state: Words, states: Words, row: int) -> None:
    for word in range(8):
        states[row, word] = state[word]


@kept
def _keyed(transform: Function, state: Words, states: Words, blocks: Words, row: int) -> None:
    """HMAC of the message in a row of `blocks`, by the key in `states`; its hash in `state`."""
    at = blocks.ctypes.data
    _hash_on(transform, state, states, _INNER_KEY, at + 64 * row)
    for word in range(8):
        blocks[_DIGEST, word] = _swapped(state[word])
    _hash_on(transform, state, states, _OUTER_KEY, at + 64 * _DIGEST)


@kept
def _take_key(transform: Function, state: Words, states: Words, blocks: Words) -> None:
    """Put what is behind the two key blocks of HMAC (RFC 2104) into `states`."""
    for row in range(2):
        _hash_on(transform, state, states, _START, blocks.ctypes.data + 64 * row)
        _keep(state, states, row)


@kept
def _seed(  # noqa: PLR0913, PLR0917  (compiled code has arguments in place of an object)
    transform: Function,
    state: Words,
    states: Words,
    blocks: Words,
    secrets: Words,
    mixes: Words,
    hand: int,
    seed: Words,
) -> None:
    """HKDF(hand_secret, mix, F("cutcard/v1/deck"), 48) of a hand, into 12 words."""
    for word in range(8):
        blocks[_INNER_KEY, word] = mixes[hand, word] ^ _INNER
        blocks[_OUTER_KEY, word] = mixes[hand, word] ^ _OUTER
        blocks[_DIGEST, word] = secrets[hand, word]
    _take_key(transform, state, states, blocks)
    _keyed(transform, state, states, blocks, _DIGEST)
    for word in range(8):
        key = _swapped(state[word])
        blocks[_INNER_KEY, word] = key ^ _INNER
        blocks[_OUTER_KEY, word] = key ^ _OUTER
    _take_key(transform, state, states, blocks)
    _keyed(transform, state, states, blocks, _FIRST)
    for word in range(8):
        seed[word] = _swapped(state[word])
        blocks[_SECOND, word] = seed[word]
    _keyed(transform, state, states, blocks, _SECOND)
    for word in range(4):
        seed[8 + word] = _swapped(state[word])


@kept
def _open_stream(init: Function, context: int, seed: Words, zero_blocks: Words) -> bool:
    """Instantiate, and set the key stream to its counter V + 1, all 128 bits counting."""
    for word in range(12):
        seed[word] ^= zero_blocks[word]
    for word in range(11, 7, -1):
        more = _swapped(seed[word]) + np.uint32(1)
        seed[word] = _swapped(np.uint32(more))
        if seed[word] != 0:
            break
    at = seed.ctypes.data
    return init(context, 0, 0, at, at + 32) == 1


@kept
def _draw(stream: Bytes, length: int, draws: Bytes, hand: int) -> int:
    """Take all draws of a hand (protocol 3, step 2); returns the bytes used or -1."""
    at = np.uint64(0)
    end = np.uint64(length)
    for draw in range(len(_SIZES)):
        while True:
            if at >= end:
                return -1
            x = np.uint32(stream[at])
            at = np.uint64(at + _ONE)
            if x < _BOUNDS[draw]:
                break
        draws[hand, draw] = x - _SIZES[draw] * ((x * _INVERSES[draw]) >> np.uint32(16))
    return int(np.int64(at))


@kept
def _shuffle(decks: Bytes, draws: Bytes, hand: int, first: int) -> None:
    """Shuffle a deck in place (protocol 3, step 3) by 51 draws from `first` on."""
    for draw in range(_DECK - 1):
        i = np.uint64(_DECK - 1 - draw)
        j = np.uint64(draws[hand, first + draw])
        card = decks[hand, i]
        decks[hand, i] = decks[hand, j]
        decks[hand, j] = card


@kept
def _turn(decks: Bytes, hand: int, twice: Bytes, cut: int) -> None:
    """Put the first `cut` cards under the rest."""
    for place in range(_DECK):
        twice[place] = decks[hand, place]
        twice[_DECK + place] = decks[hand, place]
    for place in range(_DECK):
        decks[hand, place] = twice[place + cut]


@kept
def _deal(  # noqa: PLR0913, PLR0917  (compiled code has arguments in place of an object)
    stream: Bytes, length: int, decks: Bytes, draws: Bytes, hand: int, twice: Bytes
) -> int:
    """Deal by the whole ceremony (protocol 3, step 4); returns the bytes used or -1."""
    used = _draw(stream, length, draws, hand)
    if used < 0:
        return -1
    for card in range(_DECK):
        decks[hand, card] = card
    _shuffle(decks, draws, hand, 0)
    _turn(decks, hand, twice, 20 + int(draws[hand, _FIRST_CUT]))
    _shuffle(decks, draws, hand, _FIRST_CUT + 1)
    cut = 15 + int(draws[hand, _SECOND_CUT])
    if draws[hand, _SECOND_CUT + 2] == 1:
        cut += 15 + int(draws[hand, _SECOND_CUT + 1])
    _turn(decks, hand, twice, cut)
    _shuffle(decks, draws, hand, _SECOND_CUT + 3)
    return used


@kept
def deal(streams: Bytes, twice: Bytes, decks: Bytes, draws: Bytes, used: NDArray[np.uint16]) -> int:
    """Deal every hand from its stream; returns DONE, or the first hand that had too few bytes."""
    for hand in range(len(streams)):
        end = _deal(streams[hand], streams.shape[1], decks, draws, hand, twice)
        if end < 0:
            return hand
        used[hand] = end
    return DONE


@kept
def expand(  # noqa: PLR0913, PLR0917  (compiled code has arguments in place of an object)
    init: Function,
    update: Function,
    context: int,
    seeds: Words,
    zero_blocks: Words,
    zeros: Bytes,
    length: NDArray[np.int32],
    streams: Bytes,
) -> int:
    """Write the stream of every seed; the seeds, 12 words each, are overwritten."""
    for hand in range(len(seeds)):
        into = streams[hand].ctypes.data
        if not _open_stream(init, context, seeds[hand], zero_blocks) or (
            update(context, into, length.ctypes.data, zeros.ctypes.data, len(zeros)) != 1
        ):
            return REFUSED
    return DONE


@kept
def derive(  # noqa: PLR0913, PLR0917  (compiled code has arguments in place of an object)
    transform: Function,
    init: Function,
    update: Function,
    context: int,
    state: Words,
    states: Words,
    blocks: Words,
    seed: Words,
    zero_blocks: Words,
    zeros: Bytes,
    length: NDArray[np.int32],
    stream: Bytes,
    twice: Bytes,
    first_bytes: int,
    secrets: Words,
    mixes: Words,
    decks: Bytes,
    draws: Bytes,
    used: NDArray[np.uint16],
    streams: Bytes,
) -> int:
    """Derive every hand; its whole stream is made where `streams` has a row for each.

    Else only the `first_bytes` are, and all that `zeros` has room for where they are too few.
    Returns DONE, REFUSED, or the first hand that ran out of bytes.
    """
    keep = len(streams) > 0
    whole = len(zeros)
    made = whole if keep else first_bytes
    zero, out = zeros.ctypes.data, length.ctypes.data
    for hand in range(len(secrets)):
        row = streams[hand] if keep else stream
        into = row.ctypes.data
        _seed(transform, state, states, blocks, secrets, mixes, hand, seed)
        if not _open_stream(init, context, seed, zero_blocks):
            return REFUSED
        if update(context, into, out, zero, made) != 1:
            return REFUSED
        end = _deal(row, made, decks, draws, hand, twice)
        if end < 0 and made < whole:
            if update(context, into + made, out, zero, whole - made) != 1:
                return REFUSED
            end = _deal(row, whole, decks, draws, hand, twice)
        if end < 0:
            return hand
        used[hand] = end
    return DONE


@kept
def _number(messages: Bytes, row: int, at: int, number: int) -> None:
    """Write u64(number) at a place."""
    for byte in range(8):
        messages[row, at + byte] = (number >> (56 - 8 * byte)) & 255


@kept
def _write(state: Words, messages: Bytes, row: int, at: int) -> None:
    """Write the hash that a state stands for at a place."""
    for word in range(8):
        for byte in range(4):
            messages[row, at + 4 * word + byte] = (state[word] >> np.uint32(24 - 8 * byte)) & (
                np.uint32(255)
            )


@kept
def lab(  # noqa: PLR0913, PLR0917  (compiled code has arguments in place of an object)
    transform: Function,
    state: Words,
    states: Words,
    messages: Bytes,
    first: int,
    secrets: Words,
    mixes: Words,
) -> None:
    """Write the hand secret and the mix of every hand of a laboratory's run, from `first` on.

    `messages` are those of the secret, the commitment and the mix, (3, 128), padded. A first block
    that stays is hashed once: that of the secret for 65,536 hands (six of the number's eight
    bytes), that of the commitment for 256.
    """
    at = messages.ctypes.data
    for hand in range(len(secrets)):
        index = first + hand
        number = index + 1
        _number(messages, _SECRET, 58, index)
        _number(messages, _COMMITMENT, 57, number)
        _number(messages, _MIX, 49, number)
        if hand == 0 or index & 0xFFFF == 0:
            _hash_on(transform, state, states, _START, at)
            _keep(state, states, _SECRET)
        if hand == 0 or number & 0xFF == 0:
            _hash_on(transform, state, states, _START, at + 128)
            _keep(state, states, _COMMITMENT)
        _hash_on(transform, state, states, _SECRET, at + 64)
        for word in range(8):
            secrets[hand, word] = _swapped(state[word])
        _write(state, messages, _COMMITMENT, 69)
        _hash_on(transform, state, states, _COMMITMENT, at + 192)
        _write(state, messages, _MIX, 61)
        _hash_on(transform, state, states, _START, at + 256)
        transform(state.ctypes.data, at + 320)
        for word in range(8):
            mixes[hand, word] = _swapped(state[word])
