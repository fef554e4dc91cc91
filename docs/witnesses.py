"""Says who has signed a checkpoint, and if these are the witnesses that were asked for (C2SP tlog-cosignature, tlog-policy)."""
import base64, datetime, hashlib, os, re
import ed25519  # which stands beside this file

class Bad(Exception): pass
def need(right, text):
    if not right: raise Bad(text)
# Everything has one spelling. Another one of the same value is refused: people and programs may read it otherwise.
def b64(text, *sizes):
    raw = base64.b64decode(text.encode("ascii"), validate=True)
    need(base64.b64encode(raw).decode() == text and (not sizes or len(raw) in sizes), "it has base64 that is not written as it was, or of another length")
    return raw
def public_key(text, kind, what):  # its name, the beginning of its lines, and the key itself; kind is 1 for a log and 4 for a witness
    known = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+(\S+)", text)
    need(known, what)
    name, hashed, key = known[1], known[2], b64(known[3], 33)
    need(key[0] == kind and hashlib.sha256(name.encode() + b"\n" + key).hexdigest()[:8] == hashed, what)
    return name, bytes.fromhex(hashed), key[1:]
def note(text):  # what is signed, and the lines: a name, and the signature with the beginning of the key's digest
    signed, _, signatures = text.rpartition("\n\n")
    *lines, last = signatures.split("\n")
    found = [re.fullmatch("\u2014 ([^\\s+]+) (\\S+)", line) for line in lines]
    need(last == "" and all(found) and len(found) <= 100 and not re.search("[\0-\x09\x0b-\x1f]", text), "the checkpoint is not written as it was")
    made = [(line[1], b64(line[2])) for line in found]
    need(all(len(sig) > 4 for _, sig in made), "the checkpoint has a signature that is none")
    return signed + "\n", made

class Policy:
    """The witnesses that were asked for. quorum is a tree: a witness, or a number and its members. None asks for nobody."""
    def __init__(self): self.witnesses, self.quorum, self.logs = [], None, []
    def add(self, text):
        one = public_key(text, 4, "%.60s is no public key of a witness" % text.split("+")[0])
        need(one[2] not in [other[2] for other in self.witnesses], "the key of the witness %s is there twice" % one[0])
        self.witnesses.append(one)
        return one
    def met(self, seen, part):
        if len(part) == 3: return part in seen
        return sum(self.met(seen, member) for member in part[1]) >= part[0]
    def judge(self, text, key):  # what the lines show, and whether that is enough
        need(not self.logs or key in self.logs, "the policy does not name the key of this log")
        (signed, made), own, seen = note(text), public_key(key, 1, "KEY is no public key of a log"), {}
        for one in self.witnesses:
            mine = [sig[4:] for name, sig in made if (name, sig[:4]) == one[:2]]
            if not mine: continue
            at = int.from_bytes(mine[0][:8], "big")
            need(len(mine[0]) == 72 and 0 < at < 1 << 63 and ed25519.verify(one[2], b"cosignature/v1\ntime %d\n" % at + signed.encode(), mine[0][8:]),
                 "the signature of the witness %s is wrong" % one[0])
            seen[one] = at
        known = [one[:2] for one in self.witnesses] + [own[:2]]
        says = ["%s at %s" % (one[0], moment(at)) for one, at in seen.items()] + ["not by " + one[0] for one in self.witnesses if one not in seen] \
            + ["a line by a key that was not given: " + name for name, sig in made if (name, sig[:4]) not in known]
        return "; ".join(says) or "nobody", self.quorum is None or self.met(seen, self.quorum)
def moment(seconds):
    try: return (datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds, hours=-3)).isoformat() + "-03:00"
    except OverflowError: return str(seconds)
def asked(keys, quorum):  # the policy of --witness and --quorum
    policy = Policy()
    for text in keys:
        if os.path.isfile(text):
            with open(text, encoding="utf-8") as file: text = file.read()
        policy.add(text.strip())
    quorum = len(keys) // 2 + 1 if quorum is None else quorum
    need(1 <= quorum <= len(keys), "--quorum is a number from 1 to the number of witnesses")
    policy.quorum = quorum, policy.witnesses
    return policy
def read(path):  # the policy in a file
    with open(path, encoding="utf-8", newline="") as file: text = file.read()
    policy, named, used, quorum = Policy(), {}, set(), None
    for at, line in enumerate(text.split("\n"), 1):
        word, *rest = [w for w in re.split("[ \t]", line) if w] or [""]
        try:
            need(not re.search("[\0-\x08\x0a-\x1f\x7f]", line), "it has a control character")
            if not word or word[0] == "#": continue
            if word == "log" and len(rest) in (1, 2):
                public_key(rest[0], 1, "this is no public key of a log")
                policy.logs.append(rest[0])
            elif word == "witness" and len(rest) in (2, 3):
                need(rest[0] not in named and rest[0] != "none", "the name is taken")
                named[rest[0]] = policy.add(rest[1])
            elif word == "group" and len(rest) >= 3:
                name, number, *members = rest
                need(name not in named and name != "none", "the name is taken")
                need(all(m in named for m in members), "no line before it has such a witness or group")
                need(len(set(members)) == len(members) and not used & set(members), "a witness or group is a member twice")
                used.update(members)
                number = {"any": "1", "all": str(len(members))}.get(number, number)
                need(re.fullmatch("[1-9][0-9]{0,5}", number) and int(number) <= len(members), "the group has not so many members")
                named[name] = int(number), [named[m] for m in members]
            elif word == "quorum" and len(rest) == 1:
                need(quorum is None, "there is a line quorum already")
                need(rest[0] in named or rest[0] == "none", "no line before it has such a witness or group")
                quorum, policy.quorum = rest[0], named.get(rest[0])
            else: raise Bad("it is no line of a policy")
        except (Bad, ValueError) as wrong: raise Bad("%s, line %d: %s" % (path, at, wrong))
    need(quorum, "%s has no line quorum" % path)
    return policy
