"""What all calls share: keys, retries, idempotency, errors; and the checks of sessions and webhooks. Standard library only."""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import random
import re
import secrets
import threading
import time
from dataclasses import KW_ONLY, dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse, IncompleteRead
from typing import Any, Mapping, Optional, Sequence, TypedDict
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPErrorProcessor, Request, build_opener

from .models import ErrorType
from .operations import OPERATIONS

__all__ = ["OMIT", "ApiError", "CallOptions", "NetworkError"]
__all__ += ["InvalidJwt", "InvalidWebhook", "KeysUnavailable", "SessionVerifier", "verify_webhook"]

OMIT: Any = type("Omit", (), {"__repr__": lambda self: "OMIT"})()
"""A field that is not sent. `None` is sent as null."""


class CallOptions(TypedDict, total=False):
    """Options of one call. A key of your own makes it repeatable after a restart; all attempts have `timeout` seconds."""

    idempotency_key: str
    timeout: float
    headers: Mapping[str, str]


class ApiError(Exception):
    """An error response. Branch on `error_type`, which is stable; the texts may change."""

    def __init__(self, status: int, problem: Mapping[str, Any], headers: Mapping[str, str]):
        super().__init__(problem.get("error_message") or f"The service answered {status} without a problem document.")
        self.status, self.problem = status, problem
        self.error_type: Optional[ErrorType] = problem.get("error_type")
        self.request_id: Optional[str] = problem.get("request_id") or headers.get("X-Request-Id")
        self.fields: Sequence[Mapping[str, str]] = problem.get("errors", [])


class NetworkError(Exception):
    """No whole response came: the service may have carried out the call or not. The cause of a late one is a `TimeoutError`."""


class _EveryResponse(HTTPErrorProcessor):
    """Follows no redirect, which would get the body, and with it codes. Raises for no status."""

    def http_response(self, _request: Any, response: Any) -> Any:
        return response

    https_response = http_response


@dataclass(repr=False, eq=False)
class Transport:
    """Sends calls by name. Repeats a call where that is safe, with the same bytes."""

    base_url: str
    _: KW_ONLY
    secret_key: Optional[str] = None
    public_token: Optional[str] = None
    management_key: Optional[str] = None
    attempts: int = 4
    timeout: float = 60.0
    _opener = build_opener(_EveryResponse)

    def call(
        self, name: str, ids: Sequence[str] = (), fields: Optional[Mapping[str, Any]] = None, options: Optional[CallOptions] = None
    ) -> Any:
        """The data of a call by its name, such as `users.create`. Raises `ApiError` and `NetworkError`."""
        method, path, key_name = OPERATIONS[name]
        # Proxies remove dots: `keys.revoke(app, "..")` would delete the app.
        if any(re.fullmatch(r"(\.|%2e)*", value, re.I) for value in ids):
            raise TypeError(f"{name} needs ids.")
        url = self.base_url.rstrip("/") + path % tuple(quote(value, safe="") for value in ids)
        given = {field: value for field, value in (fields or {}).items() if value is not OMIT}
        options = options or {}
        headers, body, key = {"Accept": "application/json"}, None, getattr(self, key_name, None)
        if key and key_name == "public_token":
            given.setdefault(key_name, key)
        elif key:
            headers["Authorization"] = f"Bearer {key}"
        if given and method == "GET":
            words = {field: str(value).lower() if isinstance(value, bool) else value for field, value in given.items()}
            url += "?" + urlencode({field: value for field, value in words.items() if value is not None})
        elif given:
            headers["Content-Type"], body = "application/json", json.dumps(given).encode()
        if method == "POST":
            headers["Idempotency-Key"] = options.get("idempotency_key") or secrets.token_hex(16)
        headers.update(options.get("headers", {}))
        return self._send(Request(url, body, headers, method=method), options.get("timeout", self.timeout))

    def _send(self, request: Request, timeout: float) -> Any:
        deadline = time.monotonic() + timeout
        for attempt in itertools.count(1):
            pause = random.random() * min(5.0, 0.2 * 2**attempt)
            try:
                with self._opener.open(request, timeout=max(deadline - time.monotonic(), 0.001)) as response:
                    text = _read(response, deadline)
            except (OSError, HTTPException) as error:
                failure: Exception = NetworkError(f"{request.method} {urlsplit(request.full_url).path} got no whole response.")
                failure.__cause__ = error.reason if isinstance(getattr(error, "reason", None), OSError) else error
                # PUT and PATCH are not repeated: another caller may have changed the same fields between two attempts.
                is_repeatable = request.method not in ("PUT", "PATCH")
            else:
                if response.status == 200:
                    return json.loads(text)
                failure = ApiError(response.status, _problem(text), response.headers)
                wait = _seconds(response.headers.get("Retry-After", ""))
                is_repeatable = response.status in (429, 503) and wait is not None
                pause += max(wait or 0.0, 0.0)
            if not is_repeatable or attempt >= self.attempts or time.monotonic() + pause >= deadline:
                raise failure
            time.sleep(pause)


def _read(response: HTTPResponse, deadline: float) -> bytes:
    """The time limit of a socket is for each piece, which may be a byte."""
    pieces = []
    while piece := response.read1():
        pieces.append(piece)
        if time.monotonic() > deadline:
            raise TimeoutError("The response took too long.")
    if response.length:
        raise IncompleteRead(b"".join(pieces), response.length)
    return b"".join(pieces)


def _problem(text: bytes) -> Mapping[str, Any]:
    """Empty if the response is not of the service, for instance of a proxy in front of it."""
    try:
        problem = json.loads(text)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) and isinstance(problem.get("error_type"), str) else {}


