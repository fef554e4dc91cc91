#!/usr/bin/env python3
"""Verifies evidence of Fielato without Fielato: this folder and Python 3.8 are enough. format.md says what is done here.
    python3 verify.py KEY FOLDER           an export (audit export); one that is compressed needs the program zstd
    python3 verify.py KEY FOLDER           the evidence of one invoice (audit evidence), its zip file unpacked
    python3 verify.py KEY FILE.tlog-proof  a proof of one record (audit prove, audit evidence)
KEY is the log's public key, <name>+<hash>+<key>, or a file that has it: from whoever runs the gateway.
Before KEY may stand whose signatures the checkpoints need as well: --witness KEY for each witness, and --quorum NUMBER of
them, or --policy FILE. With --timestamp-roots FILE, root certificates in PEM, the time-stamp has to be of their authority, which
takes the program openssl.
The status is 0 if all is sound, 1 if something is not: then the output names it. It is 2 if nothing could be checked, or not all:
evidence from several logs has to be checked with the key of each."""
import collections, csv, datetime, errno, hashlib, io, json, os, re, shutil, subprocess, sys, urllib.parse, zipfile

def misused(text):
    print(text, file=sys.stderr)
    sys.exit(2)
if sys.version_info < (3, 8): misused("this is Python %d.%d: take 3.8 or newer" % sys.version_info[:2])
try: import ed25519, witnesses  # which stand beside this file
except ImportError as wrong: misused("%s: ed25519.py and witnesses.py have to stand beside verify.py" % wrong)
from witnesses import Bad, b64, need

def whole(text):
    need(re.fullmatch("0|[1-9][0-9]{0,19}", text), "it has %.40r where a number belongs" % text)
    return int(text)
def unfit(text): raise Bad("it has the number %.40s" % text)
def members(pairs):
    need(len(dict(pairs)) == len(pairs), "it has a member twice")
    return dict(pairs)
def read(text):  # JSON as RFC 8259 has it, in which numbers are whole
    value = json.loads(text, object_pairs_hook=members, parse_constant=unfit, parse_float=unfit, parse_int=lambda n: unfit(n) if n == "-0" else int(n))
    json.dumps(value, ensure_ascii=False).encode()  # a half of a character is none
    return value
def sha(b): return hashlib.sha256(b).digest()
def node(left, right): return sha(b"\1" + left + right)
def climb(hash, index, size, path):  # the root that a leaf gives with the hashes beside its way
    if size == 1 or not path: return hash if size == 1 and not path else b""
    half = 1 << (size - 1).bit_length() - 1
    if index < half: return node(climb(hash, index, half, path[:-1]), path[-1])
    return node(path[-1], climb(hash, index - half, size - half, path[:-1]))
def longer(low, high, size, path, root):  # the roots of the first records and of all of them, that a proof of consistency gives
    if size == high:
        need(len(path) == (low > 0), "the proof of consistency has another length")
        return (path[0], path[0]) if low else (root, root)
    need(path, "the proof of consistency has another length")
    half = low + (1 << (high - low - 1).bit_length() - 1)
    old, new = longer(low, half, size, path[:-1], root) if size <= half else longer(half, high, size, path[:-1], root)
    return (old, node(new, path[-1])) if size <= half else (node(path[-1], old), node(path[-1], new))
def checkpoint(note, key):  # the log, its size and root, and the record from which on purges are recorded
    name, hashed, public = witnesses.public_key(key, 1, "KEY is no public key of a log")
    signed, made = witnesses.note(note)
    mine = [sig[4:] for by, sig in made if (by, sig[:4]) == (name, hashed)]
    if not mine: raise Bad("the checkpoint is not signed by this key")
    need(ed25519.verify(public, signed.encode(), mine[0]), "the signature of the checkpoint is wrong")
    origin, size, root, *more = signed[:-1].split("\n")
    log = re.fullmatch(r"(?:[^/\s+][^\s+]*/)?fielato/([^/]+)", origin)
    need(log, "the checkpoint is not of the log of a gateway")
    since = [whole(m[21:]) for m in more if m.startswith("purges recorded from ")]
    return urllib.parse.unquote(log[1]), whole(size), b64(root, 32), (since or [None])[-1]

def fields(names): return [name.split(":") for name in names.split()]
HEAD = fields("id:t intent:u")  # u and v are varints, t texts, m marks, capitals lists
REST = fields("time:v duration_ns:v node:t client_address:t client_identity:t operation:t cuit:v pto_vta:v cbte_tipo:v vouchers:V resultado:t "
              "decision:t outcome:t certainty:t findings:F status:v upstream:t request_length:v answer_length:v fingerprint:m idempotency_key:m")
