// Package auditcmd is the commands `fielato wsfev1 audit …`: to search, show, follow and
// export what a trail holds, to verify it and prove single records, and to hold, purge and
// copy it.
//
// A command opens a store by itself, whether or not a gateway runs. What it must write
// down in a trail that a gateway writes, it asks that gateway to write.
package auditcmd
