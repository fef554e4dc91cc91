package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// inRepository makes the top of the repository the folder of the test, and gives it what release/parts makes.
func inRepository(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	for _, file := range placed {
		content, err := os.ReadFile(filepath.Join("..", "..", file[1]))
		if err != nil && file[1] != "release/third-party.txt" {
			t.Fatal(err)
		}
		name := filepath.Join(folder, file[1])
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, content, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
}

// pack makes an image of a program that has this text, and returns the archive.
func pack(t *testing.T, text string) ([]byte, string) {
	t.Helper()
	folder := t.TempDir()
	binary, archive := filepath.Join(folder, "fielato"), filepath.Join(folder, "image.tar")
	if err := os.WriteFile(binary, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := release{version: "0.1.0", revision: "1a2b", time: time.Unix(1795000000, 0).UTC()}
	digest, err := r.write(archive, []string{"amd64=" + binary, "arm64=" + binary})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	return content, digest
}

// files returns those of a tar by name.
func files(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for archive := tar.NewReader(r); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if all[header.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
		all[header.Name] = append([]byte(fmt.Sprintf("%o %d ", header.Mode, header.Uid)), all[header.Name]...)
	}
}

// TestTheSameFilesGiveTheSameImage, and another program gives another.
func TestTheSameFilesGiveTheSameImage(t *testing.T) {
	inRepository(t)
	one, digest := pack(t, "program")
	two, again := pack(t, "program")
	if !bytes.Equal(one, two) || digest != again {
		t.Error("two images of the same files differ")
	}
	if _, other := pack(t, "another"); other == digest {
		t.Error("another program has the same image")
	}
}

// TestImageHasTheProgram in a layer whose digests are right, and folders that its user can write.
func TestImageHasTheProgram(t *testing.T) {
	inRepository(t)
	archive, digest := pack(t, "program")
	blobs := files(t, bytes.NewReader(archive))
	blob := func(digest string, into any) []byte {
		content := bytes.TrimPrefix(blobs["blobs/"+strings.Replace(digest, ":", "/", 1)], []byte("644 0 "))
		if digestOf(content) != digest {
			t.Fatalf("there is no %s", digest)
		}
		if into != nil {
			if err := json.Unmarshal(content, into); err != nil {
				t.Fatal(err)
			}
		}
		return content
	}
	var index manifestList
	blob(digest, &index)
	if len(index.Manifests) != 2 {
		t.Fatalf("%+v", index)
	}
	for _, one := range index.Manifests {
		var image manifest
		var configured config
		blob(one.Digest, &image)
		blob(image.Config.Digest, &configured)
		layer, err := gzip.NewReader(bytes.NewReader(blob(image.Layers[0].Digest, nil)))
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(layer)
		if err != nil || digestOf(unpacked) != configured.RootFS.DiffIDs[0] || configured.Architecture != one.Platform.Architecture {
			t.Errorf("%+v %+v %v", one, configured, err)
		}
		content := files(t, bytes.NewReader(unpacked))
		for name, want := range map[string]string{"usr/bin/fielato": "755 0 program", "var/lib/fielato/": "700 10001 ", "tmp/": "1777 0 "} {
			if got := string(content[name]); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
}

// TestImageRunsAsThatOfTheDockerfile: the same user, folders, ports, variables and command line.
func TestImageRunsAsThatOfTheDockerfile(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "grafana", "deploy", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	said := func(name string) string {
		var all []string
		for _, found := range regexp.MustCompile(`(?m)^`+name+` (.*)$`).FindAllStringSubmatch(string(text), -1) {
			all = append(all, found[1])
		}
		return strings.Join(all, " ")
	}
	quoted := func(words []string) string { return `["` + strings.Join(words, `", "`) + `"]` }
	runs := release{}.runs()
	for name, got := range map[string]string{
		"ENV": strings.Join(runs.Env[1:], " "), "ENTRYPOINT": quoted(runs.Entrypoint), "CMD": quoted(runs.Cmd),
		"WORKDIR": runs.WorkingDir, "STOPSIGNAL": runs.StopSignal, "USER": runs.User,
	} {
		if want := said(name); got != want {
			t.Errorf("%s is %q, and in the Dockerfile %q", name, got, want)
		}
	}
	if !strings.Contains(string(text), fmt.Sprintf("adduser -D -H -u %d ", owner)) || runs.User != fmt.Sprintf("%d:%d", owner, owner) {
		t.Errorf("the user is %s, and another in the Dockerfile", runs.User)
	}
	for port := range strings.FieldsSeq(said("EXPOSE")) {
		if _, ok := runs.ExposedPorts[port+"/tcp"]; !ok {
			t.Errorf("port %s is not in the image", port)
		}
	}
	if _, ok := runs.Volumes[said("VOLUME")]; !ok {
		t.Errorf("%s is no volume of the image", said("VOLUME"))
	}
}
