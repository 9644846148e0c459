"""Runs the scenarios of clients with the Python client. The environment has the service, the keys and the values that scenarios name."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../openapi/python"))

from identity_and_wallets import (  # noqa: E402
    ApiError,
    Client,
    InvalidJwt,
    InvalidWebhook,
    NetworkError,
    SessionVerifier,
    verify_webhook,
)

given = json.loads(os.environ["SCENARIOS"])
values = given["values"]
client = Client(given["base_url"], secret_key=given["secret_key"], management_key=given["management_key"])
sessions = SessionVerifier(given["base_url"], values["app"])
LISTS = {
    "users.search": client.users.all,
    "events.list": client.events.all,
    "transfers.list": client.transfers.all,
    "management.apps.users.list": client.management.apps.users.all,
}


def filled(value):
    if isinstance(value, str) and value.startswith("$"):
        return values[value[1:]]
    if isinstance(value, dict):
        return {name: filled(each) for name, each in value.items()}
    return [filled(each) for each in value] if isinstance(value, list) else value


def at(data, path):
    for part in path.split("."):
        data = data[int(part)] if isinstance(data, list) else data[part]
    return data


def refusal(scenario, options):
    """How a call is refused: its error type, `network`, `timeout` or `argument`, and the error; None if it succeeds."""
    try:
        return client.call(scenario["call"], filled(scenario.get("ids", [])), filled(scenario.get("fields")), options), None, None
    except ApiError as error:
        return None, error.error_type, error
    except NetworkError as error:
        return None, "timeout" if isinstance(error.__cause__, TimeoutError) else "network", error
    except TypeError as error:
        return None, "argument", error


def run(scenario):
    if "jwt" in scenario:
        try:
            return bool(sessions.verify(filled(scenario["jwt"]))["sub"]) == scenario["valid"]
        except InvalidJwt:
            return not scenario["valid"]
    if "webhook" in scenario:
        sent = filled(scenario["webhook"])
        try:
            event = verify_webhook(given["webhook_secrets"], sent["body"].encode(), sent["headers"])
            return event["type"] == "user.created" and scenario["valid"]
        except InvalidWebhook:
            return not scenario["valid"]
    if "iterate" in scenario:
        count = len(list(LISTS[scenario["iterate"]](*filled(scenario.get("ids", [])), **scenario["fields"])))
        return count == scenario.get("count", count) and count >= scenario.get("least", 0)
    options = {name: scenario[name] for name in ("idempotency_key", "headers", "timeout") if name in scenario}
    data, kind, error = refusal(scenario, options)
    if "refused" in scenario or "status" in scenario:
        assert error is not None, data
        assert kind == scenario.get("refused", kind), kind
        assert getattr(error, "status", 0) == scenario.get("status", getattr(error, "status", 0)), error
        assert scenario.get("field") in [None, *[each["field"] for each in getattr(error, "fields", [])]], error
        return True
    if error is not None:
        raise error
    values.update({name: at(data, path) for name, path in scenario.get("saves", {}).items()})
    for path, value in scenario.get("expects", {}).items():
        assert at(data, path) == filled(value), at(data, path)
    return all(at(data, path).startswith(start) for path, start in scenario.get("matches", {}).items())


failed = 0
for scenario in given["scenarios"]:
    try:
        assert run(scenario), "It is not as it must be."
    except Exception as fault:  # noqa: BLE001: each scenario is reported
        failed += 1
        print(f"{scenario['says']}: {type(fault).__name__} {fault}")

# The methods have names and parameters of their own.
ann = client.users.get(values["ann"])
assert ann["emails"][0]["email"] == "ann@example.com"
assert [user["user_id"] for user in client.users.all(limit=10)]
print(f"{len(given['scenarios'])} scenarios, {failed} failed")
sys.exit(failed > 0)
