//go:build unix

package keyfile

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func asText(text string) (string, error) { return text, nil }

// TestWhoMayReadAKey: its owner, a group of one user, and the unit that systemd has given it to.
func TestWhoMayReadAKey(t *testing.T) {
	credentials, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("CREDENTIALS_DIRECTORY", credentials)
	inside, outside := filepath.Join(credentials, "homo.key"), filepath.Join(elsewhere, "homo.key")
	for _, file := range []string{inside, outside} {
		if err := os.WriteFile(file, []byte("key"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Whether the group of the test's own files has one user is the machine's matter.
	mayGroup := func() bool {
		info, err := os.Stat(outside)
		return err == nil && hasOneUser(info)
	}()
	for _, c := range []struct {
		file string
		mode fs.FileMode
		may  bool
	}{
		{outside, 0o600, true},
		{outside, 0o400, true},
		{outside, 0o640, mayGroup},
		{outside, 0o440, mayGroup},
		{outside, 0o644, false},
		{outside, 0o660, false},
		{outside, 0o604, false},
		{inside, 0o440, true}, // as an access list shows
		{inside, 0o444, false},
		{filepath.Join(credentials, "..", filepath.Base(elsewhere), "homo.key"), 0o644, false},
	} {
		if err := os.Chmod(c.file, c.mode); err != nil {
			t.Fatal(err)
		}
		_, err := Read("the private key", c.file, asText)
		if (err == nil) != c.may || err != nil && !strings.Contains(err.Error(), "chmod 600 it") {
			t.Errorf("%s with %04o: %v", c.file, c.mode, err)
		}
	}
}

func TestUsersOfAGroup(t *testing.T) {
	const users = "root:x:0:0:root:/root:/bin/sh\nfielato:x:998:998::/var/lib/fielato:/usr/sbin/nologin\nana:x:1000:1000::/home/ana:/bin/sh\nluis:x:1001:1000::/home/luis:/bin/sh\n"
	const groups = "root:x:0:\nfielato:x:998:\nkeys:x:997:fielato\nops:x:996:fielato,ana\nempty:x:995:\n"
	for gid, want := range map[int][]string{
		0: {"root"}, 998: {"fielato"}, 997: {"fielato"}, 996: {"ana", "fielato"}, 1000: {"ana", "luis"}, 995: nil, 1: nil,
	} {
		if got := slices.Sorted(maps.Keys(usersOf(gid, users, groups))); !slices.Equal(got, want) {
			t.Errorf("group %d: %v, want %v", gid, got, want)
		}
	}
}

// TestAKeyThatCannotBeReadNamesTheCure: as the shipped unit finds a key that root has put there.
func TestAKeyThatCannotBeReadNamesTheCure(t *testing.T) {
	err := unreadable("the private key", "/etc/fielato/homo.key", &fs.PathError{Op: "open", Path: "/etc/fielato/homo.key", Err: fs.ErrPermission})
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "chgrp") {
		t.Error(err)
	}
}
