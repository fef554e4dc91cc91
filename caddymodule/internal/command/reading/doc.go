// Package reading is the commands of `fielato wsfev1 audit` that look into a trail: they search, show, follow and
// count its exchanges, and list the outages of the service. They open a store by themselves, whether or not a
// gateway runs.
package reading
