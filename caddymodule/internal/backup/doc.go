// Package backup is what stands beside a backup of a trail, and beside the trail that was backed
// up: a manifest, by which a restore checks the backup, and a note of the newest backup, by
// which a gateway tells its age. It also tells whose the files of a trail are. The commands that
// back up and restore are in command/keeping.
package backup
