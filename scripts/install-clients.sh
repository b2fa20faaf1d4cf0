#!/usr/bin/env bash
# Installs what `npm run test:clients` needs into test/clients: npm packages, and a Python environment in .venv.
# With --lock, resolves requirements.in again and writes requirements.txt.
set -euo pipefail
cd "$(dirname "$0")/../test/clients"

npm ci --ignore-scripts --no-audit --no-fund

# pip installs from outside, so that Python needs no ensurepip.
python3 -m venv --clear --without-pip .venv
pip=(python3 -m pip --disable-pip-version-check --python .venv/bin/python)
if [ "${1:-}" = --lock ]; then
  "${pip[@]}" install --quiet --requirement requirements.in
  "${pip[@]}" freeze >requirements.txt
else
  "${pip[@]}" install --quiet --requirement requirements.txt
fi
