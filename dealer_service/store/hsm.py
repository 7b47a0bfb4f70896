"""Keys that never leave a PKCS#11 token (OASIS PKCS#11 2.40): AES-GCM seals, Ed25519 signs.

The token does the work, and the process has handles alone. A key that the token would give away
is refused. The origin that a log key is of for ever stands in its CKA_ID. A process has one login
for each token, so its keys share a session; calls may come from any thread and go one by one, as
the standard asks of whoever names no locks. When the token was gone, the session is opened anew,
and what failed is done once more. The PIN is read for each login and not kept. Errors name the key
and the kind of fault.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, TypeVar

from cryptography.exceptions import InvalidTag

from dealer_service.store.key_file import read_secret
from dealer_service.store.key_uri import KeyInToken, TokenPlace
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sealing import KEY_ID_BYTES
from dealer_service.transcript.ed25519 import SIGNATURE_BYTES, VerifyKey, verify_key
from dealer_service.transcript.refusal import TranscriptError

if TYPE_CHECKING:
    import pkcs11

T = TypeVar("T")

_TAG_BITS: Final = 128
_CHECK_NONCE: Final = bytes(12)
_CHECK: Final = b"cutcard/v1/seal-key-id"
_CURVE: Final = bytes.fromhex("06032b6570")  # id-Ed25519 (RFC 8410 3)
_POINT_HEAD: Final = b"\x04\x20"  # an OCTET STRING of 32 bytes; some tokens give them bare

_ALONE = RLock()
"""One call at a time reaches a module."""


class Token:
    """A token as this process uses it; `open_token` gives the one there is."""

    def __init__(self, place: TokenPlace) -> None:
        self._place = place
        self.pkcs11 = _load()
        self._session: Any = None
        self._found: dict[tuple[object, str], Any] = {}

    def use(self, what: str, call: Callable[["Token"], T]) -> T:
        """Do something with the token's objects; StoreError where that can not be.

        What fails is done again in a new session, and then with the module begun anew. A PIN is
        not tried a second time: a token locks itself for fewer mistakes than that.
        """
        pkcs11 = self.pkcs11
        pin_faults = (pkcs11.PinIncorrect, pkcs11.PinInvalid, pkcs11.PinLenRange, pkcs11.PinLocked)
        with _ALONE:
            steps: tuple[Callable[[], None], ...] = (self._keep, self.close, self._begin_anew)
            for prepare in steps:
                try:
                    prepare()
                    return call(self)
                except pin_faults as error:
                    raise _unreachable(what, error) from None
                except pkcs11.PKCS11Error as error:
                    fault = error
            self.close()
            raise _unreachable(what, fault) from None

    def make(self, what: str, call: Callable[[Any], T]) -> T:
        """Do something in a session that may write; StoreError where that can not be."""
        with _ALONE:
            self.close()
            try:
                return call(self._open(writable=True))
            except self.pkcs11.PKCS11Error as error:
                raise _unreachable(what, error) from None
            finally:
                self.close()

    def find(self, kind: "pkcs11.ObjectClass", label: str) -> Any:  # noqa: ANN401 - of the library
        """Give the one object of a kind and label; the library's NoSuchKey where there is none."""
        found = self._found.get((kind, label))
        if found is None:
            if self._session is None:
                self._session = self._open()
            found = self._session.get_key(object_class=kind, label=label)
            self._found[kind, label] = found
        return found

    def close(self) -> None:
        """Let the session go; the next call opens another."""
        session, self._session = self._session, None
        self._found = {}
        if session is not None:
            with suppress(self.pkcs11.PKCS11Error):
                session.close()

    def _keep(self) -> None:
        """Go on with the session there is."""

    def _begin_anew(self) -> None:
        self.close()
        self.pkcs11.lib(str(self._place.module)).reinitialize()

    def _open(self, *, writable: bool = False) -> Any:  # noqa: ANN401
        pkcs11, place = self.pkcs11, self._place
        token = pkcs11.lib(str(place.module)).get_token(
            token_label=place.token or None,
            token_serial=place.serial.encode("ascii") if place.serial else None,
        )
        pin = bytes(read_secret(place.pin, "PIN file")).decode("utf-8").rstrip("\r\n")
        try:
            return token.open(rw=writable, user_pin=pin)
        except pkcs11.UserAlreadyLoggedIn:
            # Another URI of this process names the same token.
            return token.open(rw=writable)


