// Package rulebook is the shelf on which the gateways of a configuration put their books (intake.Book). The
// console reads them there: to show the catalogue as it is in force, and to judge a request as that gateway
// would.
package rulebook
