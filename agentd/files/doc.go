// Package files answers the owner's questions about the files of the business: folders, search, previews, downloads, changes. It
// works beneath the same handle as the tools of the agents (agentd/tools/dataroot), so that no path leads out of the data
// folder, and opens nothing that may hold secrets.
//
// What is answered in clear passes redaction on its way out. The bytes of files travel sealed to a key that the person's
// browser made (agentd/wire/filebox.go), unredacted: they are the owner's. Pictures are decoded here, within limits, and
// drawn anew; no bytes of a file are ever handed out as a picture.
//
// What people change here they have signed for: uploads, new folders, names, deletions, what is taken back. Each act is named
// by an id, happens once, and is on record before it begins and when it ends. An upload arrives in stretches, each sealed to
// this server and with the hash that the signature stands for, so that who carries them can change none. What is replaced or
// deleted is kept for a while.
//
// Change here: what people may do with files. Not here: how files are opened safely (agentd/tools/dataroot), what agents may
// do with them (agentd/tools/file…), pages (app/web/portal/file).
// May import: agentd/policy, agentd/receipt, agentd/rpc, agentd/taint, agentd/tool, agentd/tools/dataroot,
// agentd/tools/filewrite, agentd/tools/version, agentd/wire, golang.org/x/text, google/uuid. Used by: agentd.
// Proof: go test ./app/web/portal/file ./cmd/hub/e2e/story
package files
