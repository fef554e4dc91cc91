// Package readings is the page of who has read the trail, what, when and until when. It shows readings alone, not
// what was done to the content. A reader of some issuers sees the own readings alone, without the places of their
// records, which would tell how much others write.
package readings
