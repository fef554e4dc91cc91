// Package today is the first page of the console: how the day goes, whether something needs a person, and
// whether the trail is sound.
//
// It counts a day once for all readers, by issuer, and keeps the counts: a refresh reads the newer records
// alone. The first reading of a large day goes on in the background, in the console's share of the processors,
// as the gateway in the same process comes first. Meanwhile the page says how much was read. It is green only
// if the day was read whole and all that was asked was done.
package today
