"""Client of the identity and wallets service. Python 3.11 or later, standard library only."""

from .client import *  # noqa: F403: the names of `__all__`
from .resources import Client as Client
