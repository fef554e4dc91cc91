package today

// AddWaiting is Add for a page that waits so long for its counts.
var AddWaiting = add
