// Package keyfile reads and makes the files of private keys, which only their owner may read.
package keyfile
