// Package starter is `fielato wsfev1 init`: it writes a Caddyfile to start from.
package starter
