// Package durable writes files and makes folders that outlive a power cut. A file is written whole
// or not at all. A NewFile, which replaces none, is finished or abandoned. FreeSpace tells how much room
// a file system has.
package durable
