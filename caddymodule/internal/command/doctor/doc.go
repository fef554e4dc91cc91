// Package doctor is `fielato wsfev1 doctor`: it looks at all that a configuration needs in order to
// work, and says of each thing how it is and what to do about it.
//
// It changes nothing. It opens the trail for reading, asks each upstream for FEDummy, which needs
// no credentials, and shows none. Of a login service it asks for the description alone: a login would
// keep the gateway from one for some minutes. A witness gets a request that it must refuse, and a time-stamping
// authority an empty query, so neither signs anything.
package doctor
