package audit

import "context"

// Hazard is something about the server of a store by which it may lose records that it has
// acknowledged. The records are safe as long as nothing happens to the server.
type Hazard struct {
	Kind HazardKind
	// Found and Cure are for people: what there is, and what to do.
	Found, Cure string
}

// HazardKind is the kind of a Hazard.
type HazardKind string

// The kinds of hazards.
const (
	// HazardCommit: a commit is acknowledged before it is on the server's disk.
	HazardCommit HazardKind = "commit"
	// HazardDisk: the server does not wait for its disk.
	HazardDisk HazardKind = "disk"
	// HazardReplica: replicas follow, and no commit waits for one of them.
	HazardReplica HazardKind = "replica"
	// HazardRecovery: the server is a replica itself.
	HazardRecovery HazardKind = "recovery"
)

// HazardKinds are all kinds.
var HazardKinds = []HazardKind{HazardCommit, HazardDisk, HazardReplica, HazardRecovery}

// Hazardous is an optional part of a Store whose server has settings of its own.
type Hazardous interface {
	// Hazards returns the hazards that the server shows. A server that does not know a setting, or does
	// not show it to this role, has no hazard by it.
	Hazards(ctx context.Context) ([]Hazard, error)
}
