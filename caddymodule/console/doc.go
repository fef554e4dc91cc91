// Package console is the handler wsfev1_console: pages about the trail, for people who do not open a
// terminal. They find an invoice, read what happened to it, prove it and try requests.
//
// All pages are made on the server, from templates and files within the binary; the scripts add to them
// and are not needed to read and to search. Each page is a room of its own below this one, and site is
// what they share.
//
// The console reads the trail of the gateways of the same configuration, or a store that the option audit
// names. It only reads. With log_reads, each page that shows content is recorded first, with its reader.
//
// Who may see it decides the authentication in front. A reader who is not known, and comes from another
// machine, sees nothing unless the configuration says public.
package console
