package backend_test

import (
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// Some CUITs that the default register names, by what they are.
const (
	unknown     wsfev1.CUIT = 30000102381
	untaxed     wsfev1.CUIT = 33000100639
	inactive    wsfev1.CUIT = 30000102470
	monotributo wsfev1.CUIT = 30000102179
	limited     wsfev1.CUIT = 30000102365
	large       wsfev1.CUIT = 33000101929
	noPyme      wsfev1.CUIT = 30000101806
	homeless    wsfev1.CUIT = 33000101619
	exempt      wsfev1.CUIT = 30000100966
	notClassA   wsfev1.CUIT = 30004100006
	pending     wsfev1.CUIT = 30000102349
	bank        wsfev1.CUIT = 30000102519
	insurer     wsfev1.CUIT = 30000102772
	registered  wsfev1.CUIT = 30000101741
	refusedFCE  wsfev1.CUIT = 30000101547
	everyPoint  wsfev1.CUIT = 30000100052
)

// receiverProvocations depend on the receiver.
var receiverProvocations = []provocation{
	{code: 10015, who: unknown, ask: asReceived(6, toWho)},
	{code: 10015, who: unknown, ask: toConsumerOfC},
	{code: 1420, who: unknown, ask: asReported(6, toWho)},
	{code: 10017, who: unknown, ask: asReceived(1, toWho)},
	{code: 708, who: unknown, ask: asReported(1, toWho)},
	{code: 10063, who: untaxed, ask: asReceived(1, toWho)},
	{code: 1402, who: untaxed, ask: asReported(1, toWho)},
	{code: 10195, who: 30000101954, ask: asReceived(1, toWho)},
	{code: 1489, who: 30000101954, ask: asReported(1, toWho)},
	{code: 10217, who: monotributo, ask: asReceived(1, toWho)},
	{code: 1516, who: monotributo, ask: asReported(1, toWho)},
	{code: 10238, who: unknown, ask: asReceived(1, toWho)},
	{code: 819, who: unknown, ask: asReported(1, toWho)},
	{code: 10247, who: inactive, ask: asReceived(1, toWho)},
	{code: 827, who: inactive, ask: asReported(1, toWho)},
	{code: 10248, who: 30000102489, ask: asReceived(1, toWho)},
	{code: 828, who: 30000102489, ask: asReported(1, toWho)},
	{code: 10249, who: 30000102497, ask: asReceived(1, toWho)},
	{code: 829, who: 30000102497, ask: asReported(1, toWho)},
	{code: 10284, who: 30000102845, ask: asReceived(1, toWho)},
	{code: 1528, who: 30000102845, ask: asReported(1, toWho)},
	{code: 10188, who: large, ask: asReceived(1, toWho)},
	{code: 10192, who: large, ask: asReceived(1, toWho, dueFCE)},
	{code: 1485, who: large, ask: asReported(1, toWho, dueFCE)},
	{code: 10148, who: inactive, ask: asReceived(1, toNobody, buyer("20111111112"))},
	{code: 10149, who: untaxed, ask: asReceived(1, toWho, buyer("33000100639"))},
	{code: 10115, who: unknown, ask: asReceived(1, toNobody,
		`"Opcionales":{"Opcional":[{"Id":"10","Valor":"1"},{"Id":"1011","Valor":"80"},{"Id":"1012","Valor":"WHO"}]}`)},
	{code: 10126, who: unknown, ask: asReceived(1, toNobody, opcional("1801", "WHO"))},
	{code: 1523, who: unknown, ask: asReported(1, toNobody, opcional("1801", "WHO"))},
	{code: 10161, who: homeless, ask: asReceived(201, toWho, credit)},
	{code: 1458, who: homeless, ask: asReported(201, toWho, credit)},
	{code: 10176, who: unknown, ask: asReceived(201, toWho, credit)},
	{code: 1446, who: inactive, ask: asReported(201, toWho, credit)},
	{code: 10177, who: untaxed, ask: asReceived(201, toWho, credit)},
	{code: 1474, who: untaxed, ask: asReported(201, toWho, credit)},
	{code: 10180, who: noPyme, ask: asReceived(201, toWho, credit)},
	{code: 1476, who: noPyme, ask: asReported(201, toWho, credit)},
}

// refusedBecause is code 10000 with its reason.
func refusedBecause(reason string, who wsfev1.CUIT, ask provoke) provocation {
	return provocation{code: 10000, who: who, ask: ask, says: "Motivo " + reason}
}

// issuerProvocations depend on the issuer.
var issuerProvocations = []provocation{
	refusedBecause("01", monotributo, asIssued(1, 6)),
	refusedBecause("02", 30002100009, asIssued(1, 6)),
	refusedBecause("03", 30003100002, asIssued(1, 6)),
	refusedBecause("04", notClassA, asIssued(1, 1, toNobody)),
	refusedBecause("05", inactive, asIssued(1, 6)),
	refusedBecause("06", 30006100003, asIssued(1, 6)),
	refusedBecause("07", 30007100007, asIssued(1, 49, toNobody)),
	refusedBecause("08", 30008100000, asIssued(1, 11, classC)),
	refusedBecause("09", 30009100004, asIssued(1, 51, toNobody)),
	refusedBecause("10", noPyme, asIssued(1, 201, toNobody, credit)),
	refusedBecause("11", homeless, asIssued(1, 201, toNobody, credit)),
	{code: 10044, who: monotributo, ask: asIssued(1, 49, toNobody, `"ImpOpEx":1`)},
	{code: 10045, who: monotributo, ask: asIssued(1, 49, toNobody)},
	{code: 10047, who: monotributo, ask: asIssued(1, 49, toNobody)},
	{code: 10075, who: monotributo, ask: asIssued(1, 49, toNobody)},
	{code: 10096, who: exempt, ask: asIssued(2, 11, classC), otherwise: asIssued(1, 11, classC)},
	{code: 10234, who: pending, ask: asIssued(1, 1, toNobody)},
	{code: 814, who: pending, ask: asInformed(3, 1, toNobody)},
	{code: 10235, who: limited, ask: asIssued(1, 11, toNobody, millions), otherwise: asIssued(1, 11, toNobody, million)},
	{code: 816, who: limited, ask: asInformed(3, 11, toNobody, millions), otherwise: asInformed(3, 11, toNobody, million)},
	{code: 10236, who: limited, ask: asIssued(1, 11, toNobody, million), instead: monotributo},
	{code: 817, who: limited, ask: asInformed(3, 11, toNobody, million), instead: monotributo},
	{code: 815, who: notClassA, ask: asInformed(3, 1, toNobody)},
	{code: 1429, who: notClassA, ask: asInformed(3, 1, toNobody)},
	{code: 1431, who: 30000014318, ask: asInformed(3, 6)},
	{code: 1444, who: monotributo, ask: asInformed(3, 6)},
	{code: 10251, who: bank, ask: asIssued(1, 201, toNobody, credit)},
	{code: 10270, instead: bank, ask: asIssued(1, 1, `"DocTipo":31,"DocNro":20222222223,"CondicionIVAReceptorId":1`)},
	{code: 10277, who: insurer, ask: asIssued(5, 1, toNobody), otherwise: asIssued(5, 1, toNobody, policy)},
	{code: 10278, who: insurer, ask: asIssued(5, 1, toNobody), otherwise: asIssued(5, 1, toNobody, policy)},
	{code: 10279, who: insurer, ask: asIssued(1, 1, toNobody, policy), otherwise: asIssued(5, 1, toNobody, policy)},
	{code: 10174, who: registered, ask: asIssued(1, 201, toNobody, credit)},
	{code: 1471, who: registered, ask: asInformed(3, 201, toNobody, credit)},
	{code: 10223, who: registered, ask: asIssued(1, 1, toNobody, `"Actividades":{"Actividad":[{"Id":471110}]}`)},
	{code: 16005, who: registered, ask: asInformed(3, 1, toNobody, `"Actividades":{"Actividad":[{"Id":471110}]}`)},
	{code: 10066, who: registered, ask: asIssued(1, 1, toNobody, opcional("2", "00000001"))},
	{code: 1106, who: registered, ask: asInformed(3, 1, toNobody, opcional("2", "00000001"))},
	{code: 10154, who: refusedFCE, ask: asIssued(1, 203, toNobody, adjusting)},
	{code: 1451, who: refusedFCE, ask: asInformed(3, 203, toNobody, adjusting)},
}

// otherProvocations depend on points of sale, delivery notes and what an issuer needs to
// get a CAEA.
var otherProvocations = []provocation{
	{code: 10005, who: everyPoint, ask: asIssued(3, 6), otherwise: asIssued(1, 6)},
	{code: 10005, who: everyPoint, ask: asIssued(5, 6), otherwise: asIssued(1, 6)},
	{code: 10005, who: everyPoint, ask: asIssued(7, 6), otherwise: asIssued(1, 6)},
	{code: 701, who: everyPoint, ask: asInformed(4, 6), otherwise: asInformed(2, 6)},
	{code: 701, who: everyPoint, ask: asInformed(6, 6), otherwise: asInformed(2, 6)},
	{code: 709, who: everyPoint, ask: asInformed(8, 6), otherwise: asInformed(2, 6)},
	{code: 781, who: everyPoint, ask: asInformed(8, 6), otherwise: asInformed(2, 6)},
	{code: 10282, who: everyPoint, ask: asIssued(10, 1, toNobody), otherwise: asIssued(1, 1, toNobody)},
	{
		code: 1442, who: everyPoint, at: time.Date(2026, 7, 20, 12, 0, 0, 0, wsfev1.Argentina),
		ask: asInformed(9, 6, beforeContingency), otherwise: asInformed(2, 6, beforeContingency),
	},
	{code: 10104, who: everyPoint, ask: consulted(13), otherwise: consulted(1)},
	{code: 11002, who: everyPoint, ask: last(11), otherwise: last(1)},
	{code: 1204, who: everyPoint, ask: withoutMovement(1), otherwise: withoutMovement(2)},
	{code: 1205, who: everyPoint, ask: withoutMovement(6), otherwise: withoutMovement(2)},
	{code: 10211, who: everyPoint, ask: noted(11, ""), otherwise: noted(1, "")},
	{code: 10212, who: everyPoint, ask: noted(12, "20261107"), otherwise: noted(12, "20261105")},
	{code: 1502, who: everyPoint, ask: notedInAdvance(11, ""), otherwise: notedInAdvance(1, "")},
	{code: 1503, who: everyPoint, ask: notedInAdvance(12, "20261107"), otherwise: notedInAdvance(12, "20261105")},
	{code: 10120, ask: delivered(asIssued, 1, 5), otherwise: delivered(asIssued, 1, 1)},
	{code: 10121, ask: delivered(asIssued, 1, 2), otherwise: delivered(asIssued, 1, 1)},
	{code: 10122, ask: delivered(asIssued, 1, 3), otherwise: delivered(asIssued, 1, 1)},
	{code: 10232, ask: delivered(asIssued, 1, 4), otherwise: delivered(asIssued, 1, 1)},
	{code: 809, ask: delivered(asInformed, 3, 5), otherwise: delivered(asInformed, 3, 1)},
	{code: 810, ask: delivered(asInformed, 3, 2), otherwise: delivered(asInformed, 3, 1)},
	{code: 811, ask: delivered(asInformed, 3, 3), otherwise: delivered(asInformed, 3, 1)},
	{code: 16014, ask: delivered(asInformed, 3, 4), otherwise: delivered(asInformed, 3, 1)},
	{code: 15000, who: inactive, ask: advanced},
	{code: 15001, who: 30000150017, ask: advanced, at: time.Date(2026, 5, 20, 12, 0, 0, 0, wsfev1.Argentina)},
	{code: 15003, who: 30000150033, ask: advanced},
	{code: 15009, who: 30003100002, ask: advanced},
	{code: 15010, who: untaxed, ask: advanced},
	{code: 15011, who: 30006100003, ask: advanced},
	{code: 15012, who: 30002100009, ask: advanced},
	{code: 15015, who: homeless, ask: advanced},
	{code: 15016, who: 30000150165, ask: advanced},
	{code: 15017, who: 30000150173, ask: advanced},
}