PURGE, RETENTION = fields("before:v first:u next:u records:u held_records:u held:H"), fields("years:u override:t")
VOUCHER, FINDING = fields("cbte_desde:v cbte_hasta:v code:t expires:t resultado:t"), fields("code:t severity:t pointer:t action:t")
QUOTED, DETAIL, BODIES = fields("text:t expected:t got:t tolerance:t difference:t"), fields("detail:t"), fields("request:t answer:t")
OPTIONAL = fields("origin:t cause:t client_table:t client_row:t certificate:t way:t environment:t")  # bits 8 to 14
def optional(has): return [field for bit, field in enumerate(OPTIONAL) if has >> bit + 8 & 1]
LISTS, KINDS = {"V": VOUCHER, "F": FINDING, "H": [("", "v")]}, " exchange intent outcome access settlement outage".split(" ")
CLIENT, TYPE, LEG = fields("form:t request_length:v answer_length:v"), fields("request_media_type:t"), {"request_sha256", "request", "answer_sha256", "answer"}
DIGESTS = ["request_sha256", "answer_sha256"]
SIZES = {"salt": 16, "trace_id": 16, "sent_fingerprint": 16, "content_sha256": 32, "request_sha256": 32, "answer_sha256": 32}
HIDDEN = {"salt", "detail", "request", "answer", *DIGESTS}
NAMES = {n for n, _ in HEAD + REST} | HIDDEN | {"log", "index", "kind", "intent_log", "purge", "trace_id", "client", "service", "sent_fingerprint", "origin", "cause", "client_table", "client_row", "certificate", "way", "environment", "content", "content_sha256", "leaf"}
def number(n): return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + number(n >> 7)
def raw(v): return v if isinstance(v, bytes) else b64(v["base64"]) if isinstance(v, dict) else v.encode()
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
# How a line of an export is written: its members in this order, p and k always, the others unless they are empty. p is a number from 0 on, k and c are
# words, i is the place of an intent, d a time, h bytes in hexadecimal, n a list of numbers, and objects and lists of them are named by capitals.
LINE = fields("log:t index:p kind:k id:t intent:i intent_log:t time:d duration_ns:v node:t client_address:t client_identity:t operation:t cuit:v "
              "pto_vta:v cbte_tipo:v vouchers:V resultado:t decision:t outcome:t certainty:t findings:F status:v upstream:t request_length:v answer_length:v "
              "fingerprint:h16 idempotency_key:h16 purge:P trace_id:h16 client:L service:L sent_fingerprint:h16 origin:t cause:t client_table:t client_row:t certificate:t way:t environment:t content:c content_sha256:h32 salt:h16 detail:t "
              "request_sha256:h32 request:t answer_sha256:h32 answer:t leaf:h32")
WITHIN = {"V": VOUCHER, "P": fields("before:v first:p next:p records:p held_records:p held:n retention:R"), "R": fields("years:p override:t"), "F": fields("code:t severity:t action:t pointer:t text:t expected:t got:t difference:t tolerance:t"),
          "L": fields("form:t request_length:v answer_length:v request_media_type:t request_sha256:h32 request:t answer_sha256:h32 answer:t")}
def number_of(v, least, most): return type(v) is int and least <= v <= most  # True is no number
def written(schema, r):  # whether an object is so
    if not isinstance(r, dict) or [name for name, _ in schema if name in r] != list(r): return False
    for name, kind in schema:
        if name not in r:
            if kind in ("p", "k", "d") or kind == "i" and r.get("kind") == "outcome": return False
            continue
        v = r[name]
        if kind == "t": right = v != "" if isinstance(v, str) else isinstance(v, dict) and list(v) == ["base64"] and not is_text(b64(v["base64"]))
        elif kind in ("v", "p"): right = number_of(v, -1 << 63, (1 << 63) - 1) and v != 0 if kind == "v" else number_of(v, 0, (1 << 64) - 1)
        elif kind == "i": right = number_of(v, 0, (1 << 64) - 1) and (v > 0 or r.get("kind") == "outcome")
        elif kind[0] == "h": right = isinstance(v, str) and re.fullmatch("[0-9a-f]{%d}" % (2 * int(kind[1:])), v) and v.strip("0")
        elif kind == "d": right = v == moment(micros(v))
        elif kind in ("k", "c"): right = v in (KINDS[1:] if kind == "k" else ["purged", "sealed"])
        elif kind == "n": right = isinstance(v, list) and v and all(number_of(n, -1 << 63, (1 << 63) - 1) for n in v)
        elif kind in "PLR": right = written(WITHIN[kind], v)
        else: right = isinstance(v, list) and v and all(written(WITHIN[kind], item) for item in v)
        if not right: return False
    return True
