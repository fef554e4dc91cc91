package client

// ReadReply is for the fuzzer.
var ReadReply = readReply

// FaultError is for the table of faults.
var FaultError = faultError
