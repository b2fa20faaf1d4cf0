#!/usr/bin/env bash
# Installs the generators of clients that `npm run test:clients` needs, into .cache/clients.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=.cache/clients
mkdir -p "$folder"
cp test/clients/package.json test/clients/package-lock.json "$folder"
npm ci --prefix "$folder"
python3 -m pip install --quiet --disable-pip-version-check --upgrade --target "$folder/python_modules" \
  --requirement test/clients/requirements.txt