def is_text(b):
    try: b.decode()
    except ValueError: return False
    return True
def moment(at):  # as it is written, in Argentina; a number where a year has not four digits
    try: return (EPOCH + datetime.timedelta(microseconds=at, hours=-3)).isoformat(timespec="microseconds")[:26] + "-03:00"
    except OverflowError: return at
def bodies(r):  # of a record, or of a leg
    digests = [bytes.fromhex(r.get(name, "")) for name in DIGESTS]
    return bytes([bool(digests[0]) + 2 * bool(digests[1])]) + b"".join(digests) + encode(BODIES, r)
def sized(r): return all(len(bytes.fromhex(r[name])) == SIZES[name] for name in SIZES if name in r)
def summary(r):  # of a line of an export
    hidden, findings, purge = r.get("content"), r.get("findings", []), r.get("purge", {})
    def only(schema, *items): return all(set(item) <= {name for name, _ in schema} for item in items)
    need(set(r) <= NAMES - (HIDDEN if hidden else {"content_sha256"}) and only(VOUCHER, *r.get("vouchers", [])) and only(PURGE + [("retention", "")], purge) and only(RETENTION, purge.get("retention", {}))
         and only(FINDING + ([] if hidden else QUOTED), *findings) and hidden in (None, "purged", "sealed"), "it has what no record has")
    client, service = r.get("client", {}), r.get("service", {})
    for side, leg in ("client", client), ("service", service):
        need(set(leg) <= {name for name, _ in CLIENT + TYPE} | (set() if hidden else LEG) and (side not in r or leg.get("form")), "it has a leg that is none")
    need(sized(r) and sized(client) and sized(service), "it has hexadecimal of another length")
    content = bytes.fromhex(r.get("salt", "00" * 16)) + b"".join(encode(QUOTED, f) for f in findings) + encode(DETAIL, r) \
        + bodies(r) + (bodies(client) if "client" in r else b"") + (bodies(service) if "service" in r else b"")
    has = sum(1 << bit for bit, name in enumerate(["intent_log", "purge", "trace_id", "client"]) if name in r) + 16 * ("request_media_type" in client) + 32 * ("service" in r) + 64 * ("retention" in purge) + 128 * ("sent_fingerprint" in r) + sum(256 << bit for bit, (name, _) in enumerate(OPTIONAL) if name in r)
    return (bytes([has + 1]) if has < 3 else b"\4" + number(has)) + bytes([KINDS.index(r["kind"])]) + encode(HEAD + fields("intent_log:t") * (has & 1), r) \
        + encode(REST, {**r, "time": micros(r["time"])}) + (encode(PURGE, purge) if has & 2 else b"") + bytes.fromhex(r.get("trace_id", "")) + (encode(CLIENT, client) if has & 8 else b"") \
        + (encode(TYPE, client) if has & 16 else b"") + (encode(CLIENT + TYPE, service) if has & 32 else b"") \
        + (encode(RETENTION, purge["retention"]) if has & 64 else b"") + bytes.fromhex(r.get("sent_fingerprint", "")) \
        + encode(optional(has), r) + (bytes.fromhex(r["content_sha256"]) if hidden else sha(content))
def bodies_in(s):  # as they are kept
    has = s.read(1)[0]
    digests = {name: s.read(32).hex() for bit, name in enumerate(DIGESTS) if has >> bit & 1}
    return {**digests, **decode(BODIES, s)}
