// Package sshagent signs with keys that this process does not have: an ssh-agent holds them, or a device behind it,
// and signs over a socket. It knows the agent's protocol, and not what is signed.
//
// It believes nothing: each signature is verified with the public key before it is returned. Each is asked for over a
// connection of its own, so that an agent that was started again is found again, and waited for no longer than Limit.
package sshagent
