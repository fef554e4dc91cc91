// A client of the gateway, whose types are generated from openapi.json. It issues one
// invoice and asks for it; what goes wrong ends it with status 1.
import createClient from "openapi-fetch";
import type { components, paths } from "./wsfev1.js";

declare const process: { argv: string[] };

const gateway = createClient<paths>({ baseUrl: process.argv[2] });
const Auth: components["schemas"]["Auth"] = { Token: "any-token", Sign: "any-sign", Cuit: 20111111112 };
const series = { PtoVta: 1, CbteTipo: 6 };

function expect(what: string, got: unknown, want: unknown): void {
	if (got !== want) {
		throw new Error(`${what}: ${got}, want ${want}`);
	}
}

async function issue(CbteDesde: number, ImpTotal: number) {
	return gateway.POST("/api/wsfev1/FECAESolicitar", {
		body: {
			Auth,
			FeCAEReq: {
				FeCabReq: { CantReg: 1, ...series },
				FeDetReq: {
					FECAEDetRequest: [
						{
							Concepto: 1, DocTipo: 99, DocNro: 0, CbteDesde, CbteHasta: CbteDesde,
							ImpTotal, ImpTotConc: 0, ImpNeto: 100, ImpOpEx: 0, ImpTrib: 0, ImpIVA: 21,
							MonId: "PES", MonCotiz: 1, CondicionIVAReceptorId: 5,
							Iva: { AlicIva: [{ Id: 5, BaseImp: 100, Importe: 21 }] },
						},
					],
				},
			},
		},
	});
}

const last = await gateway.POST("/api/wsfev1/FECompUltimoAutorizado", { body: { Auth, ...series } });
const next = (last.data?.CbteNro ?? 0) + 1;
expect("the first number", next, 1);

const issued = await issue(next, 121);
const invoice = issued.data?.FeDetResp?.FECAEDetResponse?.[0];
expect("Resultado", invoice?.Resultado, "A");
expect("digits of the CAE", invoice?.CAE?.length, 14);
expect("outcome", issued.response.headers.get("Wsfev1-Outcome"), "approved");

const found = await gateway.POST("/api/wsfev1/FECompConsultar", {
	body: { Auth, FeCompConsReq: { ...series, CbteNro: next } },
});
expect("the CAE of the invoice", found.data?.ResultGet?.CodAutorizacion, invoice?.CAE);

const refused = await issue(next + 1, 121.02);
expect("what adds up wrong", refused.data?.FeDetResp?.FECAEDetResponse?.[0]?.Observaciones?.Obs?.[0]?.Code, 10048);

// The compiler knows what the gateway refuses: without its error the next lines do not compile.
const malformed = await gateway.POST("/api/wsfev1/FECompUltimoAutorizado", {
	// @ts-expect-error the name has another case
	body: { Auth, PtoVta: 1, cbteTipo: 6 },
});
expect("status of what is malformed", malformed.response.status, 400);
expect("its codes", malformed.error?.Errors?.Err?.map((e) => e.Code).join(), "shape.case");
