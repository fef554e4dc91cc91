// Package login is `fielato wsfev1 login`, which logs in at WSAA once, and `fielato wsfev1
// certificate`, which requests and checks the certificate for that.
//
// With --now the gateway that runs logs in, asked over its admin API.
//
// A login sends one message and repeats nothing. It takes no proxy from the environment and follows
// no redirection: a signed request goes to the one address that was given. Token and Sign are
// written to the file of --save, and nowhere else. A passphrase comes from an environment
// variable, because others can see the arguments of a command.
package login