@dataclass(frozen=True, slots=True)
class TokenCipher:
    """A `Cipher` whose key is in a token."""

    key_id: bytes
    where: KeyInToken
    _token: Token = field(repr=False, compare=False)

    def encrypt(self, nonce: bytes, data: bytes, bound: bytes) -> bytes:
        """Give ciphertext and tag; StoreError where the token can not be reached."""
        return self._token.use(str(self.where), lambda token: self._run(token, nonce, data, bound))

    def decrypt(self, nonce: bytes, data: bytes, bound: bytes) -> bytes:
        """Give what was encrypted; InvalidTag when it was not, StoreError as above."""

        def attempt(token: Token) -> bytes:
            pkcs11 = token.pkcs11
            try:
                key = _cipher_key(token, self.where)
                return bytes(key.decrypt(data, **_gcm(pkcs11, nonce, bound)))
            except pkcs11.PKCS11Error:
                # Tokens differ in how they say that a tag is wrong: one that still gives the
                # key's ID is well, and the data is not.
                if _key_id(token, self.where) == self.key_id:
                    raise InvalidTag from None
                raise

        return self._token.use(str(self.where), attempt)

    def _run(self, token: Token, nonce: bytes, data: bytes, bound: bytes) -> bytes:
        pkcs11 = token.pkcs11
        return bytes(_cipher_key(token, self.where).encrypt(data, **_gcm(pkcs11, nonce, bound)))


@dataclass(frozen=True, slots=True)
class TokenSigner:
    """A private key of Ed25519 that is in a token."""

    public: VerifyKey
    where: KeyInToken
    _token: Token = field(repr=False, compare=False)

    def sign(self, message: bytes) -> bytes:
        """Sign (RFC 8032 5.1.6): 64 bytes, which hold; StoreError where the token gives none."""

        def attempt(token: Token) -> bytes:
            pkcs11 = token.pkcs11
            key = token.find(pkcs11.ObjectClass.PRIVATE_KEY, self.where.label)
            return bytes(key.sign(message, mechanism=pkcs11.Mechanism.EDDSA))

        signature = self._token.use(str(self.where), attempt)
        if len(signature) != SIGNATURE_BYTES or not self.public.verifies(signature, message):
            raise _wrong(self.where, "gives signatures that do not hold")
        return signature


def open_token(place: TokenPlace) -> Token:
    """Give the process's one use of a token; StoreError where the library is not installed."""
    with _ALONE:
        token = _TOKENS.get(place)
        if token is None:
            token = _TOKENS[place] = Token(place)
        return token


def open_token_cipher(where: KeyInToken) -> TokenCipher:
    """Give the cipher of an AES-256 key in a token.

    StoreError: KEY_UNREACHABLE, KEY_MALFORMED for one of another kind, KEY_EXPOSED for one that the
    token gives away.
    """
    token = open_token(where.place)

    def look(token: Token) -> tuple[int, bool, bytes]:
        pkcs11 = token.pkcs11
        key = _cipher_key(token, where)
        size = key.key_length if key.key_type is pkcs11.KeyType.AES else 0
        return size, _is_kept(pkcs11, key), _key_id(token, where) if size else b""

    size, kept, key_id = token.use(str(where), look)
    if size != 256:
        raise _wrong(where, "is no AES key of 256 bits")
    if not kept:
        raise _exposed(where)
    return TokenCipher(key_id, where, token)


def open_token_signer(where: KeyInToken) -> tuple[str, TokenSigner]:
    """Give the origin and the signer of an Ed25519 key in a token; StoreError as for a cipher."""
    token = open_token(where.place)

    def look(token: Token) -> tuple[bool, bytes, bytes]:
        pkcs11 = token.pkcs11
        private = token.find(pkcs11.ObjectClass.PRIVATE_KEY, where.label)
        public = token.find(pkcs11.ObjectClass.PUBLIC_KEY, where.label)
        attribute = pkcs11.Attribute
        return _is_kept(pkcs11, private), private[attribute.ID], public[attribute.EC_POINT]

    kept, name, point = token.use(str(where), look)
    if not kept:
        raise _exposed(where)
    try:
        signer = TokenSigner(verify_key(point.removeprefix(_POINT_HEAD)), where, token)
        return bytes(name).decode("ascii"), signer
    except (TranscriptError, UnicodeDecodeError):
        raise _wrong(where, "is no Ed25519 key with an origin as its CKA_ID") from None


