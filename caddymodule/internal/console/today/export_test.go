package today

// AddReading is Add for a page that reads so many exchanges of a day.
var AddReading = add
