package keeping

const copyHelp = `
Copies a log from one store to another, from SQLite to PostgreSQL or the other way round, as
it is: every record byte for byte, the tree and the signed checkpoint. So every proof and
every checkpoint that was kept elsewhere stays valid, and the log's gateway can continue
it in the new place, with the private key that it has. The copy is verified before the
command reports that it is done.

The search index of the copy is this build's. In the copy of an earlier build's trail, also
from SQLite to SQLite, a receiver or a number without its issuer is found at once.

Stop the gateway first: the command refuses a log that a gateway is writing, and keeps
gateways from writing it during the copy. Afterwards start the gateway in the new place only:
two gateways that continue from the same records make two histories. In PostgreSQL its node
must have the log's name, and key must name the file with its private key, which is not
copied. Into a file, run the command as the user of the gateway that goes on there: it refuses
a folder of another user.

If it is interrupted, run it again: it continues where it stopped. Until it is done, no
gateway starts on the copy, and verify says that it is not finished. It never overwrites: a log of
the same name with other records is refused. Records added to the log since an earlier copy
are added.

The gateways of one store share a fingerprint key, by which they recognise repeated
requests. It is copied into a store that has none. A store that has another one is refused:
the fingerprints in the copied records would match nothing there.

Encrypted content can be read only with --encryption-key, and is encrypted with the same key
in the new place; with a key, so is content that was not encrypted before. Purged content
stays purged; such a record can still be found by its summary. Legal holds of all issuers are
copied too. So are whether reads are recorded (log_reads), unless the new store has that set,
and that the built-in service has issued into a log: a copy of it does not start in front of
a real service either.

The tables in PostgreSQL must exist (wsfev1 migrate), and the roles need a gateway's rights,
in the old place too; if there are legal holds, the role in the new place also needs INSERT
on audit_holds.

Exit status:
  0  the copy is whole, and sound
  1  the log or its copy does not hold: something in it was changed
  2  it is not whole: the message explains why, and whether to run the command again`
