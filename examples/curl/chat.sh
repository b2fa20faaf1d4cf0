#!/bin/sh
# Sends one message and prints the JSON of the answer.
set -eu
: "${HEARTH_URL:=http://127.0.0.1:1234}"

curl --silent --show-error --fail-with-body "$HEARTH_URL/api/v1/chat" \
  --header 'Content-Type: application/json' \
  --data '{
    "model": "hearth/starter-chat",
    "input": "What is the capital of France?",
    "temperature": 0,
    "reasoning": "off"
  }'
