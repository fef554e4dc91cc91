package proof

import (
	"maps"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

func init() { maps.Copy(words, scriptWords) }

// scriptWords are those that the script shows.
var scriptWords = site.Words{
	"js.good":        {"Es el registro original, firmado con la clave que usted dio. No hace falta nada más.", "It is the original record, signed by the key that you gave. Nothing more is needed."},
	"js.good_part":   {"Es el registro original, firmado con la clave que usted dio, pero se verificó sin los documentos, que no están aquí. Vea los pasos.", "It is the original record, signed by the key that you gave, but it was verified without the documents, which are not here. See the steps."},
	"js.is.good":     {"No cambió.", "It has not changed."},
	"js.is.bad":      {"Cambió.", "It has changed."},
	"js.is.bad_key":  {"Cambió, o la clave no es la de este registro de auditoría.", "It has changed, or the key belongs to another log."},
	"js.is.open":     {"Todavía no se puede saber.", "It cannot be known yet."},
	"js.is.open_key": {"Todavía no se puede saber: falta la clave.", "It cannot be known yet: the key is missing."},
	"js.open_key":    {"Lo pegado no es una clave pública, o no está entera. Copie de nuevo la clave que le dieron: NOMBRE+HASH+CLAVE.", "What was pasted is no public key, or not the whole of it. Copy the key that you were given once more: NAME+HASH+KEY."},
	"js.pinned":      {"clave fijada en este navegador", "the key pinned in this browser"},
	"js.pasted":      {"clave pegada por el lector", "the key pasted by the reader"},
	"js.server":      {"clave que nombra el servidor: solo su palabra", "the key that the server names: only its word"},
	"js.no_key":      {"ninguna clave", "no key"},
	"js.open_server": {"Pida la clave a quien administra la pasarela y péguela abajo una sola vez.", "Ask the administrator of the gateway for the key and paste it below, once."},
	"js.open_part":   {"Algo no se pudo verificar en este navegador: vea los pasos. Descargue la constancia y verifíquela con los comandos de abajo.", "Something could not be verified in this browser: see the steps. Download the proof and check it with the commands below."},
	"js.bad":         {"Avise a quien administra la pasarela y conserve una copia del almacén. Lo que no coincide:", "Tell the administrator of the gateway, and keep a copy of the store. What differs:"},
	"js.incomplete":  {"En el almacén faltan partes del registro o de su constancia. Avise a quien administra la pasarela y conserve una copia del almacén.", "Parts of the record or of its proof are missing in the store. Tell the administrator of the gateway, and keep a copy of the store."},
	"js.too_large":   {"Es demasiado grande para verificarlo en la página: descargue la constancia y verifíquela con los comandos de abajo.", "It is too large to be verified in the page: download the proof and check it with the commands below."},
	"js.broken":      {"La verificación falló en este navegador: descargue la constancia y verifíquela con los comandos de abajo.", "The verification failed in this browser: download the proof and check it with the commands below."},
	"js.insecure":    {"Este navegador no verifica aquí: la página no vino por https ni de esta misma máquina. Descargue la constancia y verifíquela con los comandos de abajo.", "This browser does not verify here: the page came neither by https nor from this machine. Download the proof and check it with the commands below."},
	"js.unsupported": {"este navegador no conoce Ed25519: descargue la constancia y verifíquela con los comandos de abajo", "this browser does not know Ed25519: download the proof and check it with the commands below"},
	"js.other_key":   {"El servidor nombra otra clave que la que se usó aquí.", "The server names a different key from the one used here."},
	"js.done":        {"Calculado en este navegador el", "Computed in this browser on"},

	"js.good_witnessed": {"También lo firmaron los testigos que usted pide.", "The witnesses that you ask for have signed it too."},
	"js.open_policy":    {"Lo que pegó de los testigos no se entiende: una clave NOMBRE+HASH+CLAVE por línea, o una política entera.", "What you pasted about witnesses cannot be read: one key NAME+HASH+KEY a line, or a whole policy."},
	"js.open_quorum":    {"Los testigos que usted pide no firmaron este punto de control. Si el registro es reciente, vuelva a abrir la página en unos minutos.", "The witnesses that you ask for have not signed this checkpoint. If the record is recent, open the page again in some minutes."},

	"js.fits":      {"coincide", "matches"},
	"js.differs":   {"no coincide", "differs"},
	"js.neutral":   {"sin comparación", "not compared"},
	"js.unchecked": {"sin verificar", "not verified"},
	"js.valid":     {"válida", "valid"},
	"js.invalid":   {"inválida", "invalid"},

	"js.step.proof":     {"Texto de la constancia", "Text of the proof"},
	"js.step.key":       {"Clave", "Key"},
	"js.step.signature": {"Firma Ed25519 del punto de control", "Ed25519 signature of the checkpoint"},
	"js.step.witness":   {"Firma de un testigo", "Signature of a witness"},
	"js.step.quorum":    {"Testigos que firmaron, de los que se piden", "Witnesses that have signed, of those asked for"},
	"js.step.policy":    {"Testigos", "Witnesses"},
	"js.step.log":       {"Registro de auditoría y posición", "Log and place"},
	"js.step.content":   {"SHA-256 del contenido (pedido y respuesta como se conservan)", "SHA-256 of the content (request and answer as they are kept)"},
	"js.step.leaf":      {"Hoja: SHA-256 del registro", "Leaf: SHA-256 of the record"},
	"js.step.node":      {"Nodo", "Node"},
	"js.step.root":      {"Raíz del árbol", "Root of the tree"},
	"js.step.claims":    {"Lo que esta hoja dice del registro", "What this sheet says of the record"},
	"js.step.request":   {"SHA-256 del pedido", "SHA-256 of the request"},
	"js.step.answer":    {"SHA-256 de la respuesta", "SHA-256 of the answer"},

	"js.left":            {"a la izquierda", "on the left"},
	"js.right":           {"a la derecha", "on the right"},
	"js.beside":          {"hermano", "beside it"},
	"js.no_proof":        {"no es una constancia", "this is no proof"},
	"js.no_signature":    {"no hay firma de esta clave", "there is no signature by this key"},
	"js.not_signed":      {"no firmó este punto de control", "it has not signed this checkpoint"},
	"js.unknown_witness": {"firma de una clave que usted no dio: no muestra nada", "a signature by a key that you did not give: it shows nothing"},
	"js.no_quorum":       {"faltan firmas de las que se piden", "signatures that are asked for are missing"},
	"js.bad_policy":      {"lo pegado no se entiende", "what was pasted cannot be read"},
	"js.bad_key":         {"no es una clave pública NOMBRE+HASH+CLAVE, o no se copió entera", "this is no public key NAME+HASH+KEY, or it was not copied whole"},
	"js.bad_note":        {"el punto de control no se puede leer", "the checkpoint cannot be read"},
	"js.bad_path":        {"el camino no lleva a la raíz", "the path does not lead to the root"},
	"js.bad_record":      {"el registro no se puede leer", "the record cannot be read"},
	"js.newer":           {"formato más nuevo que esta página", "a form newer than this page"},
	"js.size":            {"registros en el árbol firmado:", "records in the signed tree:"},
	"js.all_claims":      {"los datos de la hoja están en los bytes verificados", "what the sheet says is in the proven bytes"},
	"js.replaced":        {"se reemplazaron partes (credenciales, campos ocultos): el SHA-256 es de los bytes originales", "parts were replaced (credentials, hidden fields): the SHA-256 is of the original bytes"},
	"js.doubtful":        {"el contenido no es el que se registró, y así tampoco se sabe de este documento", "the content is not the one that was recorded, so nothing is known of this document either"},
	"js.not_kept":        {"no se conserva", "not kept"},
	"js.purged":          {"el contenido no está; el servidor dice que fue eliminado según la política de conservación, y audit verify comprueba si consta. El registro se verifica sin él", "the content is not here; the server says that it was purged by the retention policy, and audit verify checks whether that is recorded. The record is proven without it"},
	"js.sealed":          {"el contenido está cifrado y no se dio la clave: el registro se verifica sin él", "the content is encrypted and its key was not given: the record is proven without it"},
	"js.masked":          {"el contenido no se entregó a esta página: el registro se verifica sin él", "the content was not given to this page: the record is proven without it"},
	"js.pin_failed":      {"Este navegador no guarda claves (almacenamiento bloqueado).", "This browser keeps no keys (storage is blocked)."},
}