def make_token_cipher(where: KeyInToken) -> TokenCipher:
    """Make an AES-256 key in a token, which never leaves it; StoreError KEY_EXISTS."""
    token = open_token(where.place)
    pkcs11 = _load()

    def generate(session: Any) -> None:  # noqa: ANN401
        _require_none(pkcs11, session, where)
        session.generate_key(
            pkcs11.KeyType.AES,
            256,
            label=where.label,
            id=b"cutcard",
            store=True,
            capabilities=pkcs11.MechanismFlag.ENCRYPT | pkcs11.MechanismFlag.DECRYPT,
            template=_kept(pkcs11),
        )

    token.make(str(where), generate)
    return open_token_cipher(where)


def make_token_signer(where: KeyInToken, origin: str) -> TokenSigner:
    """Make an origin's Ed25519 key in a token, which never leaves it; StoreError KEY_EXISTS."""
    token = open_token(where.place)
    pkcs11 = _load()

    def generate(session: Any) -> None:  # noqa: ANN401
        _require_none(pkcs11, session, where)
        curve = {pkcs11.Attribute.EC_PARAMS: _CURVE}
        session.create_domain_parameters(
            pkcs11.KeyType.EC_EDWARDS, curve, local=True
        ).generate_keypair(
            mechanism=pkcs11.Mechanism.EC_EDWARDS_KEY_PAIR_GEN,
            label=where.label,
            id=origin.encode("ascii"),
            store=True,
            capabilities=pkcs11.MechanismFlag.SIGN | pkcs11.MechanismFlag.VERIFY,
            private_template=_kept(pkcs11),
        )

    token.make(str(where), generate)
    return open_token_signer(where)[1]


_TOKENS: Final[dict[TokenPlace, Token]] = {}


def _load() -> Any:  # noqa: ANN401 - a module that may be missing
    try:
        import pkcs11  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        message = "keys in a token need the library python-pkcs11: pip install 'cutcard[hsm]'"
        raise StoreError(Reason.KEY_UNREACHABLE, message) from None
    return pkcs11


def _cipher_key(token: Token, where: KeyInToken) -> Any:  # noqa: ANN401
    return token.find(token.pkcs11.ObjectClass.SECRET_KEY, where.label)


def _key_id(token: Token, where: KeyInToken) -> bytes:
    """Give the ID that the key alone decides: a digest of what it makes of a fixed text.

    Of the block of zeros it would tell the authentication key; of this it tells nothing.
    """
    pkcs11 = token.pkcs11
    made = _cipher_key(token, where).encrypt(_CHECK, **_gcm(pkcs11, _CHECK_NONCE, _CHECK))
    return sha256(_CHECK + b"\n" + made).digest()[:KEY_ID_BYTES]


def _gcm(pkcs11: Any, nonce: bytes, bound: bytes) -> dict[str, Any]:  # noqa: ANN401
    return {
        "mechanism": pkcs11.Mechanism.AES_GCM,
        "mechanism_param": pkcs11.GCMParams(nonce, aad=bound, tag_bits=_TAG_BITS),
    }


def _kept(pkcs11: Any) -> dict[Any, bool]:  # noqa: ANN401
    return {pkcs11.Attribute.SENSITIVE: True, pkcs11.Attribute.EXTRACTABLE: False}


def _is_kept(pkcs11: Any, key: Any) -> bool:  # noqa: ANN401
    return bool(key[pkcs11.Attribute.SENSITIVE]) and not key[pkcs11.Attribute.EXTRACTABLE]


def _require_none(pkcs11: Any, session: Any, where: KeyInToken) -> None:  # noqa: ANN401
    if any(True for _ in session.get_objects({pkcs11.Attribute.LABEL: where.label})):
        message = f"the key {where} is there already, and a key is never made in its place"
        raise StoreError(Reason.KEY_EXISTS, message)


def _exposed(where: KeyInToken) -> StoreError:
    message = (
        f"the token gives the key {where} away to whoever has the PIN: it must be sensitive and "
        "not extractable, as `cutcard-dealer keys make` makes one"
    )
    return StoreError(Reason.KEY_EXPOSED, message)


def _wrong(where: KeyInToken, why: str) -> StoreError:
    return StoreError(Reason.KEY_MALFORMED, f"the key {where} {why}")


def _unreachable(what: str, error: Exception) -> StoreError:
    kind = type(error).__name__
    missing = {"NoSuchKey", "NoSuchToken"}
    hint = ": make it with `cutcard-dealer keys make`" if kind in missing else ""
    reason = Reason.KEY_MISSING if kind == "NoSuchKey" else Reason.KEY_UNREACHABLE
    return StoreError(reason, f"the key {what} can not be used ({kind}){hint}")
