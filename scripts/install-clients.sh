#!/usr/bin/env bash
# Installs the generators of clients that `npm run test:clients` needs, into test/clients.
set -euo pipefail
cd "$(dirname "$0")/../test/clients"

npm ci
python3 -m pip install --quiet --disable-pip-version-check --upgrade --target python_modules --requirement requirements.txt
