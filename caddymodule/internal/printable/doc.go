// Package printable writes what records hold so that people and programs can read it: texts and messages
// for a page or a terminal, records as JSON objects.
//
// What a record quotes comes from clients and from the service. OneLine, JSON and XML never write control
// characters as they came: these could move a cursor, turn a line around or break it.
package printable
