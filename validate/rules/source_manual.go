package rules

import "github.com/fielato/fielato/validate"

// manualTable is a table of codes of the manual.
type manualTable struct {
	// operation is the chapter's operation, no text for all operations.
	operation string
	// name is the table's own, pages are pages of the PDF.
	name, pages string
	// remarks: the codes of the table do not reject (no excluyentes).
	remarks bool
	spans   []span
}

// span is a range of codes, both ends within.
type span struct{ first, last int32 }

func (t *manualTable) has(c code) bool {
	if t.operation != "" && t.operation != c.operation {
		return false
	}
	for _, s := range t.spans {
		if s.first <= c.number && c.number <= s.last {
			return true
		}
	}
	return false
}

// manualTableOf returns the table in which a code stands. If it stands in two, it returns the table
// for the code's severity: 1445 has one meaning in each.
func manualTableOf(c code) *manualTable {
	var found *manualTable
	for i := range manualTables {
		t := &manualTables[i]
		if !t.has(c) {
			continue
		}
		if t.remarks == (c.severity == validate.OBS) {
			return t
		}
		if found == nil {
			found = t
		}
	}
	return found
}

// manualTables are the tables of codes of the manual, version 4.7 of 2026-09-01, in its order.
var manualTables = []manualTable{
	{"", "Tratamiento de errores en el WS", "21", false, []span{{500, 502}, {600, 602}}},

	{string(cae), "controles de <Auth>, excluyentes", "39", false, []span{{10000, 10000}}},
	{string(cae), "controles de <FeCabReq>, excluyentes", "40", false, []span{{10001, 10007}}},
	{string(cae), "controles de <FeDetReq>, excluyentes", "41-73", false, []span{
		{10008, 10008},
		{10010, 10016},
		{10018, 10033},
		{10035, 10040},
		{10042, 10049},
		{10051, 10062},
		{10064, 10071},
		{10075, 10086},
		{10088, 10092},
		{10094, 10099},
		{10110, 10178},
		{10180, 10181},
		{10183, 10184},
		{10186, 10187},
		{10189, 10190},
		{10192, 10199},
		{10203, 10208},
		{10210, 10216},
		{10218, 10232},
		{10239, 10243},
		{10246, 10248},
		{10251, 10251},
		{10270, 10282},
		{10284, 10284},
	}},
	{string(cae), "controles de <FeDetReq>, no excluyentes", "74-76", true, []span{
		{10017, 10017},
		{10041, 10041},
		{10063, 10063},
		{10188, 10188},
		{10209, 10209},
		{10217, 10217},
		{10234, 10238},
		{10245, 10245},
		{10249, 10249},
		{10283, 10283},
	}},

	{string(caea), "controles de <Auth>, excluyentes", "140", false, []span{{10000, 10000}}},
	{string(caea), "controles de <FeCabReq>, excluyentes", "140-142", false, []span{{10001, 10003}, {700, 701}, {1300, 1300}}},
	{string(caea), "verificaciones de <FECAEADetRequest>, excluyentes", "142-155", false, []span{
		{702, 705},
		{709, 709},
		{711, 711},
		{713, 713},
		{715, 715},
		{717, 719},
		{723, 723},
		{726, 726},
		{780, 784},
		{788, 788},
		{820, 820},
		{823, 823},
		{826, 826},
		{1401, 1401},
		{1403, 1405},
		{1407, 1407},
		{1409, 1409},
		{1414, 1419},
		{1421, 1423},
		{1426, 1426},
		{1432, 1441},
		{1443, 1446},
		{1450, 1472},
		{1474, 1483},
		{1486, 1488},
		{1490, 1499},
		{1502, 1515},
		{1517, 1526},
		{1528, 1528},
	}},
	{string(caea), "verificaciones de <FECAEADetRequest>, no excluyentes", "155-159", true, []span{
		{708, 708},
		{724, 725},
		{727, 729},
		{814, 819},
		{821, 822},
		{824, 825},
		{827, 829},
		{1402, 1402},
		{1406, 1406},
		{1408, 1408},
		{1411, 1413},
		{1420, 1420},
		{1424, 1425},
		{1427, 1427},
		{1429, 1429},
		{1431, 1431},
		{1442, 1442},
		{1445, 1445},
		{1485, 1485},
		{1489, 1489},
		{1500, 1501},
		{1516, 1516},
	}},
	{string(caea), "verificaciones de <CbtesAsoc>, excluyentes", "160-161", false, []span{{800, 800}, {802, 805}, {807, 808}, {812, 813}}},
	{string(caea), "verificaciones de <CbtesAsoc>, no excluyentes", "161-162", true, []span{{801, 801}, {806, 806}, {809, 811}}},
	{string(caea), "controles de <Tributo>, excluyentes", "162", false, []span{{900, 900}, {905, 908}}},
	{string(caea), "controles de <IVA>, excluyentes", "163", false, []span{{1000, 1000}, {1003, 1003}, {1008, 1009}}},
	{string(caea), "controles de <IVA>, no excluyentes", "163", true, []span{{1006, 1006}}},
	{string(caea), "controles de <Opcionales>, excluyentes", "164", false, []span{{1100, 1101}, {1103, 1105}}},
	{string(caea), "controles de <Opcionales>, no excluyentes", "164", true, []span{{1106, 1106}}},
	{string(caea), "controles de <Actividades>, excluyentes", "164-165", false, []span{{16000, 16006}}},
	{string(caea), "controles de <Actividades> y <CbtesAsoc>, excluyentes", "165-166", false, []span{{16007, 16014}}},
	// The manual prints 1527 in the chapter of FECAEASolicitar.
	{string(caea), "impreso en FECAEASolicitar, controles de <FeCAEAReq>, no excluyentes", "95", true, []span{{1527, 1527}}},

	{string(caeaSolicitar), "controles de <FeCAEAReq>, excluyentes", "94", false, []span{{15000, 15012}, {15016, 15016}}},
	{string(caeaSolicitar), "controles de <FeCAEAReq>, no excluyentes", "94-95", true, []span{{15014, 15015}, {15017, 15018}}},
	{string(caeaConsultar), "controles de <FECAEAConsultar>, excluyentes", "100", false, []span{{15004, 15005}}},
	{string(cotizacion), "validaciones de <FEParamGetCotizacion>, excluyentes", "122", false, []span{{12000, 12002}}},
	{string(sinMovInformar), "controles aplicados, excluyentes", "124-125", false, []span{{1200, 1209}}},
	{string(ultimoAutorizado), "controles aplicados, excluyentes", "128", false, []span{{11000, 11002}}},
	{string(sinMovConsultar), "controles aplicados, excluyentes", "190", false, []span{{10100, 10105}}},
	{string(compConsultar), "controles aplicados, excluyentes", "194", false, []span{{10104, 10104}, {10200, 10202}}},
	{string(condicionIVA), "validaciones de <FEParamGetCondicionIvaReceptor>, excluyentes", "202", false, []span{{10244, 10244}}},
}
