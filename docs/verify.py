#!/usr/bin/env python3
"""Verifies evidence of Fielato without Fielato: this folder and Python 3.8 are enough. format.md says what is done here.
    python3 verify.py KEY FOLDER           an export (audit export); one that is compressed needs the program zstd
    python3 verify.py KEY FOLDER           the evidence of one invoice (audit evidence), its zip file unpacked
    python3 verify.py KEY FILE.tlog-proof  a proof of one record (audit prove, audit evidence)
KEY is the log's public key, <name>+<hash>+<key>, or a file that has it: from whoever runs the gateway.
The status is 0 if all is sound, 1 if something is not: then the output names it."""
import base64, collections, datetime, hashlib, io, json, os, subprocess, sys, urllib.parse
import ed25519  # which stands beside this file

class Bad(Exception): pass
def need(right, text):
    if not right: raise Bad(text)
def sha(b): return hashlib.sha256(b).digest()
def node(left, right): return sha(b"\1" + left + right)
def climb(hash, index, size, path):  # the root that a leaf gives with the hashes beside its way
    if size == 1 or not path: return hash if size == 1 and not path else b""
    half = 1 << (size - 1).bit_length() - 1
    if index < half: return node(climb(hash, index, half, path[:-1]), path[-1])
    return node(path[-1], climb(hash, index - half, size - half, path[:-1]))
def checkpoint(note, key):  # the log, its size and root, and the record from which on purges are recorded
    name, hashed, public = key.split("+", 2)
    public = base64.b64decode(public)
    need(public[0] == 1 and sha(name.encode() + b"\n" + public)[:4].hex() == hashed, "KEY is no public key of a log")
    signed, _, signatures = note.rpartition("\n\n")
    for line in signatures.splitlines():
        sig = base64.b64decode(line.rpartition(" ")[2])
        if line.startswith("\u2014 " + name + " ") and sig[:4].hex() == hashed:
            need(ed25519.verify(public[1:], (signed + "\n").encode(), sig[4:]), "the signature of the checkpoint is wrong")
            origin, size, root, *more = signed.split("\n")
            since = [int(m[21:]) for m in more if m.startswith("purges recorded from ")]
            return urllib.parse.unquote(origin[8:]), int(size), base64.b64decode(root), (since or [None])[0]
    raise Bad("the checkpoint is not signed by this key")

def fields(names): return [name.split(":") for name in names.split()]
HEAD = fields("id:t intent:u")  # u and v are varints, t texts, m marks, capitals lists
REST = fields("time:v duration_ns:v node:t client_address:t client_identity:t operation:t cuit:v pto_vta:v cbte_tipo:v vouchers:V resultado:t "
              "decision:t outcome:t certainty:t findings:F status:v upstream:t request_length:v answer_length:v fingerprint:m idempotency_key:m")
PURGE = fields("before:v first:u next:u records:u held_records:u held:H")
VOUCHER, FINDING = fields("cbte_desde:v cbte_hasta:v code:t expires:t resultado:t"), fields("code:t severity:t pointer:t action:t")
QUOTED, DETAIL, BODIES = fields("text:t expected:t got:t tolerance:t difference:t"), fields("detail:t"), fields("request:t answer:t")
LISTS, KINDS = {"V": VOUCHER, "F": FINDING, "H": [("", "v")]}, " exchange intent outcome access settlement outage".split(" ")
CLIENT, TYPE, LEG = fields("form:t request_length:v answer_length:v"), fields("request_media_type:t"), {"request_sha256", "request", "answer_sha256", "answer"}
DIGESTS = ["request_sha256", "answer_sha256"]
SIZES = {"salt": 16, "trace_id": 16, "content_sha256": 32, "request_sha256": 32, "answer_sha256": 32}
HIDDEN = {"salt", "detail", "request", "answer", *DIGESTS}
NAMES = {n for n, _ in HEAD + REST} | HIDDEN | {"log", "index", "kind", "intent_log", "purge", "trace_id", "client", "service", "content", "content_sha256", "leaf"}
def number(n): return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + number(n >> 7)
def raw(v): return v if isinstance(v, bytes) else base64.b64decode(v["base64"]) if isinstance(v, dict) else v.encode()
def encode(schema, r):
    out = b""
    for name, kind in schema:
        v = r.get(name, 0 if kind in "uv" else "") if name else r
        if kind == "m": v = bytes.fromhex(v)
        out += number(v) if kind == "u" else number(v * 2 if v >= 0 else -v * 2 - 1) if kind == "v" else number(len(raw(v))) + raw(v) if kind in "tm" \
            else number(len(v)) + b"".join(encode(LISTS[kind], item) for item in v)
    return out
