"""Starts the llama.cpp server from the `xllamacpp` wheel with llama-server's own arguments.

    python3 -I wheel-launcher.py --runtime-folder DIR [llama-server arguments]

DIR holds the `xllamacpp` package. Like llama-server, reads LLAMA_API_KEY from the environment.
If the server can't start, the exit code is 1, and the last line on standard error says why.
"""

import argparse
import csv
import os
import signal
import sys
import threading
import time

LOG_DRAIN_SECONDS = 0.2


def parse_arguments():
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    option = parser.add_argument
    option("--runtime-folder", required=True)
    option("--version", action="store_true")
    option("-m", "--model", default="")
    option("-mm", "--mmproj", default="")
    option("-a", "--alias", default="")
    option("--host", default="127.0.0.1")
    option("--port", type=int, default=8080)
    option("--threads-http", type=int, default=-1)
    option("-c", "--ctx-size", type=int, default=0)
    option("-np", "--parallel", type=int, default=-1)
    option("-kvu", "--kv-unified", action="store_true")
    option("--kv-unified-per-slot", type=int, default=0)
    option("-t", "--threads", type=int, default=-1)
    option("-tb", "--threads-batch", type=int, default=-1)
    option("-ngl", "--n-gpu-layers", type=int, default=-1)
    option("-b", "--batch-size", type=int, default=2048)
    option("-ub", "--ubatch-size", type=int, default=512)
    option("-fa", "--flash-attn", choices=["on", "off", "auto"], default="auto")
    option("-ctk", "--cache-type-k", default="f16")
    option("-ctv", "--cache-type-v", default="f16")
    option("-nkvo", "--no-kv-offload", action="store_true")
    option("-cram", "--cache-ram", type=int, default=8192)
    option("--no-cache-idle-slots", action="store_true")
    option("--slot-save-path", default="")
    option("--lora", default="")
    option("--lora-init-without-apply", action="store_true")
    option("--spec-type", choices=["none", "ngram-simple", "draft-simple", "draft-mtp"], default="none")
    option("--spec-ngram-simple-size-n", type=int, default=12)
    option("--spec-ngram-simple-size-m", type=int, default=48)
    option("--spec-draft-model", default="")
    option("--spec-draft-ngl", type=int, default=-1)
    option("--spec-draft-n-max", type=int, default=3)
    option("--reasoning-format", choices=["none", "auto", "deepseek"], default="auto")
    option("--embeddings", action="store_true")
    option("--reranking", action="store_true")
    option("--fit", choices=["on", "off"], default="on")
    option("-lv", "--log-verbosity", type=int, default=3)
    option("--jinja", action=argparse.BooleanOptionalAction, default=True)
    option("--chat-template-file", default="")
    option("--slots", action="store_true")
    option("--offline", action="store_true")
    option("--no-webui", action="store_true")
    return parser.parse_args()


def build_parameters(xllamacpp, arguments):
    """Builds the CommonParams that llama-server would build from the same arguments."""
    parameters = xllamacpp.CommonParams()
    parameters.model.path = arguments.model
    if arguments.mmproj:
        parameters.mmproj.path = arguments.mmproj
    if arguments.alias:
        parameters.model_alias = {arguments.alias}
    parameters.hostnames = [arguments.host]
    parameters.port = arguments.port
    parameters.n_threads_http = arguments.threads_http
    key = os.environ.pop("LLAMA_API_KEY", "")
    parameters.api_keys = [key] if key else []
    parameters.n_ctx = arguments.ctx_size
    parameters.n_parallel = arguments.parallel
    parameters.kv_unified = arguments.kv_unified
    parameters.kv_unified_per_slot = arguments.kv_unified_per_slot
    parameters.cache_idle_slots = not arguments.no_cache_idle_slots
    parameters.cpuparams.n_threads = arguments.threads
    parameters.cpuparams_batch.n_threads = arguments.threads_batch
    parameters.n_gpu_layers = arguments.n_gpu_layers
    parameters.n_batch = arguments.batch_size
    parameters.n_ubatch = arguments.ubatch_size
    parameters.flash_attn_type = {
        "on": xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED,
        "off": xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED,
        "auto": xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_AUTO,
    }[arguments.flash_attn]
    parameters.cache_type_k = cache_type(xllamacpp, arguments.cache_type_k)
    parameters.cache_type_v = cache_type(xllamacpp, arguments.cache_type_v)
    parameters.no_kv_offload = arguments.no_kv_offload
    parameters.cache_ram_mib = arguments.cache_ram
    parameters.slot_save_path = arguments.slot_save_path
    add_speculation(xllamacpp, arguments, parameters.speculative)
    parameters.lora_adapters = [
        xllamacpp.CommonAdapterLoraInfo(path) for row in csv.reader([arguments.lora]) for path in row
    ]
    parameters.lora_init_without_apply = arguments.lora_init_without_apply
    parameters.reasoning_format = getattr(
        xllamacpp.common_reasoning_format,
        "COMMON_REASONING_FORMAT_" + arguments.reasoning_format.upper(),
    )
    parameters.embedding = arguments.embeddings or arguments.reranking
    if arguments.reranking:
        parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_RANK
    parameters.fit_params = arguments.fit == "on"
    parameters.verbosity = arguments.log_verbosity
    parameters.use_jinja = arguments.jinja
    if arguments.chat_template_file:
        with open(arguments.chat_template_file, encoding="utf-8") as file:
            parameters.chat_template = file.read()
    parameters.endpoint_slots = arguments.slots
    parameters.offline = arguments.offline
    parameters.ui = not arguments.no_webui
    return parameters


def add_speculation(xllamacpp, arguments, speculative):
    if arguments.spec_type == "none":
        return
    name = "COMMON_SPECULATIVE_TYPE_" + arguments.spec_type.upper().replace("-", "_")
    speculative.types = [getattr(xllamacpp.common_speculative_type, name)]
    speculative.ngram_simple.size_n = arguments.spec_ngram_simple_size_n
    speculative.ngram_simple.size_m = arguments.spec_ngram_simple_size_m
    speculative.draft.n_max = arguments.spec_draft_n_max
    if arguments.spec_draft_model:
        speculative.draft.mparams.path = arguments.spec_draft_model
        speculative.draft.n_gpu_layers = arguments.spec_draft_ngl


def cache_type(xllamacpp, name):
    try:
        return getattr(xllamacpp.ggml_type, "GGML_TYPE_" + name.upper())
    except AttributeError:
        raise ValueError("unknown cache type: " + name) from None


def main():
    arguments = parse_arguments()
    # The engine must end at once. Python's own signal handlers would run only between bytecode instructions.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sys.path.insert(0, arguments.runtime_folder)
    try:
        import xllamacpp

        if arguments.version:
            print("version: " + xllamacpp.__version__)
            return 0
        server = xllamacpp.Server(build_parameters(xllamacpp, arguments))
    except Exception as error:
        # The server logs from its own thread, which would end with this process before it has logged the reason.
        time.sleep(LOG_DRAIN_SECONDS)
        print("error: " + str(error), file=sys.stderr)
        return 1
    threading.Event().wait()
    del server
    return 0


sys.exit(main())
