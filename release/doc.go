// Package release has what a release is made of: the recipe for GoReleaser, the scripts of the
// Debian package, and in licenses the command that collects the licences of all modules. The
// image, the systemd unit and the first configuration are those of grafana/deploy.
//
// The tests hold the files to each other and to the keys that their readers know. They publish
// and build nothing.
package release