def number_in(s):
    byte = s.read(1)[0]
    return byte if byte < 128 else byte & 127 | number_in(s) << 7
def decode(schema, s):
    r = {}
    for name, kind in schema:
        n = number_in(s)
        r[name] = n if kind == "u" else n >> 1 ^ -(n & 1) if kind == "v" else s.read(n).decode("utf-8", "surrogateescape") if kind == "t" \
            else s.read(n).hex() if kind == "m" else [decode(LISTS[kind], s) for _ in range(n)]
    return r.get("", r)
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
def micros(time): return time if isinstance(time, int) else (datetime.datetime.fromisoformat(time) - EPOCH) // datetime.timedelta(microseconds=1)
def month(time):  # counted from the year 0, in Argentina
    there = EPOCH + datetime.timedelta(microseconds=micros(time), hours=-3)
    return there.year * 12 + there.month - 1
def bodies(r):  # of a record, or of a leg
    digests = [bytes.fromhex(r.get(name, "")) for name in DIGESTS]
    return bytes([bool(digests[0]) + 2 * bool(digests[1])]) + b"".join(digests) + encode(BODIES, r)
def sized(r): return all(len(bytes.fromhex(r[name])) == SIZES[name] for name in SIZES if name in r)
def summary(r):  # of a line of an export
    hidden, findings = r.get("content"), r.get("findings", [])
    def only(schema, *items): return all(set(item) <= {name for name, _ in schema} for item in items)
    need(set(r) <= NAMES - (HIDDEN if hidden else {"content_sha256"}) and only(VOUCHER, *r.get("vouchers", [])) and only(PURGE, r.get("purge", {}))
         and only(FINDING + ([] if hidden else QUOTED), *findings) and hidden in (None, "purged", "sealed"), "it has what no record has")
    client, service = r.get("client", {}), r.get("service", {})
    for side, leg in ("client", client), ("service", service):
        need(set(leg) <= {name for name, _ in CLIENT + TYPE} | (set() if hidden else LEG) and (side not in r or leg.get("form")), "it has a leg that is none")
    need(sized(r) and sized(client) and sized(service), "it has hexadecimal of another length")
    content = bytes.fromhex(r.get("salt", "00" * 16)) + b"".join(encode(QUOTED, f) for f in findings) + encode(DETAIL, r) \
        + bodies(r) + (bodies(client) if "client" in r else b"") + (bodies(service) if "service" in r else b"")
    has = sum(1 << bit for bit, name in enumerate(["intent_log", "purge", "trace_id", "client"]) if name in r) + 16 * ("request_media_type" in client) + 32 * ("service" in r)
    return (bytes([has + 1]) if has < 3 else b"\4" + number(has)) + bytes([KINDS.index(r["kind"])]) + encode(HEAD + fields("intent_log:t") * (has & 1), r) \
        + encode(REST, {**r, "time": micros(r["time"])}) + (encode(PURGE, r["purge"]) if has & 2 else b"") + bytes.fromhex(r.get("trace_id", "")) + (encode(CLIENT, client) if has & 8 else b"") \
        + (encode(TYPE, client) if has & 16 else b"") + (encode(CLIENT + TYPE, service) if has & 32 else b"") \
        + (bytes.fromhex(r["content_sha256"]) if hidden else sha(content))
def bodies_in(s):  # as they are kept
    has = s.read(1)[0]
    digests = {name: s.read(32).hex() for bit, name in enumerate(DIGESTS) if has >> bit & 1}
    return {**digests, **decode(BODIES, s)}