def proof(data, key):  # the record that a proof is of
    head, _, note = data.partition("\n\n")
    first, extra, index, *path = head.split("\n")
    need(first == "c2sp.org/tlog-proof@v1" and extra[:6] == "extra " and index[:6] == "index ", "this is no proof")
    extra, index, path, (log, size, root, _) = b64(extra[6:]), whole(index[6:]), [b64(line, 32) for line in path], checkpoint(note, key)
    packed = io.BytesIO(extra)
    version, presence = packed.read(2)
    leaf, content = packed.read(number_in(packed)), packed.read()
    need(extra == bytes([1, presence]) + number(len(leaf)) + leaf + content and presence <= 2, "this is no proof as one is written")
    need(index < size and climb(sha(b"\0" + leaf), index, size, path) == root, "record %d is not in the tree that was signed" % index)
    TREE[:] = size, root
    need(not content if presence else sha(content) == leaf[-32:], "the content of record %d is not the one that was written" % index)
    s = io.BytesIO(leaf[1:])
    has = number_in(s) if leaf[0] == 4 else leaf[0] - 1
    r = {"log": log, "index": index, "kind": KINDS[s.read(1)[0]], **decode(HEAD + fields("intent_log:t") * (has & 1) + REST, s)}
    if has & 2: r["purge"] = decode(PURGE, s)
    if has & 4: r["trace_id"] = s.read(16).hex()
    if has & 8: r["client"] = decode(CLIENT + TYPE * (has >> 4 & 1), s)
    if has & 32: r["service"] = decode(CLIENT + TYPE, s)
    if has & 64: r["purge"]["retention"] = decode(RETENTION, s)
    if has & 128: r["sent_fingerprint"] = s.read(16).hex()
    r.update(decode(optional(has), s))
    need((leaf[0] <= 3 or leaf[0] == 4 and 3 <= has <= 32767 and "" not in [r.get(name) for name, _ in OPTIONAL] and has & 24 != 16 and has & 66 != 64) and len(s.read()) == 32, "record %d has a form that is unknown here" % index)
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
def indented(text):  # as a body stands in a file of its own: each token as it came, and two blanks a level
    out, level, before = "", 0, ""
    for token in re.findall(r'"(?:[^"\\]|\\.)*"|[][{}:,]|[^][{}:,"\s]+', text):
        level -= token in "]}"
        if token in "]}" and before not in "[{" or before in "[{," and before and token not in "]}": out += "\n" + "  " * level
        out, before = out + (": " if token == ":" else token), token
        level += token in "[{"
    return out + "\n" if out else ""
def encoded(text): return (text or "").encode("utf-8", "surrogateescape")
def evidence(folder, m, key):  # of one invoice: each proof, and the request and answer beside it
    bad, says, proven, trees, other_key = links(folder) + unlike(EVIDENCE, m), collections.Counter(), {}, {}, set()
    need(m["format"] == "fielato-evidence/1", "manifest.json has a format that is unknown here")
    one = bool(m.get("log"))
    need(one == bool(m.get("public_key")) and one != bool(m.get("logs")), "manifest.json names not one log with its key, and no list of several")
    logs = m.get("logs") or [{"log": m.get("log"), "public_key": m.get("public_key")}]
    others = [log["public_key"].split("+")[0] for log in m.get("logs", []) if log["public_key"] != key]
    folders = []
    for name, digest in ((f["path"], f["sha256"]) for f in m["files"]):
        at, base = os.path.split(name)
        if at and at not in folders: folders.append(at)
        try:
            need(not re.search(r"(^|/)\.{0,2}(/|$)|\\|:", name), "it is no file of this folder")
            with open(os.path.join(folder, name), "rb") as file: data = file.read()
            need(sha(data).hex() == digest, "it is not the one that manifest.json names")
            if not name.endswith(".tlog-proof"): continue
            if data.decode().partition("\n\n")[2].split("\n")[0] in others:
                says["records of another log, which needs its own key,"] += 1
                other_key.add(name)
            else:
                proven[name], says["records"] = proof(data.decode(), key), says["records"] + 1
                trees[name] = list(TREE)
                signed(data.decode().partition("\n\n")[2], key, "")
        except Exception as wrong: bad.append("%s: %s" % (name, wrong))
    for at in folders:
        try:
            if at + "/record.tlog-proof" in proven: stamp_beside(os.path.join(folder, at), proven[at + "/record.tlog-proof"], trees[at + "/record.tlog-proof"], key)
        except Exception as wrong: bad.append("%s/%s" % (at, wrong))
        try: exchange(folder, at, proven, other_key, [log["log"] for log in logs])
        except Exception as wrong: bad.append("%s/%s" % (at, wrong))
    if not bad and not says["records"]: bad.append("there is no proof by this key")
    there = {os.path.relpath(os.path.join(at, name), folder).replace(os.sep, "/") for at, _, names in os.walk(folder) for name in names}
    more = sorted(there - {f["path"] for f in m["files"]} - {"manifest.json"})
    if more: print("not looked at, as manifest.json does not name it: " + ", ".join(more), file=sys.stderr)
    OPEN.extend(other_key)
    return bad, ("sound: " if not other_key else "not all of it is checked: ") + ", ".join("%d %s" % (says[word], word) for word in says) + " and the requests and answers beside them"
