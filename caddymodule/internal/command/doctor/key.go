package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/fielato/fielato/caddymodule/internal/backup"
	"github.com/fielato/fielato/caddymodule/internal/keyfile"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/internal/sshagent"
)

// keyResult looks at the private key of a log: whether it is there, safe, and the log's own.
// fallback is the file that the store has for it.
func keyResult(g gateway, fallback string, of openedTrail) result {
	const check = "signing key"
	if sshagent.IsOption(g.Trail.Key) {
		return agentResult(check, g.Trail.Key, fallback, of)
	}
	verifier, file, err := signingkey.Public(g.Trail.Key, fallback)
	where := file
	if file == "" {
		where = "the placeholder " + g.Trail.Key
	}
	info, missing := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && file != "":
		return missingKey(check, file, of)
	case file != "" && missing == nil && info.IsDir():
		return bad(check, "give the file that holds the private key", "%s is a folder", file)
	case file != "" && missing == nil && keyfile.Private(check, file, info) != nil:
		return bad(check, "chmod 600 "+file+": whoever has it can forge the trail", "%s has the mode %04o", file, info.Mode().Perm())
	case errors.Is(err, fs.ErrPermission):
		return warn(check, "run doctor as the gateway's user; it must be able to read the key", "%v", err)
	case err != nil:
		return bad(check, "give the private key that the log began with", "%v", err)
	case of.verifier != "" && of.verifier != verifier:
		return bad(check, "give the private key that the log began with: the gateway does not start with another one",
			"%s is the key %s, but the log %s is signed with %s", where, verifier, of.log, of.verifier)
	}
	if of.state == unbegun {
		if err := signingkey.CheckUnused(g.Trail.Key, fallback, of.log); err != nil {
			return bad(check, "restore the database, mount its disk or correct the path; the gateway does not start", "%v", err)
		}
	}
	found := where
	if file != "" {
		found += fmt.Sprintf(" has the mode %04o", info.Mode().Perm())
	}
	if of.verifier != "" {
		found += ", and is the key of the log " + of.log
	}
	return ok(check, "%s", found)
}

// agentResult looks whether an ssh-agent has the private key of a log. It has nothing signed.
func agentResult(check, option, fallback string, of openedTrail) result {
	key, err := keyfile.NewAgent(option, fallback)
	switch {
	case err != nil:
		return bad(check, "write key agent <socket> <fingerprint>, as ssh-add -l shows it", "%v", err)
	case of.verifier != "" && !key.Is(of.verifier):
		return bad(check, "give the private key that the log began with: the gateway does not start with another one",
			"%s is not the key of the log %s, which is signed with %s", key, of.log, of.verifier)
	}
	if of.state == unbegun {
		if err := signingkey.CheckUnused(option, fallback, of.log); err != nil {
			return bad(check, "restore the database, mount its disk or correct the path; the gateway does not start", "%v", err)
		}
	}
	switch _, err := key.Look(); {
	case errors.Is(err, fs.ErrPermission):
		return warn(check, "run doctor as the gateway's user; it must be able to reach the agent", "%v", err)
	case err != nil:
		return bad(check, "mend what the error names; the gateway does not start, and records nothing", "%v", err)
	}
	found := "the agent has the key: " + key.String()
	if of.verifier != "" {
		found += ", which is that of the log " + of.log
	}
	return ok(check, "%s", found)
}

// missingKey judges a file of a key that is not there.
func missingKey(check, file string, of openedTrail) result {
	switch of.state {
	case underway:
		return bad(check, "put the copy of the key back: without it the gateway does not start on this trail", "%s is not there", file)
	case unbegun:
		return ok(check, "%s is made at the first start; keep a copy of it then", file)
	}
	return warn(check, "right before the first start only: else put the copy of the key back", "%s is not there, and the trail could not be read", file)
}

// writeResult looks whether the trail can be written: its file and its folder, in which SQLite
// makes more files. may returns an error where this process may not.
func writeResult(path string, may func(string) error) result {
	const check = "write access"
	switch err := may(path); {
	case errors.Is(err, fs.ErrPermission):
		return warn(check, "run doctor as the gateway's user; if it is, give it the right to write", "%v", err)
	case err != nil:
		return bad(check, "give the trail a path that can be written; the gateway does not start", "%v", err)
	}
	if err := backup.CheckFiles(path); err != nil {
		return warn(check, "chown the files of the trail to the user who runs the gateway: it cannot open those of another", "%v", err)
	}
	return ok(check, "this user may write %s", path)
}
