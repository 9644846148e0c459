"""Client of the identity and wallets service. Python 3.11 or later, standard library only."""

from .client import (
    OMIT,
    ApiError,
    CallOptions,
    InvalidJwt,
    InvalidWebhook,
    KeysUnavailable,
    NetworkError,
    SessionVerifier,
    verify_webhook,
)
from .resources import Client

__all__ = [
    "OMIT",
    "ApiError",
    "CallOptions",
    "Client",
    "InvalidJwt",
    "InvalidWebhook",
    "KeysUnavailable",
    "NetworkError",
    "SessionVerifier",
    "verify_webhook",
]
