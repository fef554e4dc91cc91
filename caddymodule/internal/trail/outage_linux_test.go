package trail_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestFullDisk: no file of the gateway's process may grow or be written to any more. Its
// log goes into a pipe.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	upstream := caddytest.NewIssuing(t)
	o := &outage{Process: caddytest.StartProcess(t, caddytest.ProxyTo(upstream.URL)), upstream: upstream}
	var before syscall.Rlimit
	o.breaks = func() { before = limitFiles(t, o.Cmd.Process.Pid, 0) }
	o.ends = func() { limitFiles(t, o.Cmd.Process.Pid, before.Cur) }
	o.between(t)
}

// limitFiles sets RLIMIT_FSIZE of another process and returns what it was.
func limitFiles(t *testing.T, pid int, size uint64) (before syscall.Rlimit) {
	t.Helper()
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_FSIZE, 0,
		uintptr(unsafe.Pointer(&before)), 0, 0); errno != 0 {
		t.Fatalf("reading the limit: %v", errno)
	}
	after := syscall.Rlimit{Cur: size, Max: before.Max}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_FSIZE,
		uintptr(unsafe.Pointer(&after)), 0, 0, 0); errno != 0 {
		t.Fatalf("setting the limit: %v", errno)
	}
	return before
}

// TestFullFileSystem is TestFullDisk with a file system of its own, where the test may
// mount one; the error of the system is another one then.
func TestFullFileSystem(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=4m"); err != nil {
		t.Logf("no file system of its own: %v; TestFullDisk stands for it", err)
		return
	}
	t.Cleanup(func() {
		// A process that another test starts at this moment still has the files of this one open: the file system
		// goes once they are closed.
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	upstream := caddytest.NewIssuing(t)
	o := &outage{Process: caddytest.StartProcessIn(t, folder, "", caddytest.ProxyTo(upstream.URL)), upstream: upstream}
	filling := filepath.Join(folder, "filling")
	o.breaks = func() {
		// The write-ahead log may still be written from its beginning: it is made to
		// need another page with each record.
		f, err := os.Create(filling)
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = f.Write(bytes.Repeat([]byte{1}, 4096))
		}
		f.Close()
	}
	o.ends = func() { os.Remove(filling) }
	o.between(t)
	if log := o.Stderr.String(); !strings.Contains(log, "the disk is full: free space on it") {
		t.Errorf("the log does not say what to do:\n%s", log)
	}
}

// TestStopWithSomethingOwed: the log names each lost record, so that it can be asked for; the
// intent stays as an open one.
func TestStopWithSomethingOwed(t *testing.T) {
	t.Parallel()
	upstream := caddytest.NewIssuing(t)
	o := &outage{Process: caddytest.StartProcess(t, caddytest.ProxyTo(upstream.URL)), upstream: upstream}
	release := upstream.Hold(t, 1)
	answered := make(chan caddytest.Response, 1)
	go func() { answered <- o.Post("FECAESolicitar", caddytest.Invoice(1)) }()
	<-upstream.Arrived
	limitFiles(t, o.Cmd.Process.Pid, 0)
	release()
	exchange := strings.TrimPrefix((<-answered).Header.Get("Wsfev1-Unrecorded"), "pending; exchange=")
	o.End()
	log := o.Stderr.String()
	for _, want := range []string{
		`"records are lost: they had not been written`, `"records":1`, `"exchange":"` + exchange + `"`, `"cuit":"20111111112"`,
		`"pto_vta":1`, `"cbte_tipo":6`, caddytest.CodeOf(1), `"certainty":"answered"`, "the disk or its file system failed",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %s:\n%s", want, log)
		}
	}
	records := caddytest.ReadStore(t, o.Store)
	if len(records) != 1 || records[0].Kind != audit.KindIntent || records[0].ID != exchange {
		t.Errorf("the trail holds %d records: %+v", len(records), records)
	}
}

// TestReadOnlyFolder: a gateway does not start where it cannot make its files, and says
// what to do. Where they are there already nothing needs to be made.
func TestReadOnlyFolder(t *testing.T) {
	folder := t.TempDir()
	uid := ""
	if os.Geteuid() == 0 { // whom no permission binds
		uid = "65534"
		home := t.TempDir()
		for _, owned := range []string{filepath.Dir(folder), folder, home} {
			if err := os.Chown(owned, 65534, 65534); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("XDG_DATA_HOME", home)
		t.Setenv("XDG_CONFIG_HOME", home)
	}
	mode := func(m os.FileMode) {
		if err := os.Chmod(folder, m); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { mode(0o700) })
	upstream := caddytest.NewIssuing(t)
	mode(0o500)
	failed := caddytest.PrepareProcess(t, folder, uid, caddytest.ProxyTo(upstream.URL))
	if _, err := failed.Ready(); err == nil {
		t.Error("a gateway runs in a folder that it cannot write")
	}
	failed.End()
	if log := failed.Stderr.String(); !strings.Contains(log, "give the process the right to write its folder, or another path") {
		t.Errorf("the error does not say what to do:\n%s", log)
	}
	mode(0o700)
	first := &outage{Process: caddytest.StartProcessIn(t, folder, uid, caddytest.ProxyTo(upstream.URL)), upstream: upstream}
	first.wantIssued(t, 1, "")
	mode(0o500)
	first.wantIssued(t, 2, "")
	first.End()
	second := &outage{Process: caddytest.StartProcessIn(t, folder, uid, caddytest.ProxyTo(upstream.URL)), upstream: upstream}
	second.wantIssued(t, 3, "")
	second.End()
	caddytest.WantEachOnce(t, caddytest.ReadStore(t, second.Store), 1, 2, 3)
}
