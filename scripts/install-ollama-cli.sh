#!/usr/bin/env bash
# Builds Ollama's own command for test/clients/ollama-cli.test.ts, into .cache/ollama-VERSION. The first build takes some
# minutes, as the command contains an engine. Without Go or the packages, the tests are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
version=v0.17.4
headers=github.com/gen2brain/malgo@v0.11.24
folder=$PWD/.cache/ollama-$version
if [ -x "$folder/ollama" ]; then exit; fi

skip() {
  printf '\n!! The tests with the ollama command are SKIPPED: %s\n\n' "$1" >&2
  exit 0
}
module_folder() {
  go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'
}

command -v go >/dev/null || skip 'Go is not installed.'
# The module has no copy of some headers that it includes.
if [ ! -d /usr/include/stb ] || [ ! -d /usr/include/nlohmann ]; then
  { apt-get update && apt-get install --yes --no-install-recommends libstb-dev nlohmann-json3-dev; } ||
    skip 'the packages libstb-dev and nlohmann-json3-dev are not available.'
fi
mkdir -p "$folder/headers/miniaudio"
cd "$folder"
go mod download "github.com/ollama/ollama@$version" || skip 'its Go module is not available.'
audio=$(module_folder "$headers")
[ -n "$audio" ] || skip 'the Go module with miniaudio.h is not available.'
cp -f "$audio/miniaudio.h" headers/miniaudio/
# The engine never runs here: a build without optimization is much faster.
CPATH=$folder/headers GOBIN=$folder CGO_CFLAGS='-O0 -w' CGO_CXXFLAGS='-O0 -w' \
  go install "github.com/ollama/ollama@$version"
