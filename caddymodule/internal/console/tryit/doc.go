// Package tryit is the page that judges what its reader pastes: one request, or a file of hundreds, as JSON
// Lines or as CSV. It judges as a gateway of the configuration does, and shows what that would answer.
//
// A refused request of the trail can be opened here, without its ticket, as its reader may see it: to open it is a
// reading of its record. The figures that findings expect can be written into a document in JSON (offer), which
// stays as it was in every other byte.
//
// Nothing is sent, and no document is kept: no record, no log, no file. A Token and a Sign may be left out,
// and those that are pasted are in no answer, for which package documents sees.
//
// The script asks while its reader types. Without it, the same form is answered with a page.
package tryit
