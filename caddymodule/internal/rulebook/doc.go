// Package rulebook is the shelf on which the gateways of a configuration put their books (intake.Book). The
// console reads them there: to show the catalogue as it is in force, and to judge a request as that gateway
// would.
//
// It is a package of its own because gateways put books there and the console takes them, and neither may
// import the other.
package rulebook
