#!/bin/sh
# Streams an answer as server-sent events. --no-buffer prints each event when it arrives.
set -eu
: "${HEARTH_URL:=http://127.0.0.1:1234}"

curl --silent --show-error --fail-with-body --no-buffer "$HEARTH_URL/api/v1/chat" \
  --header 'Content-Type: application/json' \
  --data '{
    "model": "hearth/starter-chat",
    "input": "Count from 3 to 9.",
    "temperature": 0,
    "reasoning": "off",
    "stream": true
  }'
