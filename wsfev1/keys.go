package wsfev1

// KeyPointers are the members that Subject and Verdict are read from, and so all that an
// exchange is found by: JSON Pointers in which `*` matches each item of a list. Answers
// repeat some of them.
var KeyPointers = []string{
	"/Auth/Cuit", "/PtoVta", "/CbteTipo", "/CAEA", "/Resultado",
	"/FeCAEReq/FeCabReq/PtoVta", "/FeCAEReq/FeCabReq/CbteTipo",
	"/FeCAEReq/FeDetReq/FECAEDetRequest/*/CbteDesde", "/FeCAEReq/FeDetReq/FECAEDetRequest/*/CbteHasta",
	"/FeCAEARegInfReq/FeCabReq/PtoVta", "/FeCAEARegInfReq/FeCabReq/CbteTipo",
	"/FeCAEARegInfReq/FeDetReq/FECAEADetRequest/*/CbteDesde", "/FeCAEARegInfReq/FeDetReq/FECAEADetRequest/*/CbteHasta",
	"/FeCAEARegInfReq/FeDetReq/FECAEADetRequest/*/CAEA",
	"/FeCompConsReq/PtoVta", "/FeCompConsReq/CbteTipo", "/FeCompConsReq/CbteNro",
	"/FeCabResp/Cuit", "/FeCabResp/PtoVta", "/FeCabResp/CbteTipo", "/FeCabResp/Resultado",
	"/FeDetResp/FECAEDetResponse/*/CbteDesde", "/FeDetResp/FECAEDetResponse/*/CbteHasta",
	"/FeDetResp/FECAEDetResponse/*/Resultado", "/FeDetResp/FECAEDetResponse/*/CAE",
	"/FeDetResp/FECAEDetResponse/*/Observaciones/Obs/*/Code",
	"/FeDetResp/FECAEADetResponse/*/CbteDesde", "/FeDetResp/FECAEADetResponse/*/CbteHasta",
	"/FeDetResp/FECAEADetResponse/*/Resultado", "/FeDetResp/FECAEADetResponse/*/CAEA",
	"/FeDetResp/FECAEADetResponse/*/Observaciones/Obs/*/Code",
	"/ResultGet/PtoVta", "/ResultGet/CbteTipo", "/ResultGet/CbteDesde", "/ResultGet/CbteHasta",
	"/ResultGet/Resultado", "/ResultGet/CodAutorizacion", "/ResultGet/CAEA",
	"/ResultGet/Observaciones/Obs/*/Code",
	"/Errors/Err/*/Code",
}
