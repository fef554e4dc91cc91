// Package durable writes files and makes folders that outlive a power cut. A file is written whole
// or not at all.
package durable