def exchange(folder, at, proven, other_key, logs):  # the bodies beside the proofs of one
    names = {base: at + "/" + base for base in ("record.tlog-proof", "intent.tlog-proof")}
    if names["record.tlog-proof"] in other_key or names["intent.tlog-proof"] in other_key: return
    need(names["record.tlog-proof"] in proven, "record.tlog-proof: nothing proves this exchange")
    r, intent = proven[names["record.tlog-proof"]], None
    need(r["log"] in logs, "record.tlog-proof: it is of the log %s, which manifest.json does not name" % r["log"])
    asked = r.get("intent_log") or r["log"]
    if r["kind"] == "outcome" and asked in logs:
        intent = proven.get(names["intent.tlog-proof"])
        need(intent, "intent.tlog-proof: nothing proves the request")
        need((intent["log"], intent["index"]) == (asked, r["intent"]), "intent.tlog-proof: it is not the intent of the record")
    request, service = intent or r, r.get("service", {})
    want = {"answer.json": encoded(indented(r.get("answer", ""))), "client-answer.xml": encoded(r.get("client", {}).get("answer")), "service-answer.xml": encoded(service.get("answer")),
            "service-request." + ("json" if service.get("form") == "json" else "xml"): encoded(service.get("request")),
            "request.json": encoded(indented(request.get("request", ""))), "client-request.xml": encoded(request.get("client", {}).get("request"))}
    for name in ("answer.json", "client-answer.xml", "service-answer.xml", "service-request.json", "service-request.xml", "request.json", "client-request.xml"):
        path = os.path.join(folder, at, name)
        if not os.path.exists(path): need(not want.get(name), name + ": it is missing")
        else:
            with open(path, "rb") as file: need(file.read() == want.get(name, b""), name + ": it is not what the proof holds")
RECORDS = {"name": str, "first": int, "records": int, "purged": int, "sealed": int, "bytes": int, "sha256": str, "root": str, "invoices": {"name": str, "rows": int, "bytes": int, "sha256": str}}
STAMP = {"name": str, "bytes": int, "sha256": str}
MANIFEST = {"format": str, "log": str, "public_key": str, "size": int, "checkpoint": str, "file_records": int, "witnessed": {"checkpoint": str, "consistency": [str]}, "timestamped": {"checkpoint": STAMP, "reply": STAMP, "consistency": [str]}, "compression": str, "purged": int, "sealed": int, "purges": [str], "files": [RECORDS]}
EVIDENCE = {"format": str, "made": str, "log": str, "public_key": str, "logs": [{"log": str, "public_key": str, "checkpoint": str}], "cuit": int, "pto_vta": int, "cbte_tipo": int, "nro": int,
            "files": [{"path": str, "bytes": int, "sha256": str}]}
MAYBE = ["witnessed", "timestamped", "consistency", "compression", "purges", "logs", "log", "public_key"]  # a manifest may be without them; what needs them asks for them
def unlike(schema, v, at="manifest.json"):  # what a manifest has that none has, and what it lacks
    if isinstance(schema, type): return [] if type(v) is schema else [at + ": it is of another kind"]
    if isinstance(schema, list): return sum((unlike(schema[0], item, at) for item in v), []) if isinstance(v, list) else [at + ": it is no list"]
    if not isinstance(v, dict): return [at + ": it is no object"]
    bad = [at + ": it has no member %r" % name for name in schema if name not in v and name not in MAYBE]
    return bad + sum((unlike(schema[name], v[name], at + ": " + name) if name in schema else [at + ": it has a member %r that no manifest has" % name] for name in v), [])
def links(folder):  # what a link leads to is no part of the folder
    there = [os.path.join(at, name) for at, folders, names in os.walk(folder) for name in folders + names]
    return ["%s: it is no regular file" % os.path.relpath(path, folder) for path in there if os.path.islink(path) or not os.path.isdir(path) and not os.path.isfile(path)]
