// Package file answers the pages of the business's files. What people read on them has passed redaction on the server; the
// bytes of files pass here sealed, one stretch at a time, and are kept nowhere.
//
// Change here: what these pages read, how a stretch of a file is asked for. Not here: what people may do with files
// (agentd/files), boxes (agentd/wire), markup (views/portal/file).
// May import: agentd/wire, app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/file
package file
