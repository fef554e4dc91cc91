package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"time"
)

const (
	data  = "/var/lib/fielato"
	owner = 10001 // of data, and who the program runs as: the user of grafana/deploy/Dockerfile
)

// accounts give the user a name. Nobody logs in: there is no shell.
var accounts = map[string]string{ //nolint:gosec // none has a password
	"etc/passwd": "root:x:0:0:root:/root:/sbin/nologin\nfielato:x:10001:10001:Fielato gateway:/var/lib/fielato:/sbin/nologin\n",
	"etc/group":  "root:x:0:\nfielato:x:10001:\n",
}

// placed are the files of the repository in the image. release/parts makes the last one.
var placed = [][2]string{
	{"etc/fielato/Caddyfile", "grafana/deploy/Caddyfile"},
	{"usr/share/doc/fielato/LICENSE", "LICENSE"},
	{"usr/share/doc/fielato/NOTICE", "NOTICE"},
	{"usr/share/doc/fielato/third-party.txt", "release/third-party.txt"},
}

// config is the part of OCI's image configuration that is used, in the spelling of the specification.
type config struct {
	Created      time.Time  `json:"created"`
	Architecture string     `json:"architecture"`
	OS           string     `json:"os"`
	Config       runConfig  `json:"config"`
	RootFS       rootFS     `json:"rootfs"`
	History      []madeWith `json:"history"`
}

type runConfig struct {
	User         string
	ExposedPorts map[string]struct{}
	Env          []string
	Entrypoint   []string
	Cmd          []string
	Volumes      map[string]struct{}
	WorkingDir   string
	Labels       map[string]string
	StopSignal   string
}

type rootFS struct {
	Type    string   `json:"type"`
	DiffIDs []string `json:"diff_ids"`
}

type madeWith struct {
	Created   time.Time `json:"created"`
	CreatedBy string    `json:"created_by"`
}

// image adds the image of one platform.
func (r release) image(l *layout, architecture, binary string) (descriptor, error) {
	unpacked, err := r.layer(binary)
	if err != nil {
		return descriptor{}, err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(unpacked); err != nil {
		return descriptor{}, err
	}
	if err := w.Close(); err != nil {
		return descriptor{}, err
	}
	layer := l.add(mediaLayer, packed.Bytes())
	configured, err := l.addJSON(mediaConfig, config{
		Created: r.time, Architecture: architecture, OS: "linux", Config: r.runs(),
		RootFS:  rootFS{"layers", []string{digestOf(unpacked)}},
		History: []madeWith{{r.time, "release/image"}},
	})
	if err != nil {
		return descriptor{}, err
	}
	image, err := l.addJSON(mediaManifest, manifest{2, mediaManifest, configured, []descriptor{layer}})
	image.Platform = &platform{architecture, "linux"}
	return image, err
}

// runs is how the program runs, as in grafana/deploy/Dockerfile.
func (r release) runs() runConfig {
	return runConfig{
		User:         "10001:10001", // in figures: Kubernetes then sees that it is not root
		ExposedPorts: map[string]struct{}{"8080/tcp": {}, "2020/tcp": {}},
		Env: []string{
			"PATH=/usr/bin", "FIELATO_DATA=" + data, "XDG_DATA_HOME=" + data, "XDG_CONFIG_HOME=" + data, "FIELATO_BIND=0.0.0.0",
		},
		Entrypoint: []string{"/usr/bin/fielato"},
		Cmd:        []string{"run", "--config", "/etc/fielato/Caddyfile"},
		Volumes:    map[string]struct{}{data: {}},
		WorkingDir: data,
		Labels:     r.labels(),
		StopSignal: "SIGTERM",
	}
}

// layer is the file system of the image as a tar. Folders come before their files.
func (r release) layer(binary string) ([]byte, error) {
	var buffer bytes.Buffer
	archive := tar.NewWriter(&buffer)
	for _, folder := range []tar.Header{
		{Name: "etc/", Mode: 0o755},
		{Name: "etc/fielato/", Mode: 0o755},
		{Name: "tmp/", Mode: 0o1777},
		{Name: "usr/", Mode: 0o755},
		{Name: "usr/bin/", Mode: 0o755},
		{Name: "usr/share/", Mode: 0o755},
		{Name: "usr/share/doc/", Mode: 0o755},
		{Name: "usr/share/doc/fielato/", Mode: 0o755},
		{Name: "var/", Mode: 0o755},
		{Name: "var/lib/", Mode: 0o755},
		{Name: "var/lib/fielato/", Mode: 0o700, Uid: owner, Gid: owner},
	} {
		folder.Typeflag, folder.ModTime, folder.Format = tar.TypeDir, r.time, tar.FormatUSTAR
		if err := archive.WriteHeader(&folder); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"etc/passwd", "etc/group"} {
		if err := addFile(archive, &tar.Header{Name: name, Mode: 0o644, ModTime: r.time}, []byte(accounts[name])); err != nil {
			return nil, err
		}
	}
	for _, file := range append(placed, [2]string{"usr/bin/fielato", binary}) {
		content, err := os.ReadFile(file[1])
		if err != nil {
			return nil, err
		}
		mode := int64(0o644)
		if file[1] == binary {
			mode = 0o755
		}
		if err := addFile(archive, &tar.Header{Name: file[0], Mode: mode, ModTime: r.time}, content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}
