"""Runs a program many times: python3 many.py PROGRAM. Each line of the input has the arguments of a run, a list in JSON.
Each line of the output has what became of it: the status and all that it printed. The program is compiled once, and what it
imports is there already. Each run is a process of its own, so none sees what another one has left."""
import json, os, sys

program = sys.argv[1]
sys.path[0] = os.path.dirname(program)
with open(program, encoding="utf-8") as file: code = compile(file.read(), program, "exec")
sys.argv, printed = [program], sys.stderr
try:
    sys.stderr = open(os.devnull, "w")
    exec(code, {"__name__": "__main__"})  # it says how it is used: this is for its imports
except SystemExit: pass
sys.stderr = printed
for line in sys.stdin:
    reading, writing = os.pipe()
    run = os.fork()
    if not run:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for output in (1, 2): os.dup2(writing, output)
        os.close(reading), os.close(writing)
        sys.argv = [program, *json.loads(line)]
        exec(code, {"__name__": "__main__"})
        sys.exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as output: said = output.read()
    status = os.waitpid(run, 0)[1]
    print(json.dumps({"status": os.WEXITSTATUS(status) if os.WIFEXITED(status) else 255, "said": said}), flush=True)