def listing(folder, m, key, log, size):  # what the manifest says beside the records
    bad, first = links(folder) + unlike(MANIFEST, m), 0
    def right(is_so, text): bad.extend([] if is_so else ["manifest.json: " + text])
    right(m["format"] in ["fielato-export/%d" % n for n in range(1, 12)] and not (m.get("witnessed") and m["format"] not in ("fielato-export/10", "fielato-export/11")) and not (m.get("timestamped") and m["format"] != "fielato-export/11") and not (m["format"] == "fielato-export/1" and m.get("purges")), "its format is unknown here")
    right(m["public_key"] == key and m["log"] == log and m["size"] == size, "it has another key, log or size than the checkpoint")
    right(m["file_records"] > 0 and m["file_records"] % 256 == 0 and m.get("compression", "") in ("", "zstd"), "its files have a form that is unknown here")
    for at, f in enumerate(m["files"]):
        right(f["first"] == first and 0 < f["records"] <= m["file_records"] and (f["records"] == m["file_records"] or at == len(m["files"]) - 1), "its files do not follow each other")
        between = "%012d-%012d" % (first, first + f["records"] - 1)
        right(f["name"] == "records-%s.jsonl%s" % (between, ".zst" * (m.get("compression") == "zstd")) and f["invoices"]["name"] == "invoices-%s.csv" % between, "a file has another name")
        first += f["records"]
        with open(os.path.join(folder, "invoices-%s.csv" % between), "rb") as file: table = file.read()
        rows = sum(1 for _ in csv.reader(io.StringIO(table.decode(), newline=""))) - 1
        right((rows, len(table), sha(table).hex()) == (f["invoices"]["rows"], f["invoices"]["bytes"], f["invoices"]["sha256"]), "a table of invoices is another one")
    right((first, sum(f["purged"] for f in m["files"]), sum(f["sealed"] for f in m["files"])) == (size, m["purged"], m["sealed"]), "its files have other sums")
    named, there = {"manifest.json"} | {name for f in m["files"] for name in (f["name"], f["invoices"]["name"])}, os.listdir(folder)
    going_on = unfinished(folder)
    if m.get("timestamped"): named |= {"timestamp.txt", "timestamp.tsr"}
    right(all(name in named or going_on and re.match(r"progress\.json$|timestamp\.t(xt|sr)$|records-|invoices-|.*\.partial$", name) for name in there), "the folder has a file that it does not name")
    return bad
def unfinished(folder): return any(name in ("progress.json", "progress.json.partial") for name in os.listdir(folder))  # a later export into the same folder
def contents(path):
    with open(path, "rb") as file: return file.read()
def within(name, find):  # what find returns; what is wrong is in this file
    try: return find()
    except (Bad, ValueError) as wrong: raise Bad("%s: %s" % (name, wrong))
