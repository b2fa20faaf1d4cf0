#!/usr/bin/env bash
# A cluster on this machine: a Ray head, two Ray workers, a model behind Ray Serve, and Hearth before them. Ctrl-C ends all.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
folder=${CLUSTER_FOLDER:-$HOME/.cache/hearth-cluster} # Ray, its logs, and the home folder of Hearth
MODEL=$(realpath "${MODEL:?is the path of a model in GGUF format}")
export MODEL
export ENGINE=${ENGINE:-llama-server} # the command of llama.cpp's server
hearth=${HEARTH:-hearth}
ray_port=${RAY_PORT:-6379} serve_port=${SERVE_PORT:-8000}

mkdir -p "$folder/home"
if ! command -v ray >/dev/null; then
  export PATH=$folder/ray/bin:$PATH
  if ! cmp --silent "$here/requirements.txt" "$folder/requirements.txt"; then
    python3 -m venv --clear "$folder/ray"
    pip install --quiet --requirement "$here/requirements.txt"
    cp "$here/requirements.txt" "$folder/requirements.txt"
  fi
fi

export PYTHONPATH=$here PYTHONUNBUFFERED=1 RAY_ADDRESS=127.0.0.2:$ray_port RAY_USAGE_STATS_ENABLED=0
# Who reaches a node of Ray without a token may run any program on it.
export RAY_AUTH_MODE=token RAY_AUTH_TOKEN_PATH=$folder/token
[ -s "$RAY_AUTH_TOKEN_PATH" ] || (umask 077 && python3 -c 'import secrets; print(secrets.token_hex(32))' >"$RAY_AUTH_TOKEN_PATH")
# The engine of a replica that was killed ends with it.
export RAY_kill_child_processes_on_worker_exit_with_raylet_subreaper=true
if [ -n "${OTEL_EXPORTER_OTLP_ENDPOINT:-}" ]; then
  export RAY_SERVE_TRACING_EXPORTER_IMPORT_PATH=tracing:to_collector RAY_SERVE_TRACING_SAMPLING_RATIO=1
fi

trap 'trap - EXIT; kill $(jobs -p) 2>/dev/null; wait' EXIT
start_node() { # a machine of its own: number, options
  local port=$((ray_port + 10 * $1)) log=$folder/node-$1.log
  for _ in 1 2 3; do # Ray gives up if its agent takes 15 seconds, as on a busy machine
    ray start --block --node-ip-address "127.0.0.$((1 + $1))" --object-store-memory 80000000 --include-log-monitor false \
      --min-worker-port 0 --max-worker-port 0 --metrics-export-port $((port + 1)) --dashboard-agent-grpc-port $((port + 2)) \
      --dashboard-agent-listen-port $((port + 3)) --runtime-env-agent-port $((port + 4)) "${@:2}" >"$log" 2>&1 &
    while kill -0 $! 2>/dev/null; do
      if grep --quiet 'Ray runtime started' "$log"; then return; fi
      sleep 0.5
    done
  done
  cat "$log" >&2
  exit 1
}
start_node 1 --head --port "$ray_port" --ray-client-server-port $((ray_port + 5)) --num-cpus 0 --include-dashboard false \
  --temp-dir "$folder/session"
start_node 2 --address "$RAY_ADDRESS" --num-cpus 1
start_node 3 --address "$RAY_ADDRESS" --num-cpus 1

sed "s/8000/$serve_port/" "$here/serve.yaml" >"$folder/serve.yaml"
serve run --non-blocking "$folder/serve.yaml"
SECONDS=0
until curl --silent --fail --output /dev/null "http://127.0.0.1:$serve_port/v1/models"; do
  if ((SECONDS > 300)); then
    echo "The model does not load; see $folder/session/session_latest/logs" >&2
    exit 1
  fi
  sleep 1
done

sed "s/8000/$serve_port/" "$here/config.json" >"$folder/home/config.json"
$hearth serve --home "$folder/home"
