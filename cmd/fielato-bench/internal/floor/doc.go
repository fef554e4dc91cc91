// Package floor is a handler for Caddy that shows what durability costs: it syncs each request and
// each answer to the disk, where concurrent ones share a sync. Only the benchmark has it.
package floor