def authority(folder, records, note, reply):  # whether the authority that was asked for has stamped a checkpoint
    need(sha(note) in reply, "timestamp.tsr: the stamp is for another document")
    if (note, reply) in STAMPED: return
    STAMPED.append((note, reply))
    where, what = folder or ".", "%d records existed when timestamp.txt was stamped" % records
    if not ROOTS:
        print("time-stamp: %s; it was not verified by whom and when: give --timestamp-roots, or run openssl ts -verify -data %s -in %s -CAfile ROOTS" % (what, os.path.join(where, "timestamp.txt"), os.path.join(where, "timestamp.tsr")), file=sys.stderr)
        return
    def openssl(*arguments): return subprocess.run(["openssl", "ts", *arguments], cwd=where, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    told = openssl("-reply", "-in", "timestamp.tsr", "-text").stdout.rpartition("\nTST info:\n")[2]  # nobody has signed what stands before
    at = re.search(r"^Time stamp: (\w+ +\d+ \d+:\d+:\d+)(?:\.\d+)? (\d+) GMT$", told, re.M)
    need(at, "timestamp.tsr: it is no answer of an authority")
    time = datetime.datetime.strptime("%s %s" % at.groups(), "%b %d %H:%M:%S %Y").replace(tzinfo=datetime.timezone.utc)
    done = openssl("-verify", "-data", "timestamp.txt", "-in", "timestamp.tsr", "-CAfile", os.path.abspath(ROOTS), "-attime", "%d" % time.timestamp())
    need(done.returncode == 0, "timestamp.tsr: the authority has not stamped it: " + done.stdout.strip().replace("\n", ", ")[:400])
    print("time-stamp: %d records existed at %s, verified with the roots that were given" % (records, time.isoformat()), file=sys.stderr)
def stamp(m, folder, key, log, size, root):  # the time-stamp of an export
    if not m.get("timestamped"): return need(not ROOTS, "the authority has not stamped it: it has no time-stamp")
    of, both = m["timestamped"], []
    for file, name in ((of["checkpoint"], "timestamp.txt"), (of["reply"], "timestamp.tsr")):
        need(file["name"] == name, "manifest.json: a file of the time-stamp has another name")
        path = os.path.join(folder, name)
        both.append(contents(path) if os.path.isfile(path) else b"")
        if (len(both[-1]), sha(both[-1]).hex()) == (file["bytes"], file["sha256"]): continue
        need(unfinished(folder) and not ROOTS, name + ": it is not the one that manifest.json names")
        return print("not looked at, of a later export that is not finished: " + name, file=sys.stderr)
    other, first, before, _ = within("timestamp.txt", lambda: checkpoint(both[0].decode(), key))
    need(other == log and 0 < first <= size, "timestamp.txt: it is of another log, or of more records")
    roots = within("manifest.json", lambda: longer(0, size, first, [b64(hash, 32) for hash in of.get("consistency", [])], before))
    need(roots == (before, root), "timestamp.txt: the export does not continue it")
    authority(folder, first, *both)
def stamp_beside(folder, r, tree, key):  # the time-stamp beside a proof, in evidence
    paths = [os.path.join(folder, name) for name in ("timestamp.txt", "timestamp.tsr", "timestamp.consistency")]
    if not any(os.path.exists(path) for path in paths): return need(not ROOTS, "record.tlog-proof: the authority has not stamped it: it has no time-stamp")
    for path in paths: need(os.path.isfile(path), os.path.basename(path) + ": it is missing")
    note, reply, way = [contents(path) for path in paths]
    log, size, root, _ = within("timestamp.txt", lambda: checkpoint(note.decode(), key))
    need(log == r["log"] and r["index"] < size, "timestamp.txt: it is of another log, or the record is not under it")
    (low, old), (high, new) = sorted([(size, root), tuple(tree)])
    head, *path = way.decode().split("\n")
    need(head == "consistency %d %d" % (low, high) and path and path[-1] == "", "timestamp.consistency: it is of other checkpoints")
    roots = within("timestamp.consistency", lambda: longer(0, high, low, [b64(hash, 32) for hash in path[:-1]], old))
    need(roots == (old, new), "timestamp.consistency: the checkpoints are not of one history")
    authority(folder, size, note, reply)
TREE, STAMPED = [], []  # the size and root under the proof that was read last, and the stamps that were looked at
def witness(m, key, log, size, root):  # the checkpoint of an export that witnesses have signed
    if not m.get("witnessed"): return None
    other, first, before, _ = checkpoint(m["witnessed"]["checkpoint"], key)
    need(other == log and 0 < first <= size, "the cosigned checkpoint is of another log, or of more records")
    path = [b64(hash, 32) for hash in m["witnessed"].get("consistency", [])]
    need(longer(0, size, first, path, before) == (before, root), "the export does not continue the cosigned checkpoint")
    return m["witnessed"]["checkpoint"]
def export(folder, key):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8", newline="") as file: m = read(file.read())
    if m["format"].startswith("fielato-evidence/"): return evidence(folder, m, key)
    log, size, root, since = checkpoint(m["checkpoint"], key)
    signed(witness(m, key, log, size, root), key, "manifest.json: ")
    stamp(m, folder, key, log, size, root)
    acts = sorted((proof(p, key) for p in m.get("purges", [])), key=lambda a: a["index"])
    need(m["log"] == log and all(a["log"] == log and a["kind"] == "access" for a in acts), "manifest.json has something of another log")
    bad, says, gone, intents, roots, held = listing(folder, m, key, log, size), collections.Counter(), collections.Counter(), {}, [], set()
    for part in m["files"]:
        name, before = part["name"], dict(says)
        if name.endswith(".zst") and not shutil.which("zstd"): misused("%s: it takes the program zstd, which is not there" % name)
        with open(os.path.join(folder, os.path.basename(name)), "rb") as file: data = file.read()
        if (len(data), sha(data).hex()) != (part["bytes"], part["sha256"]): bad.append("%s: it is not the one that manifest.json names" % name)
        if name.endswith(".zst"): data = subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=True).stdout
        *lines, last = data.split(b"\n")
        if last: bad.append("%s: its last line has no end" % name)
        for at, line in enumerate(lines, 1):
            r, n, hash = {}, says["records"], b""
            try:
                pairs = read(line.decode())
                r, hash = pairs, sha(b"\0" + summary(pairs))
                need(hash.hex() == r["leaf"], "it was changed: its leaf is another one")
                need(r["index"] == n and r["log"] == log, "it stands in the place of record %d" % n)
                need(written(LINE, r) and json.dumps(r, ensure_ascii=False, separators=(",", ":")).encode() == line, "it is not written as an export writes it")
                judge(r, since, acts, gone, intents, says)
            except (Bad, KeyError, ValueError, TypeError, AttributeError) as wrong:
                bad.append("%s:%d: record %s: %s" % (name, at, r.get("index", n), wrong))
            says["records"] += 1
            while n & 1: n, hash = n >> 1, node(roots.pop(), hash)
            roots.append(hash)
        upto = list(roots)
        while len(upto) > 1: upto[-2:] = [node(*upto[-2:])]
        found = [says[word] - before.get(word, 0) for word in ("records", "purged", "sealed")] + [hash.hex() for hash in upto]
        if not bad and found != [part["records"], part["purged"], part["sealed"], part["root"]]: bad.append("%s: it has not the records that manifest.json names" % name)
    while len(roots) > 1: roots[-2:] = [node(*roots[-2:])]
    if not bad and (says["records"] != size or (roots or [sha(b"")]) != [root]):
        bad.append("the %d records do not give the root that was signed over %d" % (says["records"], size))
    for a in acts:
        if a["outcome"] in ("hold", "release"): (held.add if a["outcome"] == "hold" else held.discard)(a["cuit"])
        elif gone[a["index"]] > a["purge"]["records"]: bad.append("record %d: more content is gone than it says" % a["index"])
        elif a["outcome"] == "purge" and held - set(a["purge"]["held"]): bad.append("record %d: it is a purge of an issuer on hold" % a["index"])
    return bad, "sound: " + ", ".join("%d %s" % (says[word], word) for word in says if says[word])
