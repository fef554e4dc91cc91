package backend

import "github.com/fielato/fielato/wsfev1"

// suretyRules are about surety insurers, which invoice at a point of sale of their own and
// name the policies there.
var suretyRules = []registerRule{
	{cae: 10277, find: insurerNamesNoPolicies},
	{cae: 10278, find: suretyPointWithoutPolicies},
	{cae: 10279, find: policiesOfAnother},
	{cae: 10282, find: suretyPointOfAnother},
}

// The opcionales of a policy and of its endorsement.
const (
	opcionalPolicy      = "2901"
	opcionalEndorsement = "2902"
)

// namesPolicies reports whether vouchers of the type can name policies; the others are
// rules 10273 and 10275.
func namesPolicies(cbteTipo int32) bool {
	switch cbteTipo {
	case 1, 2, 3, 6, 7, 8:
		return true
	}
	return false
}

func (x *examination) atSuretyPoint() bool { return x.point != nil && x.point.Kind == PointSurety }

// policies reports which of the two opcionales the invoice has.
func (x *examination) policies() (policy, endorsement bool) {
	_, _, policy = x.opcional(opcionalPolicy)
	_, _, endorsement = x.opcional(opcionalEndorsement)
	return policy, endorsement
}

// insurerNamesNoPolicies is found in addition to suretyPointWithoutPolicies: the service has
// one code for the insurer and one for the point.
func insurerNamesNoPolicies(x *examination) string {
	policy, endorsement := x.policies()
	if namesPolicies(x.CbteTipo) && x.issuer.Surety && x.atSuretyPoint() && !policy && !endorsement {
		return "Opcionales"
	}
	return ""
}

func suretyPointWithoutPolicies(x *examination) string {
	policy, endorsement := x.policies()
	if namesPolicies(x.CbteTipo) && x.atSuretyPoint() && !(policy && endorsement) {
		return "Opcionales"
	}
	return ""
}

func policiesOfAnother(x *examination) string {
	policy, endorsement := x.policies()
	if namesPolicies(x.CbteTipo) && (policy || endorsement) && !(x.issuer.Surety && x.atSuretyPoint()) {
		return "Opcionales"
	}
	return ""
}

func suretyPointOfAnother(x *examination) string {
	if x.atSuretyPoint() && !x.issuer.Surety {
		return theInvoice
	}
	return ""
}

// opcional returns the first of the invoice's optional data with an identifier, and its
// place.
func (x *examination) opcional(id string) (place int, valor string, ok bool) {
	for i, o := range x.opcionales() {
		if o.Id == id {
			return i, o.Valor, true
		}
	}
	return 0, "", false
}

func (x *examination) opcionales() []wsfev1.Opcional {
	if x.Opcionales == nil {
		return nil
	}
	return x.Opcionales.Opcional
}
