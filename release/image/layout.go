package main

import (
	"archive/tar"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// The media types of OCI's image specification.
const (
	mediaIndex    = "application/vnd.oci.image.index.v1+json"
	mediaManifest = "application/vnd.oci.image.manifest.v1+json"
	mediaConfig   = "application/vnd.oci.image.config.v1+json"
	mediaLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// descriptor names a blob by its digest.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// manifest is one image: its configuration and its layers.
type manifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Config        descriptor   `json:"config"`
	Layers        []descriptor `json:"layers"`
}

// manifestList is an index: one image for each platform.
type manifestList struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	Manifests     []descriptor      `json:"manifests"`
	Annotations   map[string]string `json:"annotations,omitempty"`
}

// layout holds the blobs of an archive. The zero value is empty.
type layout struct{ blobs map[string][]byte }

// add keeps a blob.
func (l *layout) add(mediaType string, data []byte) descriptor {
	if l.blobs == nil {
		l.blobs = map[string][]byte{}
	}
	digest := digestOf(data)
	l.blobs[digest] = data
	return descriptor{MediaType: mediaType, Digest: digest, Size: int64(len(data))}
}

// addJSON keeps a value: members in their order, maps by name.
func (l *layout) addJSON(mediaType string, value any) (descriptor, error) {
	data, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return descriptor{}, err
	}
	return l.add(mediaType, data), nil
}

// save writes the archive: index.json names its image, the blobs follow by digest.
func (l *layout) save(name string, index descriptor, at time.Time) error {
	entry, err := json.Marshal(manifestList{SchemaVersion: 2, MediaType: mediaIndex, Manifests: []descriptor{index}}, json.Deterministic(true))
	if err != nil {
		return err
	}
	files := map[string][]byte{"index.json": entry, "oci-layout": []byte(`{"imageLayoutVersion":"1.0.0"}`)}
	for digest, data := range l.blobs {
		files["blobs/"+strings.Replace(digest, ":", "/", 1)] = data
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(file)
	for _, name := range names {
		if err = addFile(archive, &tar.Header{Name: name, Mode: 0o644, ModTime: at}, files[name]); err != nil {
			break
		}
	}
	if err == nil {
		err = archive.Close()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// addFile writes one file into an archive.
func addFile(archive *tar.Writer, header *tar.Header, data []byte) error {
	header.Typeflag, header.Size, header.Format = tar.TypeReg, int64(len(data)), tar.FormatUSTAR
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err := archive.Write(data)
	return err
}
