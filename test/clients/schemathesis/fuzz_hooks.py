"""Keeps the answers to random requests short; see schemathesis.test.ts."""

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    # The example of a load. Requests prefer the instance with the longest context, and with random settings the model
    # writes until that is full.
    body = case.body
    if not isinstance(body, dict):
        return
    if case.operation.path == "/api/v1/models/load" and body.get("context_length") == 4096:
        body["context_length"] = 256
    # The settings of a model are in force for later requests.
    settings = body.get("load")
    if case.operation.path.startswith("/api/v1/model-settings/") and isinstance(settings, dict):
        length = settings.get("context_length")
        if isinstance(length, int) and not isinstance(length, bool) and length > 256:
            settings["context_length"] = 256
