package postgrestest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// fill makes the data folder of a new server. What initdb makes is kept in the user's folder for
// caches, and copied from there: initdb takes more than a second of a processor, and a run of all
// tests starts some fifteen servers. Another PostgreSQL has another copy there. Where there is no
// such folder, initdb is run each time.
func (c *Cluster) fill(programs string) error {
	kept, err := keptAt(programs)
	if err != nil {
		return c.initdb(programs)
	}
	if _, err := os.Stat(kept); err != nil {
		if err := c.initdb(programs); err != nil {
			return err
		}
		_ = c.keep(kept) // without it the next server takes longer, and works
		return nil
	}
	return copyFolder(kept, c.data())
}

// flags are the flags of initdb, except for folders and files.
var flags = []string{"--no-sync", "-U", "fielato", "-A", "scram-sha-256", "-E", "UTF8", "--locale", "C"}

func (c *Cluster) initdb(programs string) error {
	password := filepath.Join(c.folder, "password")
	if err := os.WriteFile(password, []byte(Password+"\n"), 0o600); err != nil {
		return err
	}
	if err := own(password); err != nil {
		return err
	}
	initdb := exec.Command(filepath.Join(programs, "initdb"), slices.Concat(flags, []string{"-D", c.data(), "--pwfile", password})...) //nolint:gosec // what a test has found installed
	initdb.Dir, initdb.SysProcAttr = c.folder, unprivileged()
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

// keptAt is the folder of what initdb makes. Its name says which program made it, with what, and
// for which user.
func keptAt(programs string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	program, err := os.Stat(filepath.Join(programs, "initdb"))
	if err != nil {
		return "", err
	}
	uid, _, _ := owner()
	made := sha256.Sum256(fmt.Append(nil, programs, program.ModTime().UnixNano(), program.Size(), flags, Password, uid))
	return filepath.Join(cache, "fielato-test", "postgres-"+hex.EncodeToString(made[:8])), nil
}

// keep copies the data folder for those that come after. The folder takes its name when it is
// whole: another package's tests may do the same at this moment, and it is an error for all but the
// first.
func (c *Cluster) keep(kept string) error {
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(kept), "part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	whole := filepath.Join(part, "data")
	if err := copyFolder(c.data(), whole); err != nil {
		return err
	}
	return os.Rename(whole, kept)
}

// copyFolder copies a folder with its owners and modes.
func copyFolder(from, to string) error {
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("copying a server's data: %w: %s", err, out)
	}
	return nil
}
