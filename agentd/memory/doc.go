// Package memory is what the team remembers: Markdown files that people can read, one folder for each agent and one that all
// share, with an index to search them (agentd/memory/recall). The files are the truth; each note that this program wrote says in
// a comment behind it where it comes from and who vouches for it. The index is made of them, and follows when they are changed
// from outside.
//
// What comes from outside the business is marked as such for ever, or until the owner's signed word says that it is right.
// What reads like an instruction is put aside for the owner.
//
// Change here: how notes stand in files, what may be read by whom, what puts a note aside. Not here: how they are found and
// ranked (agentd/memory/recall), the tools of the agents (agentd/tools/memory), pages (app/web/portal/memory).
// May import: agentd/memory/recall, agentd/wire, fsnotify, google/uuid, the standard library. Used by: agentd, agentd/memory/desk,
// agentd/tools/notes, cmd/agentd, cmd/bench.
// Proof: go test ./agentd/memory/...
package memory
