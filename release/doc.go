// Package release has the parts of a release: the recipe for GoReleaser, the scripts of the
// Debian package, and in licenses the command that collects the licences of all modules. The
// image, the systemd unit and the first configuration come from grafana/deploy.
//
// The tests hold the files to each other and to the keys that their readers know. They publish
// and build nothing.
//
// It is a package of its own because those who read its files are other programs: only tests can hold
// them to each other.
package release
