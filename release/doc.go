// Package release has the parts of a release: the recipe for GoReleaser, the scripts of the Debian package, in image
// the command that packs the container image, and in licenses the one that collects the licences of all modules. The
// systemd unit and the first configuration come from grafana/deploy.
//
// The tests hold the files to each other and to the keys that their readers know. They publish and build nothing:
// .ci/release does, twice, and check looks at what comes out. What remains to be done by hand is in README.md.
//
// It is a package of its own because those who read its files are other programs: only tests can hold
// them to each other.
package release
