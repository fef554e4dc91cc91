package caddymodule_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// kept is where a scene keeps its trail.
type kept interface {
	audit() string   // the option of the gateway
	address() string // the value of --store
	key() string     // the file of the private key
	log() []string   // arguments that a command about one log needs
	backUp()         // makes a backup, and keeps a checkpoint
	lose()           // removes the database while no gateway runs
	putBack()        // puts the newest backup in place by hand, without a command
	open() audit.Store
	clear()   // removes all records, and the checkpoint
	restore() // restores the newest backup by the page, from its second step on
}

func newKept(s *scene, kind string) kept {
	if kind == "SQLite" {
		return &keptInFile{s, filepath.Join(s.folder, "audit.db")}
	}
	cluster := postgrestest.New(s.T, "fsync = off\n")
	name := postgrestest.DatabaseOf(s.T, cluster.Database(s.T))
	return &keptInServer{scene: s, cluster: cluster, proxy: postgrestest.NewProxy(s.T, cluster.Address()), database: name, node: "edge-1"}
}

// copyAll copies files into a folder, as cp -a does.
func (s *scene) copyAll(pattern, folder string) {
	s.T.Helper()
	files, err := filepath.Glob(pattern)
	if s.no(err); len(files) == 0 {
		s.T.Fatalf("nothing to copy: %s", pattern)
	}
	out, err := exec.CommandContext(s.T.Context(), "cp", slices.Concat([]string{"-a"}, files, []string{folder})...).CombinedOutput()
	if err != nil {
		s.T.Fatalf("cp: %v\n%s", err, out)
	}
}

// keepKey copies the files into the vault that the page of backups names beside the database.
func (s *scene) keepKey() {
	s.T.Helper()
	s.copyAll(s.kept.key(), s.vault)
	s.copyAll(s.kept.key()+".used", s.vault)
}

// putKeyBack copies them back.
func (s *scene) putKeyBack() {
	s.T.Helper()
	s.copyAll(filepath.Join(s.vault, filepath.Base(s.kept.key()))+"*", s.folder)
}

// loseKeyFiles removes the private key with the files that begin with its name.
func (s *scene) loseKeyFiles() {
	s.T.Helper()
	files, err := filepath.Glob(s.kept.key() + "*")
	s.no(err)
	for _, file := range files {
		s.no(os.Remove(file))
	}
}

func (s *scene) checkpoint() string { return filepath.Join(s.vault, "checkpoint") }

// keepCheckpoint keeps the newest checkpoint in the vault.
func (s *scene) keepCheckpoint() {
	s.T.Helper()
	out, errs, err := caddytest.AuditCommand(append([]string{"checkpoint", "--store", s.kept.address()}, s.kept.log()...)...)
	if err != nil {
		s.T.Fatalf("checkpoint: %v\n%s", err, errs)
	}
	s.no(os.WriteFile(s.checkpoint(), []byte(out), 0o600))
}

// keptInFile is a trail in SQLite.
type keptInFile struct {
	*scene
	path string
}

func (k *keptInFile) audit() string   { return "audit sqlite " + k.path }
func (k *keptInFile) address() string { return "sqlite:" + k.path }
func (k *keptInFile) key() string     { return k.path + ".key" }
func (*keptInFile) log() []string     { return nil }

func (k *keptInFile) backUp() {
	k.T.Helper()
	k.follow("operating.md", "Backup")
	k.must("backup")
	k.keepCheckpoint()
}

func (k *keptInFile) lose() {
	k.T.Helper()
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		if err := os.Remove(k.path + suffix); err != nil && !os.IsNotExist(err) {
			k.T.Fatal(err)
		}
	}
}

func (k *keptInFile) putBack() {
	k.T.Helper()
	content, err := os.ReadFile(k.newestBackup())
	k.no(err)
	k.no(os.WriteFile(k.path, content, 0o600))
}

func (k *keptInFile) restore() {
	k.T.Helper()
	if _, err := os.Stat(k.key()); err != nil {
		k.step("Put the private key of the trail in its place, if it is gone too.", "put the key back", k.putKeyBack)
	}
	k.step("Run the command as the user of the gateway", "audit restore", func() {
		var force []string
		if _, err := os.Stat(k.path); err == nil {
			if said, err := k.command("restore"); err == nil || !strings.Contains(err.Error(), "--force moves it aside") {
				k.T.Errorf("over a trail: %v\n%s", err, said)
			}
			force = []string{"--force"}
		}
		k.must("restore", force...)
	})
}

// keptInServer is a trail in PostgreSQL.
type keptInServer struct {
	*scene
	cluster        *postgrestest.Cluster
	proxy          *postgrestest.Proxy // the address of the server, whichever it is
	database, node string
	contentKey     string // the file of the key of the content, empty for none
}

func (k *keptInServer) audit() string {
	lines := []string{"audit postgres {env.FIELATO_TEST_DSN} {", "\tnode " + k.node, "\tkey " + k.key(), "\tmigrate auto"}
	if k.contentKey != "" {
		lines = append(lines, "\tencryption_key "+k.contentKey)
	}
	return strings.Join(append(lines, "}"), "\n\t\t")
}

func (k *keptInServer) address() string {
	return "postgres:" + k.proxy.DSN(k.cluster, k.database)
}
func (k *keptInServer) key() string   { return filepath.Join(k.folder, k.node+".key") }
func (k *keptInServer) log() []string { return []string{"--log", k.node} }
func (k *keptInServer) dump() string  { return filepath.Join(k.vault, "invoices.dump") }

func (k *keptInServer) backUp() {
	k.T.Helper()
	k.follow("operating.md", "Backup")
	if !strings.Contains(k.text, "`pg_dump` of the whole database") {
		k.T.Error("the page has another way")
	}
	k.cluster.Dump(k.T, k.database, k.dump())
	k.keepCheckpoint()
}

func (k *keptInServer) lose() {
	k.T.Helper()
	k.cluster.Empty(k.T, k.database)
}

func (k *keptInServer) putBack() {
	k.T.Helper()
	k.cluster.Restore(k.T, k.database, k.dump())
}

func (k *keptInServer) restore() {
	k.T.Helper()
	k.step("Restore the database", "pg_restore", k.putBack)
	k.step("with `--checkpoint` and a kept checkpoint", "audit verify", func() {
		k.must("verify", slices.Concat(k.log(), []string{"--checkpoint", k.checkpoint()})...)
	})
	if _, err := os.Stat(k.key()); err != nil {
		k.step("under its own `node` name, with its own key", "put the key back", k.putKeyBack)
	}
}
