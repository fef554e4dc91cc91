// Package keeping is the commands of `fielato wsfev1 audit` that take care of a trail: they save and move it, let its
// gateway go on after a loss, purge and hold its content, and make the key that encrypts it.
//
// What must be written into a trail that a gateway writes, a command asks that gateway to write.
package keeping
