// Package file is what people do with the files of their business: look through folders, search, preview, download, and, signed,
// upload and change. The
// files live on the server; the hub passes questions and answers on and keeps nothing of either.
//
// Change here: what may be asked of a server about its files. Not here: what the answers are (agentd/files), pages
// (app/web/portal/file).
// May import: app/account, app/fault, app/server, agentd/wire. Used by: app/web/portal, cmd/hub.
// Proof: go test ./app/web/portal/file ./cmd/hub/e2e/story
package file
