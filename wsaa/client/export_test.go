package client

// ReadReply is for the fuzzer.
func ReadReply(reply Reply, service string) (*Ticket, error) {
	ticket, _, err := readReply(reply, service)
	return ticket, err
}

// FaultError is for the table of faults.
var FaultError = faultError
