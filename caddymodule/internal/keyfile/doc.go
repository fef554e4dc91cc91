// Package keyfile reads and makes the files of private keys, which only their owner may read, and reads the
// option encryption_key: the key that encrypts the content of a trail at rest, from a file or a placeholder. It knows
// too the private key of a log that no file has but an ssh-agent.
package keyfile
