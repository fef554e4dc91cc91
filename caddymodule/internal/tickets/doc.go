// Package tickets keeps access tickets of WSAA for the gateways of a configuration: the option wsaa
// of the directive wsfev1.
//
// Options are one block: a login service, a certificate, and the CUITs for which its ticket may be used. Its
// certificate may be a pattern: Prepare makes it a block for each file, and chooses one for each CUIT.
// Keepers are the blocks of one gateway. A keeper (wsaa/keeper) outlives configurations in a pool: a reload
// that does not change its block changes nothing for it. Its ticket is also in a store: the trail's store,
// sealed with a key of the trail's, or memory.
//
// In are the keepers of a configuration, for the admin API: Show shows one with its pause, and LogIn lets
// it log in now.
//
// A ticket is used for who may use the gateway. Who that is decides Caddy's own authentication in
// front of it.
package tickets