def _seconds(text: str) -> Optional[float]:
    """What `Retry-After` says, as a number or as a date."""
    try:
        return float(text) if text.isdigit() else parsedate_to_datetime(text).timestamp() - time.time()
    except ValueError:
        return None


class InvalidJwt(Exception):
    """Answer 401: the text is no valid session JWT of the app."""


class KeysUnavailable(Exception):
    """Answer 503: the keys could not be fetched, so the JWT was not checked."""


class SessionVerifier:
    """Verifies session JWTs offline, by the keys that the app publishes. Keep one per process."""

    KEYS_LIVE, FETCH_PAUSE, KEYS_STALE, TOLERANCE = 300.0, 30.0, 3600.0, 5.0

    def __init__(self, base_url: str, app_id: str):
        self._transport, self._app_id = Transport(base_url, attempts=1, timeout=10.0), app_id
        self._issuer = f"{base_url.rstrip('/')}/{app_id}"
        self._keys: Mapping[str, Any] = {}
        self._fetched = self._tried = float("-inf")
        self._lock = threading.Lock()

    def verify(self, jwt: str) -> Mapping[str, Any]:
        """The claims of a valid JWT. Raises `InvalidJwt` and `KeysUnavailable`."""
        try:
            head, payload, signature = jwt.split(".") if len(jwt) <= 8192 else ()
            header, claims, proof = json.loads(_decoded(head)), json.loads(_decoded(payload)), _decoded(signature)
            texts, times = [header["kid"], claims["sub"], claims["jti"]], [claims["iat"], claims["nbf"], claims["exp"]]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InvalidJwt("This is no JWT of a session.") from error
        # The algorithm is fixed here and never taken from the JWT, which an attacker writes.
        if header.get("alg") != "RS256" or "crit" in header or "b64" in header or not all(isinstance(each, str) for each in texts):
            raise InvalidJwt("This is no JWT of a session by RS256.")
        if not _is_signed(f"{head}.{payload}".encode(), proof, self._key(header["kid"])):
            raise InvalidJwt("The signature is wrong.")
        if not all(isinstance(each, (int, float)) for each in times) or claims.get("iss") != self._issuer or "aud" in claims:
            raise InvalidJwt("The JWT is of another app, or for another use.")
        if claims["exp"] <= time.time() - self.TOLERANCE or claims["nbf"] > time.time() + self.TOLERANCE:
            raise InvalidJwt("The JWT is not valid now.")
        return claims

    def _key(self, kid: str) -> Mapping[str, str]:
        if kid not in self._keys or time.monotonic() - self._fetched > self.KEYS_LIVE:
            self._fetch()
        # The service may restart, so the last keys serve for an hour.
        if time.monotonic() - self._fetched > self.KEYS_STALE:
            raise KeysUnavailable("The keys of the app could not be fetched.")
        if kid not in self._keys:
            raise InvalidJwt("The key is unknown.")
        return self._keys[kid]

    def _fetch(self) -> None:
        """Only JWTs whose key is unknown or old wait for it."""
        with self._lock:
            now = time.monotonic()
            if now - self._tried <= self.FETCH_PAUSE:
                return
            self._tried = now
            try:
                keys = self._transport.call("jwks.get", [self._app_id])["keys"]
                self._keys, self._fetched = {key["kid"]: key for key in keys if key["kty"] == "RSA"}, now
            except (ApiError, NetworkError, LookupError, TypeError, ValueError):
                pass


class InvalidWebhook(Exception):
    """Answer 400: the request is not signed with the secret, or is old."""


def verify_webhook(
    secret: str | Sequence[str], body: bytes, headers: Mapping[str, str], *, tolerance: float = 300.0
) -> Mapping[str, Any]:
    """The event of a webhook. `body` is the bytes that arrived. While a secret rotates, pass both. Raises `InvalidWebhook`."""
    lower = {name.lower(): value for name, value in headers.items()}
    message_id, stamp, given = (lower.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not re.fullmatch(r"[0-9]{1,12}", stamp) or abs(int(time.time()) - int(stamp)) > tolerance:
        raise InvalidWebhook("The time is missing or too far away.")
    signed = f"{message_id}.{stamp}.".encode() + body
    for each in [secret] if isinstance(secret, str) else secret:
        key = base64.b64decode(each.removeprefix("whsec_"), validate=True)
        if not key:
            raise ValueError("The secret is empty.")
        expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(expected, one.encode()) for one in given.split(" ")):
            try:
                return json.loads(body)
            except ValueError as error:
                raise InvalidWebhook("The body is no JSON.") from error
    raise InvalidWebhook("The signature is wrong.")


def _decoded(text: str) -> bytes:
    """Raises ValueError also for a second spelling of the same bytes."""
    value = base64.b64decode(text + "=" * (-len(text) % 4), altchars="-_", validate=True)
    if base64.urlsafe_b64encode(value).decode().rstrip("=") != text:
        raise ValueError("This is no base64url.")
    return value


def _is_signed(message: bytes, signature: bytes, key: Mapping[str, str]) -> bool:
    """RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017, 8.2.2): the whole padded block is compared."""
    modulus, exponent = (int.from_bytes(_decoded(key[name]), "big") for name in ("n", "e"))
    length = (modulus.bit_length() + 7) // 8
    block = pow(int.from_bytes(signature, "big"), exponent, modulus).to_bytes(length, "big")
    digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(message).digest()
    expected = b"\x00\x01" + b"\xff" * (length - len(digest) - 3) + b"\x00" + digest
    return len(signature) == length and hmac.compare_digest(block, expected)