def proof(data, key):  # the record that a proof is of
    head, _, note = data.partition("\n\n")
    first, extra, index, *path = head.split("\n")
    need(first == "c2sp.org/tlog-proof@v1" and extra[:6] == "extra " and index[:6] == "index ", "this is no proof")
    packed, index, (log, size, root, _) = io.BytesIO(base64.b64decode(extra[6:])), int(index[6:]), checkpoint(note, key)
    version, presence = packed.read(2)
    leaf, content = packed.read(number_in(packed)), packed.read()
    need(version == 1 and index < size and climb(sha(b"\0" + leaf), index, size, list(map(base64.b64decode, path))) == root,
         "record %d is not in the tree that was signed" % index)
    need(not content if presence else sha(content) == leaf[-32:], "the content of record %d is not the one that was written" % index)
    s = io.BytesIO(leaf[1:])
    has = number_in(s) if leaf[0] == 4 else leaf[0] - 1
    r = {"log": log, "index": index, "kind": KINDS[s.read(1)[0]], **decode(HEAD + fields("intent_log:t") * (has & 1) + REST, s)}
    if has & 2: r["purge"] = decode(PURGE, s)
    if has & 4: r["trace_id"] = s.read(16).hex()
    if has & 8: r["client"] = decode(CLIENT + TYPE * (has >> 4 & 1), s)
    if has & 32: r["service"] = decode(CLIENT + TYPE, s)
    need((leaf[0] <= 3 or leaf[0] == 4 and 3 <= has <= 63 and has & 24 != 16) and len(s.read()) == 32, "record %d has a form that is unknown here" % index)
    if presence: return {**r, "content": ["", "purged", "sealed"][presence]}
    s = io.BytesIO(content[16:])
    r["findings"] = [{**f, **decode(QUOTED, s)} for f in r["findings"]]
    r.update({**decode(DETAIL, s), **bodies_in(s)})
    for side in "client", "service":
        if side in r: r[side].update(bodies_in(s))
    return r

def judge(r, since, acts, gone, intents, says):  # one record of an export, in its place
    at, outcome = r["index"], r["kind"] == "outcome"
    if r["kind"] == "intent": intents[at] = r.get("cuit", 0)
    says["outcomes without their intent"] += outcome and r.get("intent", 0) not in intents
    for body, digest in zip(("request", "answer"), DIGESTS):
        if body in r: says["bodies as they came" if sha(raw(r[body])).hex() == r.get(digest) else "bodies with parts replaced"] += 1
    need(r["kind"] != "access" or not r.get("outcome") or at in [a["index"] for a in acts], "it is a purge or hold that the manifest does not prove")
    says[r.get("content", "with content")] += 1
    if r.get("content") != "purged": return
    owners, recorded = {r.get("cuit", 0), intents.get(r.get("intent", 0), 0) if outcome else 0}, since is not None and at >= since
    by = [a for a in acts if "purge" in a and a["purge"]["first"] <= at < a["purge"]["next"] <= a["index"]
          and month(r["time"]) < a["purge"]["before"] and not owners & set(a["purge"]["held"])]
    took, vouched = [a for a in by if a["outcome"] == "purge"], [a for a in acts if a["outcome"] == "acknowledge"][-1:]
    says["purged before purges were recorded"] += not (took or recorded or vouched)
    need(took or not recorded and (not vouched or vouched[0] in by), "its content is gone, and no purge in the log took it")
    if recorded or not took: gone.update(a["index"] for a in (took or vouched)[:1])
