// Command image packs the program into a container image for linux on amd64 and arm64, without Docker: one archive
// in OCI's layout, an index over both. The same files give the same bytes, and so the same digest, which it prints.
//
//	go run ./release/image -version 0.1.0 -revision COMMIT -time UNIX -o fielato_image.tar amd64=BINARY arm64=BINARY
//
// The image has the program and nothing to run it beside: no shell, no packages. Where it has no certificates of
// its own, the program trusts those that Caddy has built in.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	var r release
	flag.StringVar(&r.version, "version", "", "the `version`, without v")
	flag.StringVar(&r.revision, "revision", "", "the `commit`")
	seconds := flag.Int64("time", 0, "when it was committed, in `seconds` since 1970")
	out := flag.String("o", "fielato_image.tar", "the `file` to write")
	flag.Parse()
	r.time = time.Unix(*seconds, 0).UTC()
	digest, err := r.write(*out, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
	fmt.Println(digest)
}

// release is what all platforms of an image have in common.
type release struct {
	version, revision string
	time              time.Time
}

// write makes the archive from arguments such as amd64=BINARY, and returns the digest of its index.
func (r release) write(name string, binaries []string) (string, error) {
	if len(binaries) == 0 {
		return "", fmt.Errorf("no binary is given: write amd64=BINARY")
	}
	var l layout
	var images []descriptor
	for _, argument := range binaries {
		architecture, binary, found := strings.Cut(argument, "=")
		if !found {
			return "", fmt.Errorf("%q is not of the form amd64=BINARY", argument)
		}
		image, err := r.image(&l, architecture, binary)
		if err != nil {
			return "", err
		}
		images = append(images, image)
	}
	index, err := l.addJSON(mediaIndex, manifestList{SchemaVersion: 2, MediaType: mediaIndex, Manifests: images, Annotations: r.labels()})
	if err != nil {
		return "", err
	}
	index.Annotations = map[string]string{"org.opencontainers.image.ref.name": r.version}
	if err := l.save(name, index, r.time); err != nil {
		return "", err
	}
	return index.Digest, nil
}

// labels are the annotations that OCI has given names.
func (r release) labels() map[string]string {
	return map[string]string{
		"org.opencontainers.image.source":   "https://github.com/fielato/fielato",
		"org.opencontainers.image.version":  r.version,
		"org.opencontainers.image.revision": r.revision,
		"org.opencontainers.image.licenses": "Apache-2.0",
		"org.opencontainers.image.created":  r.time.Format(time.RFC3339),
	}
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
