// Package evidence gathers the records about one invoice into a bundle for people outside: its exchanges,
// their proofs, a page that explains them, and everything needed to check them offline.
//
// The files of the exchanges are in the order in which these began. The page is for
// accountants. It lays out what story tells: the verdict, what happened in the order in
// which it became known, and then each exchange. The gateway's own questions and
// settlements are folded; they are never worded as rejections. Whatever a record quotes may
// come from a client or a service, and is escaped.
package evidence