def evidence(folder, m, key):  # of one invoice: each proof, and the request and answer beside it
    bad, says, bodies = [], collections.Counter(), {}
    others = [other["public_key"].split("+")[0] for other in m.get("logs", []) if other["public_key"] != key]
    for name, digest in sorted(((f["path"], f["sha256"]) for f in m["files"]), key=lambda f: not f[0].endswith(".tlog-proof")):
        at, base = os.path.split(name)
        try:
            with open(os.path.join(folder, name), "rb") as file: data = file.read()
            need(sha(data).hex() == digest, "it is not the one that manifest.json names")
            if not name.endswith(".tlog-proof"):
                kept, body = bodies.get(at), base.rpartition(".")[0].rpartition("-")[2]
                if base in ("request.json", "answer.json") and kept and (body == "answer" or kept["kind"] != "outcome"):
                    need(json.loads(data, parse_float=str) == json.loads(kept.get(body) or "null", parse_float=str), "it is not what the proof holds")
                side = base.partition("-")[0]
                if side in ("client", "service") and kept and (side == "service" or body == "answer" or kept["kind"] != "outcome"):
                    need(data == kept[side].get(body, "").encode("utf-8", "surrogateescape"), "it is not what the proof holds")
            elif data.decode().partition("\n\n")[2].split("\n")[0] in others: says["records of another log, which needs its own key,"] += 1
            else:
                r, says["records"] = proof(data.decode(), key), says["records"] + 1
                old = bodies.get(at, {})  # the outcome has the answer, its intent the request
                bodies[at] = {**r, "request": r.get("request") or old.get("request"), "answer": r.get("answer") or old.get("answer"),
                              "client": {**old.get("client", {}), **{name: v for name, v in r.get("client", {}).items() if v}},
                              "service": r.get("service") or old.get("service", {}), "kind": "intent" if "intent" in (r["kind"], old.get("kind")) else r["kind"]}
        except Exception as wrong: bad.append("%s: %s" % (name, wrong))
    if not bad and not says: bad.append("there is no proof")
    return bad, "sound: " + ", ".join("%d %s" % (says[word], word) for word in says) + " and the requests and answers beside them"
def export(folder, key):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file: m = json.load(file)
    if m["format"].startswith("fielato-evidence/"): return evidence(folder, m, key)
    log, size, root, since = checkpoint(m["checkpoint"], key)
    acts = sorted((proof(p, key) for p in m.get("purges", [])), key=lambda a: a["index"])
    need(m["log"] == log and all(a["log"] == log and a["kind"] == "access" for a in acts), "manifest.json has something of another log")
    bad, says, gone, intents, roots, held = [], collections.Counter(), collections.Counter(), {}, [], set()
    for name in (file["name"] for file in m["files"]):
        with open(os.path.join(folder, name), "rb") as file: data = file.read()
        if name.endswith(".zst"): data = subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=True).stdout
        for at, line in enumerate(data.split(b"\n")[:-1], 1):
            r, n, hash = {}, says["records"], b""
            try:
                pairs = json.loads(line, object_pairs_hook=lambda p: dict(p) if len(dict(p)) == len(p) else need(False, "it has a member twice"))
                r, hash = pairs, sha(b"\0" + summary(pairs))
                need(hash.hex() == r["leaf"], "it was changed: its leaf is another one")
                need(r["index"] == n and r["log"] == log, "it stands in the place of record %d" % n)
                judge(r, since, acts, gone, intents, says)
            except (Bad, KeyError, ValueError, TypeError, AttributeError) as wrong:
                bad.append("%s:%d: record %s: %s" % (name, at, r.get("index", n), wrong))
            says["records"] += 1
            while n & 1: n, hash = n >> 1, node(roots.pop(), hash)
            roots.append(hash)
    while len(roots) > 1: roots[-2:] = [node(*roots[-2:])]
    if not bad and (says["records"] != size or (roots or [sha(b"")]) != [root]):
        bad.append("the %d records do not give the root that was signed over %d" % (says["records"], size))
    for a in acts:
        if a["outcome"] in ("hold", "release"): (held.add if a["outcome"] == "hold" else held.discard)(a["cuit"])
        elif gone[a["index"]] > a["purge"]["records"]: bad.append("record %d: more content is gone than it says" % a["index"])
        elif a["outcome"] == "purge" and held - set(a["purge"]["held"]): bad.append("record %d: it is a purge of an issuer on hold" % a["index"])
    return bad, "sound: " + ", ".join("%d %s" % (says[word], word) for word in says if says[word])
try:
    key, path = sys.argv[1:]
    if os.path.isfile(key): key = open(key, encoding="utf-8").read()
    bad, good = export(path, key.strip()) if os.path.isdir(path) else ([], json.dumps(proof(open(path, encoding="utf-8", newline="").read(), key.strip()), indent=1))
    sys.exit(print("\n".join(bad) or good) or (1 if bad else 0))
except Exception as wrong: sys.exit("broken: %s" % wrong if len(sys.argv) == 3 else __doc__)