def signed(note, key, where):  # whether the witnesses that were asked for have signed a checkpoint
    says, enough = POLICY.judge(note, key) if note else ("nobody", POLICY.quorum is None)
    need(enough, "%sthe witnesses that were asked for have not signed: %s" % (where, says))
    if says != "nobody" and says not in SIGNED: SIGNED.append(says)
SIGNED, OPEN, POLICY, options, arguments = [], [], witnesses.Policy(), {"--witness": [], "--quorum": [], "--policy": [], "--timestamp-roots": []}, sys.argv[1:]
while arguments and arguments[0].startswith("--"):
    if arguments[0] not in options or len(arguments) < 2: misused(__doc__)
    options[arguments[0]].append(arguments[1])
    arguments = arguments[2:]
if len(arguments) != 2: misused(__doc__)
key, path = arguments
try:
    if options["--policy"] and (options["--witness"] or options["--quorum"]) or len(options["--policy"] + options["--quorum"]) > 1: misused(__doc__)
    ROOTS = (options["--timestamp-roots"] or [""])[-1]
    if ROOTS and not os.path.isfile(ROOTS): misused("%s is not there: give a PEM file with root certificates" % ROOTS)
    if ROOTS and not shutil.which("openssl"): misused("--timestamp-roots takes the program openssl, which is not there")
    if options["--policy"]: POLICY = witnesses.read(options["--policy"][0])
    elif options["--witness"] or options["--quorum"]: POLICY = witnesses.asked(options["--witness"], whole(options["--quorum"][0]) if options["--quorum"] else None)
except Exception as wrong: misused("%s" % wrong)
try:
    if os.path.isfile(key):
        with open(key, encoding="utf-8") as file: key = file.read()
    if not os.path.exists(path): misused("%s is not there: give a folder of audit export or audit evidence, or a file .tlog-proof" % path)
    if os.path.isfile(path) and zipfile.is_zipfile(path):
        misused("%s is a zip file: give the folder in it. unzip %s -d FOLDER, then python3 verify.py KEY FOLDER" % (path, path))
    if os.path.isfile(path):
        with open(path, "rb") as file: first = file.readline(64)
        if first.rstrip() != b"c2sp.org/tlog-proof@v1": misused("%s is no proof: give a folder of audit export or audit evidence, or a file .tlog-proof" % path)
    elif not os.path.isfile(os.path.join(path, "manifest.json")):
        misused("%s has no manifest.json: give the folder that audit export or audit evidence wrote" % path)
    key = key.strip()
    if os.path.isdir(path): bad, good = export(path, key)
    else:
        with open(path, encoding="utf-8", newline="") as file: text = file.read()
        r = proof(text, key)
        bad, good = [], json.dumps(r, indent=1)
        if ROOTS: stamp_beside(os.path.dirname(path), r, TREE, key)
        signed(text.partition("\n\n")[2], key, "")
    for line in SIGNED: print("witnesses: " + line, file=sys.stderr)
    sys.exit(print("\n".join(bad) or good) or (1 if bad else 2 if OPEN else 0))
except Exception as wrong:  # what keeps this machine from reading or writing says nothing about the evidence
    here = isinstance(wrong, MemoryError) or isinstance(wrong, OSError) and wrong.errno in (errno.EACCES, errno.EPERM, errno.EIO, errno.ENOSPC, errno.ENOMEM, errno.EMFILE)
    misused("not all could be checked: %s" % (str(wrong) or "there is not enough memory")) if here else sys.exit("broken: %s" % wrong)
