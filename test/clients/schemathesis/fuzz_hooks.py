"""Keeps the answers to random requests short; see schemathesis.test.ts."""

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    # The example of a load. Requests prefer the instance with the longest context, and with random settings the model
    # writes until that is full.
    body = case.body
    if case.operation.path == "/api/v1/models/load" and isinstance(body, dict):
        if body.get("context_length") == 4096:
            body["context_length"] = 256
