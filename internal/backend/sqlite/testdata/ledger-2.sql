PRAGMA application_id=1179208770;
PRAGMA user_version=2;
CREATE TABLE series (
	id        INTEGER PRIMARY KEY,
	cuit      INTEGER NOT NULL,
	pto_vta   INTEGER NOT NULL,
	cbte_tipo INTEGER NOT NULL,
	last      INTEGER NOT NULL,
	last_fch  TEXT    NOT NULL,
	UNIQUE (cuit, pto_vta, cbte_tipo)
) STRICT;
CREATE TABLE invoices (
	id            INTEGER PRIMARY KEY,
	cbte_desde    INTEGER NOT NULL,
	cbte_fch      TEXT    NOT NULL,
	code          TEXT    NOT NULL,
	emision_tipo  TEXT    NOT NULL,
	fch_vto       TEXT    NOT NULL,
	fch_proceso   TEXT    NOT NULL,
	detail        TEXT    NOT NULL,
	observaciones TEXT    NOT NULL
) STRICT;
CREATE TABLE caea (
	code          TEXT    NOT NULL PRIMARY KEY,
	cuit          INTEGER NOT NULL,
	periodo       INTEGER NOT NULL,
	orden         INTEGER NOT NULL,
	fch_vig_desde TEXT    NOT NULL,
	fch_vig_hasta TEXT    NOT NULL,
	fch_tope_inf  TEXT    NOT NULL,
	fch_proceso   TEXT    NOT NULL,
	UNIQUE (cuit, periodo, orden)
) STRICT, WITHOUT ROWID;
CREATE TABLE caea_used (
	code    TEXT    NOT NULL,
	pto_vta INTEGER NOT NULL,
	PRIMARY KEY (code, pto_vta)
) STRICT, WITHOUT ROWID;
CREATE TABLE sin_movimiento (
	code        TEXT    NOT NULL,
	pto_vta     INTEGER NOT NULL,
	fch_proceso TEXT    NOT NULL,
	PRIMARY KEY (code, pto_vta)
) STRICT, WITHOUT ROWID;
CREATE TABLE serial (last INTEGER NOT NULL) STRICT;
CREATE TABLE asoc (
	cuit      INTEGER NOT NULL,
	cbte_tipo INTEGER NOT NULL,
	pto_vta   INTEGER NOT NULL,
	nro       INTEGER NOT NULL,
	invoice   INTEGER NOT NULL,
	PRIMARY KEY (cuit, cbte_tipo, pto_vta, nro, invoice)
) STRICT, WITHOUT ROWID;
INSERT INTO asoc VALUES (20267565393, 6, 1, 1, 268435457);
INSERT INTO asoc VALUES (20267565393, 6, 1, 1, 268435458);
INSERT INTO caea VALUES ('46450000000010', 20267565393, 202611, 1, '20261101', '20261115', '20261123', '20261106103015');
INSERT INTO caea_used VALUES ('46450000000010', 2);
INSERT INTO invoices VALUES (134217729, 1, '20261106', '96450000000001', 'CAE', '20261116', '20261106103015', '{"CbteDesde":1,"CbteHasta":1,"CbteFch":"20261106","ImpTotal":100.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217730, 2, '20261106', '96450000000002', 'CAE', '20261116', '20261106103015', '{"CbteDesde":2,"CbteHasta":2,"CbteFch":"20261106","ImpTotal":200.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217731, 3, '20261106', '96450000000003', 'CAE', '20261116', '20261106103015', '{"CbteDesde":3,"CbteHasta":3,"CbteFch":"20261106","ImpTotal":300.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217732, 4, '20261106', '96450000000004', 'CAE', '20261116', '20261106103015', '{"CbteDesde":4,"CbteHasta":4,"CbteFch":"20261106","ImpTotal":400.21,"MonId":"PES"}', '{"Obs":[{"Code":10217,"Msg":"ñandú"}]}');
INSERT INTO invoices VALUES (134217742, 5, '20261106', '96450000000005', 'CAE', '20261116', '20261106103015', '{"CbteDesde":5,"CbteHasta":14,"CbteFch":"20261106","ImpTotal":500.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217743, 15, '20261106', '96450000000006', 'CAE', '20261116', '20261106103015', '{"CbteDesde":15,"CbteHasta":15,"CbteFch":"20261106","ImpTotal":600.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217744, 16, '20261106', '96450000000007', 'CAE', '20261116', '20261106103015', '{"CbteDesde":16,"CbteHasta":16,"CbteFch":"20261106","ImpTotal":700.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217745, 17, '20261106', '96450000000008', 'CAE', '20261116', '20261106103015', '{"CbteDesde":17,"CbteHasta":17,"CbteFch":"20261106","ImpTotal":800.21,"MonId":"PES"}', '{"Obs":[{"Code":10217,"Msg":"ñandú"}]}');
INSERT INTO invoices VALUES (134217746, 18, '20261106', '96450000000009', 'CAE', '20261116', '20261106103015', '{"CbteDesde":18,"CbteHasta":18,"CbteFch":"20261106","ImpTotal":900.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217747, 19, '20261106', '96450000000010', 'CAE', '20261116', '20261106103015', '{"CbteDesde":19,"CbteHasta":19,"CbteFch":"20261106","ImpTotal":1000.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217748, 20, '20261106', '96450000000011', 'CAE', '20261116', '20261106103015', '{"CbteDesde":20,"CbteHasta":20,"CbteFch":"20261106","ImpTotal":1100.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217749, 21, '20261106', '96450000000012', 'CAE', '20261116', '20261106103015', '{"CbteDesde":21,"CbteHasta":21,"CbteFch":"20261106","ImpTotal":1200.21,"MonId":"PES"}', '{"Obs":[{"Code":10217,"Msg":"ñandú"}]}');
INSERT INTO invoices VALUES (134217750, 22, '20261106', '96450000000013', 'CAE', '20261116', '20261106103015', '{"CbteDesde":22,"CbteHasta":22,"CbteFch":"20261106","ImpTotal":1300.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217751, 23, '20261106', '96450000000014', 'CAE', '20261116', '20261106103015', '{"CbteDesde":23,"CbteHasta":23,"CbteFch":"20261106","ImpTotal":1400.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217752, 24, '20261106', '96450000000015', 'CAE', '20261116', '20261106103015', '{"CbteDesde":24,"CbteHasta":24,"CbteFch":"20261106","ImpTotal":1500.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217753, 25, '20261106', '96450000000016', 'CAE', '20261116', '20261106103015', '{"CbteDesde":25,"CbteHasta":25,"CbteFch":"20261106","ImpTotal":1600.21,"MonId":"PES"}', '{"Obs":[{"Code":10217,"Msg":"ñandú"}]}');
INSERT INTO invoices VALUES (134217754, 26, '20261106', '96450000000017', 'CAE', '20261116', '20261106103015', '{"CbteDesde":26,"CbteHasta":26,"CbteFch":"20261106","ImpTotal":1700.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217755, 27, '20261106', '96450000000018', 'CAE', '20261116', '20261106103015', '{"CbteDesde":27,"CbteHasta":27,"CbteFch":"20261106","ImpTotal":1800.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217756, 28, '20261106', '96450000000019', 'CAE', '20261116', '20261106103015', '{"CbteDesde":28,"CbteHasta":28,"CbteFch":"20261106","ImpTotal":1900.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217757, 29, '20261106', '96450000000020', 'CAE', '20261116', '20261106103015', '{"CbteDesde":29,"CbteHasta":29,"CbteFch":"20261106","ImpTotal":2000.21,"MonId":"PES"}', '{"Obs":[{"Code":10217,"Msg":"ñandú"}]}');
INSERT INTO invoices VALUES (134217758, 30, '20261106', '96450000000021', 'CAE', '20261116', '20261106103015', '{"CbteDesde":30,"CbteHasta":30,"CbteFch":"20261106","ImpTotal":2100.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217759, 31, '20261106', '96450000000022', 'CAE', '20261116', '20261106103015', '{"CbteDesde":31,"CbteHasta":31,"CbteFch":"20261106","ImpTotal":2200.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217760, 32, '20261106', '96450000000023', 'CAE', '20261116', '20261106103015', '{"CbteDesde":32,"CbteHasta":32,"CbteFch":"20261106","ImpTotal":2300.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (134217761, 33, '20261106', '96450000000024', 'CAE', '20261116', '20261106103015', '{"CbteDesde":33,"CbteHasta":33,"CbteFch":"20261106","ImpTotal":2400.21,"MonId":"PES"}', '{"Obs":[{"Code":10217,"Msg":"ñandú"}]}');
INSERT INTO invoices VALUES (134217762, 34, '20261106', '96450000000025', 'CAE', '20261116', '20261106103015', '{"CbteDesde":34,"CbteHasta":34,"CbteFch":"20261106","ImpTotal":2500.21,"MonId":"PES"}', '');
INSERT INTO invoices VALUES (268435457, 1, '20261106', '46450000000010', 'CAEA', '20261116', '20261106103015', '{"ImpTotal":0.10,"CbtesAsoc":{"CbteAsoc":[{"Tipo":6,"PtoVta":1,"Nro":1}]},"Opcionales":{"Opcional":[{"Id":"23","Valor":"CbtesAsoc"}]}}', '');
INSERT INTO invoices VALUES (268435458, 2, '20261106', '46450000000010', 'CAEA', '20261116', '20261106103015', '{"ImpTotal":0.10,"CbtesAsoc":{"CbteAsoc":[{"Tipo":6,"PtoVta":1,"Nro":1}]},"Opcionales":{"Opcional":[{"Id":"23","Valor":"CbtesAsoc"}]}}', '');
INSERT INTO serial VALUES (77);
INSERT INTO series VALUES (1, 20267565393, 1, 6, 34, '20261106');
INSERT INTO series VALUES (2, 20267565393, 2, 8, 2, '20261106');
